// How the classes of a configuration are scored, in three steps between which others are worked on: each asks the
// memory, where everything is far away, for what the next one needs.
//
//   look   sees the configuration and makes keys of it
//   find   finds their rows
//   sum    adds them up
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "features/extractor.hpp"
#include "model/folded_rows.hpp"
#include "model/folding.hpp"
#include "model/weights.hpp"

namespace dynarc {

// Every feature by itself.
class CompactScorer {
 public:
  static constexpr std::size_t kLanes = 4;  // configurations worked on at once
  struct Work {                             // of one configuration
    std::vector<Key> keys;
    Scores scores;
  };

  // Where `sample` is given, it gets configurations until it is full.
  CompactScorer(Extractor extractor, const Weights& weights, StateSample* sample = nullptr)
      : extractor_(std::move(extractor)), weights_(weights), sample_(sample) {}

  bool sees_spans() const { return extractor_.sees_spans(); }
  Work work() const { return {}; }
  void start(Work&, const EncodedSentence&) {}

  template <class View>
  void look(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    extractor_.extract(view, words, dependents, work.keys);
    weights_.ask(work.keys);
    if (sample_ != nullptr && !sample_->full()) sample_->add(extractor_, words);
  }
  void find(Work& work, const EncodedSentence&) { weights_.find(work.keys, work.scores); }
  void locate(Work&) {}
  std::span<const Score> sum(Work& work, const EncodedSentence&) {
    weights_.sum(work.scores);
    return work.scores.of_class;
  }
  // The keys of all features, for the second table.
  template <class View>
  const std::vector<Key>& keys(Work& work, const View&, const EncodedSentence&, const Dependents&) {
    return work.keys;
  }

 private:
  Extractor extractor_;
  const Weights& weights_;
  StateSample* sample_;
};

// What folding knows of a model; it grows while sentences are parsed.
struct Folding {
  Folding(const Templates& templates, const WordEncoder& encoder, const LabelValues& labels, int valency_cap,
          const StateSample& sample, const Weights& weights, std::size_t length)
      : word_plan(templates, encoder, labels, valency_cap),
        plan(templates, word_plan, sample, length),
        filter(weights),
        rows(length, kMostBytes),
        words(word_plan, kMostWordBytes),
        sums(kMostSums) {}

  static constexpr std::size_t kMostBytes = std::size_t{96} << 20, kMostWordBytes = std::size_t{48} << 20,
                               kMostSums = std::size_t{1} << 16;
  static constexpr std::uint32_t kZeros = std::uint32_t{1}
                                          << 28;  // for sums that are 0, where that means none is known
  WordFoldPlan word_plan;
  FoldPlan plan;
  KeyFilter filter;
  FoldedRows rows;
  FoldedWords words;
  KeptNumbers sums;  // of groups of `plan`, by their keys
};

// Groups of features at once, where their sum is known.
class FoldedScorer {
 public:
  static constexpr std::size_t kLanes = 6;
  struct Place {
    FoldedRows::Sum* sum;
    const std::vector<int>* templates;
  };
  struct Work {
    Extractor::Seen seen;
    FoldedRows::Found found;                   // rows
    bool plain = false;                        // the words of the sentence did not all find room
    std::vector<Key> word_keys = {};           // of all nodes, from the one that is not there on
    std::vector<FoldedRows::Sum*> lists = {};  // the same of their sums
    std::vector<std::uint64_t> weighed = {};   // of which the keys of groups are made, by term
    std::vector<Place> places = {};            // where sums of words are, and how many of them
    std::size_t words = 0;
    std::vector<Place> missing_words = {};    // those that are not known
    std::vector<Key> groups = {};             // keys of the groups at the top
    std::vector<std::uint32_t> missing = {};  // those whose sum is not known
    std::vector<Key> keys = {};               // of features that are looked up one by one
    Scores scores = {};
  };

  FoldedScorer(Extractor extractor, const Templates& templates, const Weights& weights, Folding& folding)
      : extractor_(std::move(extractor)),
        weights_(weights),
        folding_(folding),
        plan_(folding.plan),
        rows_(folding.rows),
        sums_(folding.sums) {
    std::vector<int> used;
    for (const FoldPlan::Group& group : plan_.groups()) used.insert(used.end(), group.terms.begin(), group.terms.end());
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const int term : used) {
      if (term >= plan_.atoms())
        nodes_.push_back(term - plan_.atoms());
      else
        (templates.atoms()[static_cast<std::size_t>(term)].has_many_values() ? many_ : atoms_).push_back(term);
    }
    for (const int g : plan_.tops()) {
      terms_.insert(terms_.end(), group(g).terms.begin(), group(g).terms.end());
      tops_.push_back({group(g).seed, terms_.size()});
    }
    for (const WordFoldPlan::Group& word : folding.word_plan.groups()) {
      digits_.insert(digits_.end(), word.digits.begin(), word.digits.end());
      words_.push_back({word.node, word.begin, digits_.size(), &word.templates});
    }
  }

