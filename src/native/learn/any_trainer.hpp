// What every trainer is: examples gone through in random order, weights, and a clock for averages.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "features/extractor.hpp"
#include "learn/options.hpp"
#include "learn/weights.hpp"
#include "model/classes.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// What is learned from: words as templates see them, and the tree, whose labels are numbers of classes' labels.
struct Example {
  EncodedSentence words;
  std::shared_ptr<const Gold> gold;
};

class AnyTrainer {
 public:
  AnyTrainer(std::vector<Example> examples, Classes classes, const Templates& templates, const WordEncoder& encoder,
             int valency_cap, const LearnOptions& options)
      : classes_(std::move(classes)),
        extractor_(templates, encoder, valency_cap),
        options_(options),
        rng_(options.seed),
        weights_(classes_.count()),
        examples_(std::move(examples)),
        order_(examples_.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  virtual ~AnyTrainer() = default;

  EpochReport epoch() {
    ++epoch_;
    report_ = {};
    for (std::size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[static_cast<std::size_t>(rng_.below(static_cast<int>(i)))]);
    for (const std::size_t i : order_) {
      learn(examples_[i]);
      ++report_.sentences;
      report_.words += static_cast<std::uint64_t>(examples_[i].words.words());
    }
    return report_;
  }

  const TrainingWeights& weights() const { return weights_; }
  double moment() const { return std::max(1.0, moment_); }  // scored states so far: what averages are taken over

 protected:
  virtual void learn(const Example& example) = 0;

  Classes classes_;
  Extractor extractor_;
  LearnOptions options_;
  Rng rng_;
  TrainingWeights weights_;
  double moment_ = 0;
  int epoch_ = 0;
  EpochReport report_;

 private:
  std::vector<Example> examples_;
  std::vector<std::size_t> order_;
};

}  // namespace dynarc
