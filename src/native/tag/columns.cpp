#include "tag/columns.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "tag/edit_script.hpp"
#include "tag/key_table.hpp"

namespace dynarc {

namespace {

// Sentences that one tagger sees before the next one does: enough that its tables are worth loading.
constexpr std::size_t kBatch = 512;
// Words and lemmas that are kept.
constexpr std::size_t kMostWords = std::size_t{1} << 17;

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

// What one thread works with: some sentences at a time, by one tagger after the other. Each has its own tables, which
// would drive those of the others out of the processor's caches.
struct ColumnTaggers::Worker {
  explicit Worker(const std::vector<ColumnTagger>& taggers) : values(taggers.size()) {
    for (const ColumnTagger& tagger : taggers) leases.push_back(tagger.tagger().lease());
  }

  std::vector<Tagger::Lease> leases;
  KeyTable numbers;  // of forms
  std::vector<std::size_t> rows;
  std::vector<unsigned> blanks;          // columns, by word
  std::vector<std::vector<Key>> values;  // of each tagger's column, by word
  TagSequence words;
  std::vector<Stretch> sentences;  // to be tagged

  void read(const Document& document, std::size_t first, std::size_t last) {
    if (numbers.size() > kMostWords) {
      numbers.clear();
      for (const Tagger::Lease& lease : leases) lease.forget();
    }
    rows.clear();
    blanks.clear();
    words.clear();
    for (std::size_t s = first; s < last; ++s)
      each_word(document, s, [&](std::size_t r) {
        rows.push_back(r);
        blanks.push_back(document.blanks(r));
        const std::string_view form = document.cell(r, Column::form);
        const Key key = text_key(form);
        std::uint32_t number = numbers.find(key);
        if (number == KeyTable::kNone) {
          number = static_cast<std::uint32_t>(numbers.size());
          numbers.add(key, number);
        }
        words.forms.push_back(form);
        words.keys.push_back(key);
        words.numbers.push_back(number);
      });
    for (std::vector<Key>& of_column : values) of_column.resize(rows.size());
  }

  // A lemma depends on nothing but the word and its tags: what was found once is kept.
  KeyTable lemma_of;
  std::vector<std::string> lemmas;
  std::vector<std::uint32_t> lemma_numbers;  // in the document
  TagSequence one;

  std::uint32_t find_lemma(const ColumnTagger& tagger, const Tagger::Lease& lease, std::size_t i) {
    const Key key = mix_key(words.keys[i], words.given[i]);
    if (const std::uint32_t found = lemma_of.find(key); found != KeyTable::kNone) return found;
    const std::string_view form = words.forms[i];
    one.forms.assign(1, form);
    one.numbers.assign(1, words.numbers[i]);
    one.groups.assign(1, words.groups[i]);
    one.given.assign(1, words.given[i]);
    const auto context = std::pair(&tagger, form);
    int choice = -1;
    constexpr Stretch kOne{0, 1};
    lease.tag(one, {&kOne, 1}, {&choice, 1},
              {[](const void* c, std::size_t, int script) {
                 const auto& [self, text] = *static_cast<const std::pair<const ColumnTagger*, std::string_view>*>(c);
                 return !apply_script(self->classes().texts[static_cast<std::size_t>(script)], text);
               },
               &context});
    lemmas.push_back(choice < 0 ? std::string(form)
                                : *apply_script(tagger.classes().texts[static_cast<std::size_t>(choice)], form));
    lemma_of.add(key, static_cast<std::uint32_t>(lemmas.size() - 1));
    return static_cast<std::uint32_t>(lemmas.size() - 1);
  }
};

ColumnTaggers::ColumnTaggers(std::vector<ColumnTagger> taggers) : taggers_(std::move(taggers)) {
  groups_.resize(taggers_.size());
  if (taggers_.empty() || taggers_[0].spec().target != Column::upos) return;
  for (std::size_t t = 1; t < taggers_.size(); ++t)
    for (const std::string& upos : taggers_[0].classes().texts) groups_[t].push_back(taggers_[t].classes().group(upos));
}

std::shared_ptr<ColumnTaggers::Worker> ColumnTaggers::take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto worker = std::move(idle_.back());
      idle_.pop_back();
      if (worker->lemmas.size() > kMostWords) {
        worker->lemma_of.clear();
        worker->lemmas.clear();
      }
      return worker;
    }
  }
  return std::make_shared<Worker>(taggers_);
}

// What the words of a worker get from one tagger, in these sentences: classes, or numbers of lemmas.
void ColumnTaggers::find(std::size_t t, Worker& work, std::span<const Stretch> sentences, std::span<int> found) const {
  const ColumnTagger& tagger = taggers_[t];
  if (tagger.spec().target == Column::lemma) {  // which are given to nothing
    for (const Stretch& sentence : sentences)
      for (std::size_t i = sentence.first; i < sentence.first + sentence.size; ++i)
        found[i] = static_cast<int>(work.find_lemma(tagger, work.leases[t], i));
    return;
  }
  work.leases[t].tag(work.words, sentences, found);
  for (const Stretch& sentence : sentences)
    for (std::size_t i = sentence.first; i < sentence.first + sentence.size; ++i)
      work.values[t][i] = tagger.key(found[i]);
}