  bool sees_spans() const { return extractor_.sees_spans(); }
  Work work() const {
    Work work{.seen = extractor_.nothing_seen(), .found = FoldedRows::Found(tops_.size() + words_.size())};
    work.weighed.resize(plan_.terms());
    work.places.resize(words_.size());
    work.groups.resize(tops_.size());
    return work;
  }

  void start(Work& work, const EncodedSentence& words) {
    work.plain = false;
    work.word_keys.clear();
    work.lists.clear();
    for (Node node = kNone; node <= words.words(); ++node) {
      work.word_keys.push_back(words.word_key(node));
      folding_.words.ask(work.word_keys.back());
    }
    for (Node node = kNone; node <= words.words() && !work.plain; ++node) {
      const Key key = work.word_keys[static_cast<std::size_t>(node - kNone)];
      work.lists.push_back(folding_.words.find(key));
      work.plain = work.lists.back() == nullptr;
    }
  }

  template <class View>
  void look(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    if (work.plain) [[unlikely]] {
      extractor_.extract(view, words, dependents, work.keys);
      weights_.ask(work.keys);
      return;
    }
    extractor_.exchange(work.seen);
    extractor_.look(view, words, dependents);
    for (const int a : atoms_) weigh(work, a, extractor_.value(a));
    for (const int a : many_) weigh(work, a, extractor_.value_of_many(a, words));
    for (const int node : nodes_)
      weigh(work, plan_.atoms() + node, work.word_keys[static_cast<std::size_t>(extractor_.node(node) - kNone)]);
    const int* term = terms_.data();
    for (std::size_t g = 0; g < tops_.size(); ++g) {
      Key sum = tops_[g].seed;
      for (const int* const end = terms_.data() + tops_[g].terms_end; term != end; ++term)
        sum += work.weighed[static_cast<std::size_t>(*term)];
      work.groups[g] = FoldPlan::spread(sum);
      sums_.ask(work.groups[g]);
    }
    work.keys.clear();
    find_words(work, words);
    for (const int t : plan_.templates()) extractor_.add_keys(static_cast<std::size_t>(t), words, work.keys);
    extractor_.exchange(work.seen);
    for (const Key key : work.keys) folding_.filter.ask(key);
  }

  void find(Work& work, const EncodedSentence&) {
    if (work.plain) [[unlikely]]
      return;
    keep_known(work.keys);
    weights_.ask(work.keys);
    work.missing.clear();
    FoldedRows::Lister list(work.found);
    work.missing_words.clear();
    for (std::size_t i = 0; i < work.words; ++i) {
      const FoldedRows::Sum sum = FoldedWords::load(*work.places[i].sum);
      if (sum == FoldedRows::kNotKept) [[unlikely]] {
        work.missing_words.push_back(work.places[i]);
        continue;
      }
      rows_.ask(sum);
      list.add(sum);
    }
    for (std::size_t g = 0; g < work.groups.size(); ++g) {
      const std::uint32_t sum = sums_.find(work.groups[g]);
      if (sum == 0) [[unlikely]] {
        work.missing.push_back(static_cast<std::uint32_t>(g));
        continue;
      }
      rows_.ask(sum & ~Folding::kZeros);
      list.add(sum & ~Folding::kZeros);
    }
    list.finish();
    for (const std::uint32_t g : work.missing)
      for (const int part : group(plan_.tops()[g]).parts) sums_.ask(plan_.key(group(part), work.weighed));
  }

  void locate(Work& work) { weights_.find(work.keys, work.scores); }

  std::span<const Score> sum(Work& work, const EncodedSentence& words) {
    weights_.sum(work.scores);
    if (work.plain) [[unlikely]]
      return work.scores.of_class;
    Score* const scores = work.scores.of_class.data();
    rows_.sum(work.found, scores);
    if (work.missing.empty() && work.missing_words.empty()) return work.scores.of_class;
    extractor_.exchange(work.seen);
    const auto add = [&](const std::vector<Score>& more) {
      for (std::size_t c = 0; c < rows_.length(); ++c) scores[c] += more[c];
    };
    for (const auto& [sum, templates] : work.missing_words) {
      const std::vector<Score>& more = look_up(*templates, words, level(0));
      add(more);
      FoldedWords::store(*sum, rows_.add(more.data(), chunk_));
    }
    for (const std::uint32_t g : work.missing) add(make(work, plan_.tops()[g], work.groups[g], words, 0));
    extractor_.exchange(work.seen);
    return work.scores.of_class;
  }

