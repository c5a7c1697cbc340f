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

template <class Visit>
void each_word(const Document& document, std::size_t sentence, Visit&& visit) {
  for (std::size_t r = document.first_row(sentence); r < document.last_row(sentence); ++r)
    if (document.kind(r) == RowKind::word) visit(r);
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
  single_features_ = templates.uses(Attribute::feature) || templates.uses(Function::agree);
}

std::string_view WordEncoder::text(const Document& document, std::size_t row, Attribute attribute,
                                   std::string& storage) const {
  const auto form = [&] { return document.cell(row, Column::form); };
  const auto from = [&](Attribute first) { return static_cast<int>(attribute) - static_cast<int>(first) + 1; };
  switch (attribute) {
    case Attribute::form: return form();
    case Attribute::lower: return storage = lowercase(form());
    case Attribute::lemma: return document.cell(row, Column::lemma);
    case Attribute::tag: return document.cell(row, tag_column_);
    case Attribute::upos: return document.cell(row, Column::upos);
    case Attribute::xpos: return document.cell(row, Column::xpos);
    case Attribute::feats:
    case Attribute::feature: return document.cell(row, Column::feats);
    case Attribute::shape: return storage = shape(form());
    case Attribute::prefix1:
    case Attribute::prefix2:
    case Attribute::prefix3: return prefix(form(), from(Attribute::prefix1));
    default: return suffix(form(), from(Attribute::suffix1));
  }
}

void WordEncoder::learn(const Document& document, const std::vector<std::size_t>& sentences, int min_count) {
  std::string storage;
  for (int a = 0; a < kWordAttributes; ++a) {
    const auto attribute = static_cast<Attribute>(a);
    Vocabulary& vocabulary = vocabulary_[a];
    if (attribute == Attribute::feature) {
      if (!single_features_) continue;
      for (const std::size_t s : sentences)
        each_word(document, s, [&](std::size_t r) {
          each_feature(document.cell(r, Column::feats), [&](std::string_view feature) { vocabulary.add(feature); });
        });
      continue;
    }
    if (slot_[a] < 0) continue;
    // Counted first where rare texts are left out; values are in order of first appearance either way.
    std::unordered_map<std::string, int, TextHash, std::equal_to<>> counts;
    const bool counted = min_count > 1 && has_rare_texts(attribute);
    if (counted)
      for (const std::size_t s : sentences)
        each_word(document, s, [&](std::size_t r) {
          const std::string_view found = text(document, r, attribute, storage);
          const auto known = counts.find(found);
          if (known == counts.end())
            counts.emplace(found, 1);
          else
            ++known->second;
        });
    for (const std::size_t s : sentences)
      each_word(document, s, [&](std::size_t r) {
        const std::string_view found = text(document, r, attribute, storage);
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
  std::string storage;
  Node node = 0;
  each_word(document, sentence, [&](std::size_t r) {
    ++node;
    for (int a = 0; a < kWordAttributes; ++a)
      if (slot_[a] >= 0)
        out.values_[out.place(slot_[a], node)] =
            vocabulary_[a].find(text(document, r, static_cast<Attribute>(a), storage));
    if (single_features_) {
      const Vocabulary& vocabulary = vocabulary_[static_cast<std::size_t>(Attribute::feature)];
      each_feature(document.cell(r, Column::feats),
                   [&](std::string_view feature) { out.features_.push_back(vocabulary.find(feature)); });
    }
    out.feature_begin_.push_back(static_cast<std::uint32_t>(out.features_.size()));
  });
}

std::string WordEncoder::spell(Attribute attribute, Value value) const {
  if (value >= kFirstValue) return texts(attribute)[value - kFirstValue];
  return value == kNullValue ? "NULL" : value == kRootValue ? "<root>" : "UNK";
}

void WordEncoder::set_texts(Attribute attribute, const std::vector<std::string>& texts) {
  Vocabulary vocabulary;
  for (const std::string& text : texts) vocabulary.add(text);
  vocabulary_[static_cast<std::size_t>(attribute)] = std::move(vocabulary);
}

}  // namespace dynarc
