// How the classes of a configuration are scored, in steps between which others are worked on: each asks the memory,
// where everything is far away, for what the next one needs.
//
//   look           sees the configuration and makes keys of it
//   find, locate   find their rows
//   sum            adds them up
#pragma once

#include <span>
#include <vector>

#include "features/extractor.hpp"
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
  Work work(std::size_t) const { return {}; }
  void start(Work&, const EncodedSentence&) {}

  template <class View>
  void look(Work& work, const View& view, const EncodedSentence& words, const Dependents& dependents) {
    extractor_.extract(view, words, dependents, work.keys);
    weights_.ask(work.keys);
    if (sample_ != nullptr && !sample_->full()) sample_->add(extractor_, words);
  }
  void prepare() {}
  void collect(Work&) {}
  void find(Work& work, const EncodedSentence&) { weights_.find(work.keys, work.scores); }
  void locate(Work&) {}
  template <class View>
  std::span<const Score> sum(Work& work, const View&, const EncodedSentence&, const Dependents&) {
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

}  // namespace dynarc
