#include "features/words.hpp"

#include "base/characters.hpp"

namespace dynarc {

namespace {

// Words seen seldom in training stand for those not seen at all; their endings and tags do not.
bool has_rare_texts(Attribute attribute) {
  return attribute == Attribute::form || attribute == Attribute::lower || attribute == Attribute::lemma;
}

// No word has as many features as this: those of a file that is no treebank would be paired with each other.
constexpr int kMostFeatures = 64;

template <class Visit>
void each_feature(std::string_view bundle, Visit&& visit) {
  for (int left = kMostFeatures; left > 0 && !bundle.empty() && bundle != "_"; --left) {
    const std::size_t bar = std::min(bundle.find('|'), bundle.size());
    visit(bundle.substr(0, bar));
    bundle.remove_prefix(std::min(bar + 1, bundle.size()));
  }
}

constexpr int kCells = static_cast<int>(Column::feats) + 1;  // all that attributes are made of

template <class Visit>
void each_word(const Document& document, std::size_t sentence, Visit&& visit) {
  Document::Cells cells;
  for (std::size_t r = document.first_row(sentence); r < document.last_row(sentence); ++r) {
    if (document.kind(r) != RowKind::word) continue;
    document.cells(r, kCells, cells);
    visit(cells);
  }
}

}  // namespace

void reverse_tree(std::vector<Node>& heads, std::vector<Label>& labels) {
  const auto n = static_cast<Node>(heads.size()) - 1;
  for (Node& head : heads)
    if (head > kRoot) head = n + 1 - head;
  reverse_words(heads);
  reverse_words(labels);
}

void EncodedSentence::set_guide(std::vector<Node> heads, std::vector<Label> labels) {
  guide_heads_ = std::move(heads);
  guide_labels_ = std::move(labels);
  guide_first_.assign(guide_heads_.size(), kNone);
  guide_last_.assign(guide_heads_.size(), kNone);
  for (Node d = 1; d < static_cast<Node>(guide_heads_.size()); ++d) {
    const Node head = guide_heads_[d];
    if (head == kNone) continue;
    if (d < head && guide_first_[head] == kNone) guide_first_[head] = d;
    if (d > head) guide_last_[head] = d;
  }
}

void EncodedSentence::reverse() {
  const auto length = static_cast<std::ptrdiff_t>(words_ + 2);
  for (auto row = values_.begin(); row != values_.end(); row += length)
    std::reverse(row + (1 - kNone), row + length);  // all but NULL and ROOT
  std::vector<Value> features;
  std::vector<std::uint32_t> begin(2, 0);
  for (Node node = words_; node > kRoot; --node) {
    const auto [first, last] = this->features(node);
    features.insert(features.end(), first, last);
    begin.push_back(static_cast<std::uint32_t>(features.size()));
  }
  features_ = std::move(features);
  feature_begin_ = std::move(begin);
  if (!guided()) return;
  std::vector<Node> heads = guide_heads_;
  std::vector<Label> labels = guide_labels_;
  reverse_tree(heads, labels);
  set_guide(std::move(heads), std::move(labels));
}

WordEncoder::WordEncoder(const Templates& templates, Column tag_column) : tag_column_(tag_column) {
  for (int a = 0; a < kWordAttributes; ++a) {
    const auto attribute = static_cast<Attribute>(a);
    const bool part =
        attribute == Attribute::form && (templates.uses(Attribute::refined) || templates.uses(Attribute::adposition));
    const bool wanted = attribute == Attribute::tag || part || templates.uses(attribute);
    slot_[a] = wanted && attribute != Attribute::feature ? slots_++ : -1;
  }
  for (int a = 0; a < kWordAttributes; ++a) {
    if (slot_[a] < 0) continue;
    const auto attribute = static_cast<Attribute>(a);
    const bool of_form =
        slot(Attribute::form) >= 0 && (attribute == Attribute::lower || attribute >= Attribute::suffix1);
    (of_form ? of_forms_ : of_others_).push_back({attribute, slot_[a]});
  }
  single_features_ = templates.uses(Attribute::feature) || templates.uses(Function::agree);
}

std::string_view WordEncoder::text(const Document::Cells& cells, Attribute attribute, std::string& storage) const {
  const auto of = [&](Column column) { return cells[static_cast<std::size_t>(column)]; };
  const auto from = [&](Attribute first) { return static_cast<int>(attribute) - static_cast<int>(first) + 1; };
  switch (attribute) {
    case Attribute::form: return of(Column::form);
    case Attribute::lower: return storage = lowercase(of(Column::form));
    case Attribute::lemma: return of(Column::lemma);
    case Attribute::tag: return of(tag_column_);
    case Attribute::upos: return of(Column::upos);
    case Attribute::xpos: return of(Column::xpos);
    case Attribute::feats:
    case Attribute::feature: return of(Column::feats);
    case Attribute::shape: return storage = shape(of(Column::form));
    case Attribute::prefix1:
    case Attribute::prefix2:
    case Attribute::prefix3: return prefix(of(Column::form), from(Attribute::prefix1));
    default: return suffix(of(Column::form), from(Attribute::suffix1));
  }
}

void WordEncoder::learn(const Document& document, const std::vector<std::size_t>& sentences, int min_count) {
  derived_ = std::make_shared<Derived>();
  std::string storage;
  for (int a = 0; a < kWordAttributes; ++a) {
    const auto attribute = static_cast<Attribute>(a);
    Vocabulary& vocabulary = vocabulary_[a];
    if (attribute == Attribute::feature) {
      if (!single_features_) continue;
      for (const std::size_t s : sentences)
        each_word(document, s, [&](const Document::Cells& cells) {
          each_feature(cells[static_cast<std::size_t>(Column::feats)],
                       [&](std::string_view feature) { vocabulary.add(feature); });
        });
      continue;
    }
    if (slot_[a] < 0) continue;
    // Counted first where rare texts are left out; values are in order of first appearance either way.
    std::unordered_map<std::string, int, TextHash, std::equal_to<>> counts;
    const bool counted = min_count > 1 && has_rare_texts(attribute);
    if (counted)
      for (const std::size_t s : sentences)
        each_word(document, s, [&](const Document::Cells& cells) {
          const std::string_view found = text(cells, attribute, storage);
          const auto known = counts.find(found);
          if (known == counts.end())
            counts.emplace(found, 1);
          else
            ++known->second;
        });
    for (const std::size_t s : sentences)
      each_word(document, s, [&](const Document::Cells& cells) {
        const std::string_view found = text(cells, attribute, storage);
        if (!counted || counts.find(found)->second >= min_count) vocabulary.add(found);
      });
  }
}

void WordEncoder::encode(const Document& document, std::size_t sentence, EncodedSentence& out) const {
  const int words = static_cast<int>(document.sentence(sentence).words);
  out.words_ = words;
  out.guide_heads_.clear();
  out.values_.resize(static_cast<std::size_t>(slots_ * (words + 2)));
  for (int slot = 0; slot < slots_; ++slot) {
    out.values_[out.place(slot, kNone)] = kNullValue;
    out.values_[out.place(slot, kRoot)] = kRootValue;
  }
  out.features_.clear();
  out.feature_begin_.assign(1, 0);
  out.feature_begin_.push_back(0);  // ROOT has none
  const std::vector<Value>& derived = derived_values();
  const Vocabulary& forms = vocabulary_[static_cast<std::size_t>(Attribute::form)];
  std::string storage;
  Node node = 0;
  each_word(document, sentence, [&](const Document::Cells& cells) {
    ++node;
    // What is made of the form alone is known for forms that are.
    const Value form = slot(Attribute::form) < 0 ? kUnknownValue : forms.find(text(cells, Attribute::form, storage));
    const bool known = form >= kFirstValue;
    for (const auto& [attribute, slot] : of_forms_)
      out.values_[out.place(slot, node)] =
          known ? derived[(form - kFirstValue) * slots_ + static_cast<std::size_t>(slot)]
                : vocabulary_[static_cast<std::size_t>(attribute)].find(text(cells, attribute, storage));
    for (const auto& [attribute, slot] : of_others_)
      out.values_[out.place(slot, node)] =
          attribute == Attribute::form
              ? form
              : vocabulary_[static_cast<std::size_t>(attribute)].find(text(cells, attribute, storage));
    if (single_features_) {
      const Vocabulary& vocabulary = vocabulary_[static_cast<std::size_t>(Attribute::feature)];
      each_feature(cells[static_cast<std::size_t>(Column::feats)],
                   [&](std::string_view feature) { out.features_.push_back(vocabulary.find(feature)); });
    }
    out.feature_begin_.push_back(static_cast<std::uint32_t>(out.features_.size()));
  });
}

const std::vector<Value>& WordEncoder::derived_values() const {
  std::call_once(derived_->once, [&] {
    if (of_forms_.empty()) return;
    Document::Cells cells;
    std::string storage;
    const std::vector<std::string>& forms = texts(Attribute::form);
    derived_->values.resize(forms.size() * static_cast<std::size_t>(slots_));
    for (std::size_t i = 0; i < forms.size(); ++i) {
      cells[static_cast<std::size_t>(Column::form)] = forms[i];
      for (const auto& [attribute, slot] : of_forms_)
        derived_->values[i * slots_ + static_cast<std::size_t>(slot)] =
            vocabulary_[static_cast<std::size_t>(attribute)].find(text(cells, attribute, storage));
    }
  });
  return derived_->values;
}

std::string WordEncoder::spell(Attribute attribute, Value value) const {
  if (value >= kFirstValue) return texts(attribute)[value - kFirstValue];
  return value == kNullValue ? "NULL" : value == kRootValue ? "<root>" : "UNK";
}

void WordEncoder::set_texts(Attribute attribute, const std::vector<std::string>& texts) {
  derived_ = std::make_shared<Derived>();
  Vocabulary vocabulary;
  for (const std::string& text : texts) vocabulary.add(text);
  vocabulary_[static_cast<std::size_t>(attribute)] = std::move(vocabulary);
}

}  // namespace dynarc
