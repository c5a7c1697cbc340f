// How the classes of a configuration are scored, in three steps between which others are worked on: each asks the
// memory, where everything is far away, for what the next one needs.
//
//   look   sees the configuration and makes keys of it
//   find   finds their rows
//   sum    adds them up
#pragma once

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
  struct Work {  // of one configuration
    std::vector<Key> keys;
    Scores scores;
  };

  // Where `sample` is given, it gets configurations until it is full.
  CompactScorer(Extractor extractor, const Weights& weights, StateSample* sample = nullptr)
      : extractor_(std::move(extractor)), weights_(weights), sample_(sample) {}

  bool sees_spans() const { return extractor_.sees_spans(); }
  Work work() const { return {}; }

  template <class View>
  void look(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    extractor_.extract(view, words, dependents, work.keys);
    weights_.ask(work.keys);
    if (sample_ != nullptr && !sample_->full()) sample_->add(extractor_, words);
  }
  void find(Work& work, const EncodedSentence&) { weights_.find(work.keys, work.scores); }
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

// Groups of features at once, where their sum is known.
class FoldedScorer {
 public:
  struct Work {
    Extractor extractor;
    std::vector<std::uint64_t> parts;  // of the keys of groups, by atom
    std::vector<Key> groups;           // keys
    std::vector<std::uint32_t> rows;   // those that were found, and some room
    std::size_t found = 0;
    std::vector<std::uint32_t> missing;    // groups whose sum is not known
    std::vector<std::size_t> missing_end;  // of their keys in `missing_keys`
    std::vector<Key> keys, missing_keys;   // of features that are looked up one by one
    Scores scores, more;
  };

  FoldedScorer(Extractor extractor, const Weights& weights, const FoldPlan& plan, FoldedRows& rows)
      : extractor_(std::move(extractor)), weights_(weights), plan_(plan), rows_(rows) {}

  bool sees_spans() const { return extractor_.sees_spans(); }
  Work work() const {
    Work work{extractor_, {}, {}, {}, 0, {}, {}, {}, {}, {}, {}};
    work.parts.resize(plan_.multiplier.size());
    work.groups.resize(plan_.groups.size());
    work.rows.resize(2 * plan_.groups.size() + 2);
    return work;
  }

  template <class View>
  void look(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    Extractor& extractor = work.extractor;
    extractor.look(view, words, dependents);
    for (std::size_t a = 0; a < work.parts.size(); ++a)
      work.parts[a] = plan_.part(static_cast<int>(a), extractor.value(static_cast<int>(a)));
    for (const int a : plan_.many)
      work.parts[static_cast<std::size_t>(a)] = plan_.part(a, extractor.value_of_many(a, words));
    for (std::size_t g = 0; g < work.groups.size(); ++g) {
      const FoldPlan::Group& group = plan_.groups[g];
      Key sum = group.seed;
      for (const int a : group.atoms) sum += work.parts[static_cast<std::size_t>(a)];
      work.groups[g] = FoldPlan::spread(sum);
      rows_.ask(work.groups[g]);
    }
    work.keys.clear();
    for (const int t : plan_.alone) extractor.add_keys(static_cast<std::size_t>(t), words, work.keys);
    weights_.ask(work.keys);
  }

  void find(Work& work, const EncodedSentence& words) {
    work.missing.clear();
    std::uint32_t* rows = work.rows.data();
    for (std::size_t g = 0; g < work.groups.size(); ++g) {
      const auto [count, row] = rows_.find(work.groups[g]);
      if (count < 0) [[unlikely]] {
        work.missing.push_back(static_cast<std::uint32_t>(g));
        continue;
      }
      rows[0] = row;
      rows[1] = row + 1;
      rows += count;
    }
    work.found = static_cast<std::size_t>(rows - work.rows.data());
    weights_.find(work.keys, work.scores);
    if (work.missing.empty()) return;
    work.missing_keys.clear();
    work.missing_end.clear();
    for (const std::uint32_t g : work.missing) {
      for (const int t : plan_.groups[g].templates)
        work.extractor.add_keys(static_cast<std::size_t>(t), words, work.missing_keys);
      work.missing_end.push_back(work.missing_keys.size());
    }
    weights_.ask(work.missing_keys);
  }

  std::span<const Score> sum(Work& work, const EncodedSentence&) {
    weights_.sum(work.scores);
    Score* const scores = work.scores.of_class.data();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < work.missing.size(); ++i) {
      const std::size_t end = work.missing_end[i];
      weights_.find({work.missing_keys.data() + begin, end - begin}, work.more);
      weights_.sum(work.more);
      rows_.keep(work.groups[work.missing[i]], work.more.of_class.data());
      for (std::size_t c = 0; c < rows_.length(); ++c) scores[c] += work.more.of_class[c];
      begin = end;
    }
    add_rows(rows_.rows(), {work.rows.data(), work.found}, rows_.length(), scores);
    return work.scores.of_class;
  }

  template <class View>
  const std::vector<Key>& keys(Work& work, const View& view, const EncodedSentence& words,
                               const Dependents& dependents) {
    work.extractor.extract(view, words, dependents, work.keys);
    return work.keys;
  }

 private:
  Extractor extractor_;
  const Weights& weights_;
  const FoldPlan& plan_;
  FoldedRows& rows_;
};

}  // namespace dynarc