// What the words of the worker are given for a tagger, of whose column UPOS was found if there are classes of it.
void ColumnTaggers::give(std::size_t t, const Document& document, Worker& work, std::span<const int> upos) const {
  const ColumnTagger& tagger = taggers_[t];
  const std::vector<Column>& columns = tagger.spec().given;
  TagSequence& words = work.words;
  words.given.clear();
  words.groups.clear();
  if (columns.empty()) return;
  const std::size_t n = work.rows.size();
  const bool by_class = !groups_[t].empty() && columns[0] == Column::upos;
  for (std::size_t i = 0; i < n; ++i) {
    const int choice = by_class ? upos[i] : -1;
    words.groups.push_back(choice >= 0 ? groups_[t][static_cast<std::size_t>(choice)]
                                       : tagger.classes().group(document.cell(work.rows[i], columns[0])));
  }
  words.given.assign(n, 0);
  for (const Column column : columns) {
    std::size_t from = 0;  // the tagger that has found the column, if one has
    while (from < t && taggers_[from].spec().target != column) ++from;
    for (std::size_t i = 0; i < n; ++i) {
      const Key value = from < t ? work.values[from][i] : text_key(document.cell(work.rows[i], column));
      words.given[i] = mix_key(words.given[i], value);
    }
  }
}

void ColumnTaggers::tag(Document& document, int threads, bool again) const {
  const std::size_t sentences = document.sentences();
  std::vector<std::size_t> first_word = {0};  // of each sentence, in the whole document
  for (std::size_t s = 0; s < sentences; ++s) first_word.push_back(first_word.back() + document.sentence(s).words);
  // What is found of each word: classes; of lemmas their numbers at the worker.
  constexpr int kStays = -2;
  std::vector<std::vector<int>> found(taggers_.size(), std::vector<int>(first_word.back(), kStays));
  const std::size_t size = std::clamp(sentences / (8 * static_cast<std::size_t>(threads)), std::size_t{1}, kBatch);
  const std::size_t batches = (sentences + size - 1) / size;
  std::vector<std::shared_ptr<Worker>> workers(batches);
  in_parallel(
      0, batches, threads,
      [&] {
        return [&, worker = take()](std::size_t b) {
          Worker& work = *worker;
          workers[b] = worker;
          const std::size_t first = b * size, last = std::min(first + size, sentences);
          work.read(document, first, last);
          for (std::size_t t = 0; t < taggers_.size(); ++t) {
            const unsigned column = 1u << static_cast<unsigned>(taggers_[t].spec().target);
            give(t, document, work, std::span(found[0]).subspan(first_word[first], work.rows.size()));
            work.sentences.clear();
            for (std::size_t s = first; s < last; ++s) {
              const Stretch sentence{first_word[s] - first_word[first], first_word[s + 1] - first_word[s]};
              unsigned blank = column;
              for (std::size_t i = 0; i < sentence.size; ++i) blank &= work.blanks[sentence.first + i];
              if (again || blank != 0) {
                work.sentences.push_back(sentence);
                continue;
              }
              for (std::size_t i = sentence.first; i < sentence.first + sentence.size; ++i)
                work.values[t][i] = text_key(document.cell(work.rows[i], taggers_[t].spec().target));
            }
            find(t, work, work.sentences, std::span(found[t]).subspan(first_word[first], work.rows.size()));
          }
        };
      },
      1);
  const std::uint32_t none = document.text_number("_");
  for (std::size_t t = 0; t < taggers_.size(); ++t) {
    const std::vector<std::string>& texts = taggers_[t].classes().texts;
    const bool lemmas = taggers_[t].spec().target == Column::lemma;
    std::vector<std::uint32_t> numbers(lemmas ? 0 : texts.size());  // by class; 0: not known yet
    const std::span<std::uint32_t> cells = document.text_numbers(taggers_[t].spec().target);
    if (lemmas)
      for (const auto& worker : workers) worker->lemma_numbers.assign(worker->lemmas.size(), 0);
    for (std::size_t s = 0; s < sentences; ++s) {
      const int* choice = found[t].data() + first_word[s];
      if (first_word[s] == first_word[s + 1] || *choice == kStays) continue;
      document.touch(s);
      Worker& work = *workers[s / size];
      each_word(document, s, [&](std::size_t r) {
        const int chosen = *choice++;
        if (chosen < 0) {
          cells[r] = none;
          return;
        }
        const auto place = static_cast<std::size_t>(chosen);
        std::uint32_t& number = lemmas ? work.lemma_numbers[place] : numbers[place];
        if (number == 0) number = document.text_number(lemmas ? work.lemmas[place] : texts[place]);
        cells[r] = number;
      });
    }
  }
  std::ranges::sort(workers);
  const auto extra = std::ranges::unique(workers);
  const std::lock_guard lock(mutex_);
  idle_.insert(idle_.end(), workers.begin(), extra.begin());
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
