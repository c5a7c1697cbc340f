#include "tag/columns.hpp"

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "tag/edit_script.hpp"

namespace dynarc {

namespace {

template <class Visit>
void each_word(const Document& document, std::size_t sentence, Visit&& visit) {
  for (std::size_t r = document.first_row(sentence); r < document.last_row(sentence); ++r)
    if (document.kind(r) == RowKind::word) visit(r);
}

bool is_filled(const Document& document, std::size_t sentence, Column column) {
  bool filled = false;
  each_word(document, sentence, [&](std::size_t r) { filled |= document.cell(r, column) != "_"; });
  return filled;
}

// What is known of the words of a sentence before the column is.
void read_words(const Document& document, std::size_t sentence, const ColumnSpec& spec, const ColumnClasses& classes,
                TagSequence& out) {
  out.clear();
  each_word(document, sentence, [&](std::size_t r) {
    out.forms.push_back(document.cell(r, Column::form));
    if (spec.given.empty()) return;
    out.groups.push_back(classes.group(document.cell(r, spec.given[0])));
    Key given = 0;
    for (const Column column : spec.given) given = mix_key(given, text_key(document.cell(r, column)));
    out.given.push_back(given);
  });
}

std::string class_text(const Document& document, std::size_t row, Column target) {
  const std::string_view cell = document.cell(row, target);
  return target == Column::lemma ? edit_script(document.cell(row, Column::form), cell) : std::string(cell);
}

// The lemmas of the words, each looked for once.
template <class Work>
void find_lemmas(const ColumnTagger& tagger, const Tagger::Lease& lease, const TagSequence& words, Work& work,
                 std::vector<std::string_view>& out) {
  for (std::size_t i = 0; i < words.forms.size(); ++i) {
    const Key key = mix_key(words.keys[i], words.given[i]);
    const std::string*& lemma = work.lemmas[key];
    if (lemma == nullptr) {
      const std::string_view form = words.forms[i];
      work.one.forms.assign(1, form);
      work.one.groups.assign(1, words.groups[i]);
      work.one.given.assign(1, words.given[i]);
      const auto context = std::pair(&tagger, form);
      lease.tag(work.one, work.classes,
                {[](const void* c, std::size_t, int choice) {
                   const auto& [self, text] = *static_cast<const std::pair<const ColumnTagger*, std::string_view>*>(c);
                   return !apply_script(self->classes().texts[static_cast<std::size_t>(choice)], text);
                 },
                 &context});
      const int choice = work.classes[0];
      work.texts.push_back(choice < 0 ? std::string(form)
                                      : *apply_script(tagger.classes().texts[static_cast<std::size_t>(choice)], form));
      lemma = &work.texts.back();
    }
    out.push_back(*lemma);
  }
}

TaggerShape shape_of(const ColumnSpec& spec, const ColumnClasses& classes) {
  return {spec.look(), classes.begin, spec.beam};
}

}  // namespace

int ColumnClasses::group(std::string_view upos) const {
  const auto found = std::ranges::lower_bound(groups, upos);
  return found != groups.end() && *found == upos ? static_cast<int>(found - groups.begin()) : -1;
}

ColumnTagger::ColumnTagger(ColumnSpec spec, ColumnClasses classes, std::shared_ptr<const Tagger> tagger)
    : spec_(std::move(spec)), classes_(std::move(classes)), tagger_(std::move(tagger)) {
  if (classes_.begin.size() != classes_.groups.size() + 1 || tagger_->shape().groups != classes_.begin ||
      classes_.texts.size() != static_cast<std::size_t>(classes_.begin.back()) ||
      !std::ranges::is_sorted(classes_.groups))
    throw ModelFormatError("the classes of a tagger do not fit together");
  // Lemmas are found by what is given: without it there is nothing to look at.
  if (spec_.target == Column::lemma && spec_.given.empty())
    throw ModelFormatError("a tagger of lemmas is given no tags");
  for (const std::string& text : classes_.texts) {
    if (!is_cell(text) || text == "=") throw ModelFormatError("a tagger has a tag that cannot stand in a column");
    keys_.push_back(text_key(text));
  }
  nothing_ = text_key("_");
}

// What one sentence gets: for each tagger the classes, none if the column stays; lemmas as texts.
struct ColumnTaggers::Found {
  std::vector<std::vector<int>> classes;
  std::vector<std::string_view> lemmas;  // which a worker keeps
};

// What one thread works with.
struct ColumnTaggers::Worker {
  std::vector<Tagger::Lease> leases;
  std::vector<std::size_t> rows;
  std::vector<Key> forms;
  std::vector<std::vector<Key>> values;  // of each tagger's column, by word
  TagSequence words, one;
  std::vector<int> classes;
  // A lemma depends on nothing but the word and its tags: what was found once is kept.
  std::unordered_map<Key, const std::string*> lemmas;
  std::deque<std::string> texts;
};

ColumnTaggers::ColumnTaggers(std::vector<ColumnTagger> taggers) : taggers_(std::move(taggers)) {
  groups_.resize(taggers_.size());
  if (taggers_.empty() || taggers_[0].spec().target != Column::upos) return;
  for (std::size_t t = 1; t < taggers_.size(); ++t)
    for (const std::string& upos : taggers_[0].classes().texts) groups_[t].push_back(taggers_[t].classes().group(upos));
}

void ColumnTaggers::tag(Document& document, int threads, bool again) const {
  std::vector<Found> found(document.sentences());
  std::vector<std::shared_ptr<Worker>> used;  // lemmas point into them until they are written
  in_parallel(0, document.sentences(), threads, [&] {
    std::shared_ptr<Worker> taken;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        taken = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (taken == nullptr) {
      taken = std::make_shared<Worker>();
      for (const ColumnTagger& tagger : taggers_) taken->leases.push_back(tagger.tagger().lease());
      taken->values.resize(taggers_.size());
    }
    if (taken->texts.size() > std::size_t{1} << 17) {
      taken->lemmas.clear();
      taken->texts.clear();
    }
    {
      const std::lock_guard lock(mutex_);
      used.push_back(taken);
    }
    return [&, taken](std::size_t s) {
      Worker& work = *taken;
      Found& out = found[s];
      out.classes.resize(taggers_.size());
      work.rows.clear();
      work.words.clear();
      each_word(document, s, [&](std::size_t r) {
        work.rows.push_back(r);
        work.words.forms.push_back(document.cell(r, Column::form));
        work.words.keys.push_back(text_key(work.words.forms.back()));
      });
      const std::size_t n = work.rows.size();
      const auto place_of = [&](Column column, std::size_t before) {  // the tagger that has found a column; or none
        std::size_t t = 0;
        while (t < before && taggers_[t].spec().target != column) ++t;
        return t;
      };
      for (std::size_t t = 0; t < taggers_.size(); ++t) {
        const ColumnTagger& tagger = taggers_[t];
        const ColumnSpec& spec = tagger.spec();
        work.words.given.clear();
        work.words.groups.clear();
        if (!spec.given.empty()) {
          const std::size_t upos = place_of(spec.given[0], t);
          const bool fresh = upos == 0 && t > 0 && !out.classes[0].empty() && !groups_[t].empty();
          for (std::size_t i = 0; i < n; ++i) {
            const int choice = fresh ? out.classes[0][i] : -1;
            work.words.groups.push_back(choice >= 0
                                            ? groups_[t][static_cast<std::size_t>(choice)]
                                            : tagger.classes().group(document.cell(work.rows[i], spec.given[0])));
          }
          work.words.given.assign(n, 0);
          for (const Column column : spec.given) {
            const std::size_t from = place_of(column, t);
            for (std::size_t i = 0; i < n; ++i)
              work.words.given[i] = mix_key(
                  work.words.given[i], from < t ? work.values[from][i] : text_key(document.cell(work.rows[i], column)));
          }
        }
        std::vector<Key>& values = work.values[t];
        values.clear();
        if (!again) {
          bool filled = false;
          for (const std::size_t r : work.rows) filled |= document.cell(r, spec.target) != "_";
          if (filled) {
            for (const std::size_t r : work.rows) values.push_back(text_key(document.cell(r, spec.target)));
            continue;
          }
        }
        if (spec.target == Column::lemma) {
          find_lemmas(tagger, work.leases[t], work.words, work, out.lemmas);
          out.classes[t].assign(n, 0);
          continue;  // nothing is given lemmas
        }
        work.leases[t].tag(work.words, out.classes[t]);
        for (const int choice : out.classes[t]) values.push_back(tagger.key(choice));
      }
    };
  });
  const std::uint32_t none = document.text_number("_");
  std::vector<std::vector<std::uint32_t>> texts(taggers_.size());  // by class
  for (std::size_t t = 0; t < taggers_.size(); ++t)
    if (taggers_[t].spec().target != Column::lemma)
      for (const std::string& text : taggers_[t].classes().texts) texts[t].push_back(document.text_number(text));
  std::unordered_map<const char*, std::uint32_t> lemmas;  // a worker has each once
  for (std::size_t s = 0; s < found.size(); ++s)
    for (std::size_t t = 0; t < taggers_.size(); ++t) {
      const std::vector<int>& classes = found[s].classes[t];
      if (classes.empty()) continue;
      const Column target = taggers_[t].spec().target;
      std::size_t i = 0;
      each_word(document, s, [&](std::size_t r) {
        std::uint32_t number = none;
        if (target == Column::lemma) {
          const std::string_view lemma = found[s].lemmas[i];
          std::uint32_t& known = lemmas[lemma.data()];
          if (known == 0) known = document.text_number(lemma);
          number = known;
        } else if (classes[i] >= 0) {
          number = texts[t][static_cast<std::size_t>(classes[i])];
        }
        document.set_text(s, r, target, number);
        ++i;
      });
    }
  const std::lock_guard lock(mutex_);
  for (auto& work : used) idle_.push_back(std::move(work));
}

ColumnTraining::ColumnTraining(ColumnSpec spec, const Document& document, const std::vector<std::size_t>& sentences,
                               const TagOptions& options)
    : spec_(std::move(spec)) {
  if (spec_.target == Column::lemma && spec_.given.empty())
    throw ConfigError("lemmas are learned from words whose UPOS is known");
  std::map<std::string, std::set<std::string>> seen;
  std::vector<std::size_t> used;
  for (const std::size_t s : sentences) {
    if (s >= document.sentences()) throw ConfigError("there is no such sentence");
    if (!is_filled(document, s, spec_.target)) continue;
    used.push_back(s);
    each_word(document, s, [&](std::size_t r) {
      const std::string_view group = spec_.given.empty() ? std::string_view() : document.cell(r, spec_.given[0]);
      seen[std::string(group)].insert(class_text(document, r, spec_.target));
    });
  }
  if (used.empty())
    throw ConfigError("no sentence has " + std::string(kColumnNames[static_cast<int>(spec_.target)]) +
                      " to learn from");
  for (const auto& [group, texts] : seen) {
    classes_.groups.push_back(group);
    classes_.texts.insert(classes_.texts.end(), texts.begin(), texts.end());
    classes_.begin.push_back(static_cast<int>(classes_.texts.size()));
  }
  std::vector<TagSequence> words(used.size());
  std::vector<std::vector<int>> gold(used.size());
  for (std::size_t u = 0; u < used.size(); ++u) {
    read_words(document, used[u], spec_, classes_, words[u]);
    std::size_t i = 0;
    each_word(document, used[u], [&](std::size_t r) {
      const auto group = static_cast<std::size_t>(words[u].group(i++));
      const auto first = classes_.texts.begin() + classes_.begin[group];
      const auto last = classes_.texts.begin() + classes_.begin[group + 1];
      gold[u].push_back(static_cast<int>(std::lower_bound(first, last, class_text(document, r, spec_.target)) -
                                         classes_.texts.begin()));
    });
  }
  training_ = std::make_unique<TagTraining>(shape_of(spec_, classes_), options, std::move(words), std::move(gold));
}

}  // namespace dynarc