  template <class View>
  const std::vector<Key>& keys(Work& work, const View& view, const EncodedSentence& words,
                               const Dependents& dependents) {
    extractor_.extract(view, words, dependents, work.keys);
    return work.keys;
  }

 private:
  struct Level {  // of groups in groups
    explicit Level(std::size_t most) : found(most) {}
    std::vector<Key> keys;
    FoldedRows::Found found;
    Scores scores;
  };

  const FoldPlan::Group& group(int g) const { return plan_.groups()[static_cast<std::size_t>(g)]; }

  void weigh(Work& work, int term, std::uint64_t value) const {
    work.weighed[static_cast<std::size_t>(term)] = plan_.weigh(term, value);
  }

  // Where the sums of templates about words are. Where there is none for a value, their features are looked up.
  void find_words(Work& work, const EncodedSentence& words) {
    Place* place = work.places.data();
    const WordFoldPlan::Digit* digit = digits_.data();
    for (const Word& word : words_) {
      std::uint64_t number = word.begin, unit = 1;
      bool foreseen = true;
      for (const auto* const end = digits_.data() + word.digits_end; digit != end; ++digit) {
        const std::uint64_t value = extractor_.value(digit->atom);
        foreseen &= value < digit->values;
        number += unit * value;
        unit *= digit->values;
      }
      if (!foreseen) {
        for (const int t : *word.templates) extractor_.add_keys(static_cast<std::size_t>(t), words, work.keys);
        continue;
      }
      FoldedRows::Sum* const sum = work.lists[static_cast<std::size_t>(extractor_.node(word.node) - kNone)] + number;
      __builtin_prefetch(sum);
      *place++ = {sum, word.templates};
    }
    work.words = static_cast<std::size_t>(place - work.places.data());
  }

  // Leaves out the keys of features that the model has not.
  void keep_known(std::vector<Key>& keys) const {
    std::size_t kept = 0;
    for (const Key key : keys) {
      keys[kept] = key;
      kept += folding_.filter.may_have(key);
    }
    keys.resize(kept);
  }

  Level& level(std::size_t depth) {
    if (levels_.size() == depth) levels_.push_back(std::make_unique<Level>(plan_.groups().size()));
    return *levels_[depth];
  }

  const std::vector<Score>& look_up(const std::vector<int>& templates, const EncodedSentence& words, Level& level) {
    level.keys.clear();
    for (const int t : templates) extractor_.add_keys(static_cast<std::size_t>(t), words, level.keys);
    keep_known(level.keys);
    weights_.score(level.keys, level.scores);
    return level.scores.of_class;
  }

  // The sum of a group that is not known, which it then is.
  const std::vector<Score>& make(Work& work, int g, Key key, const EncodedSentence& words, std::size_t depth) {
    Level& level = this->level(depth);
    look_up(group(g).templates, words, level);
    Score* const scores = level.scores.of_class.data();
    FoldedRows::Lister list(level.found);
    for (const int part : group(g).parts) {
      const Key part_key = plan_.key(group(part), work.weighed);
      if (const std::uint32_t sum = sums_.find(part_key); sum != 0) {
        list.add(sum & ~Folding::kZeros);
        continue;
      }
      const std::vector<Score>& more = make(work, part, part_key, words, depth + 1);
      for (std::size_t c = 0; c < rows_.length(); ++c) scores[c] += more[c];
    }
    list.finish();
    rows_.sum(level.found, scores);
    if (const FoldedRows::Sum sum = rows_.add(scores, chunk_); sum != FoldedRows::kNotKept)
      sums_.add(key, sum == 0 ? Folding::kZeros : sum);
    return level.scores.of_class;
  }

  struct Top {
    Key seed;
    std::size_t terms_end;  // in `terms_`
  };
  struct Word {
    int node;
    std::size_t begin, digits_end;  // in the list of a word; in `digits_`
    const std::vector<int>* templates;
  };

  Extractor extractor_;
  const Weights& weights_;
  Folding& folding_;
  const FoldPlan& plan_;
  FoldedRows& rows_;
  KeptNumbers& sums_;
  std::vector<int> atoms_, many_, nodes_;  // of which keys are made
  std::vector<Top> tops_;
  std::vector<int> terms_;
  std::vector<Word> words_;
  std::vector<WordFoldPlan::Digit> digits_;
  FoldedRows::Chunk chunk_;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace dynarc
