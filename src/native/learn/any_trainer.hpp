// What every trainer is: examples gone through in random order, weights, and a clock for averages.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "features/extractor.hpp"
#include "learn/options.hpp"
#include "learn/weights.hpp"
#include "model/classes.hpp"
#include "parse/choices.hpp"
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
        extractor_(templates, encoder, classes_.labels(), valency_cap),
        options_(options),
        rng_(options.seed),
        weights_(classes_.count()),
        rest_(std::max(1, classes_.rest_count())),
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

  // All that the next epochs depend on, besides the examples and options.
  std::string state() const {
    ByteWriter out;
    out.put(epoch_);
    out.put(rng_);
    out.put(moment_);
    out.put(rest_moment_);
    out.put(order_);
    weights_.save(out);
    rest_.save(out);
    return out.bytes();
  }
  void restore(std::string_view state) {
    ByteReader in(state);
    std::vector<std::size_t> order;
    in.get(epoch_);
    in.get(rng_);
    in.get(moment_);
    in.get(rest_moment_);
    in.get(order);
    std::vector<std::size_t> sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted.size() != order_.size() || sorted[i] != i) in.fail();
    order_ = std::move(order);
    weights_.restore(in);
    rest_.restore(in);
    in.finish();
  }

  // Starts with these weights instead of none; what their classes are here: -1 for those there are not.
  void start_from(const Weights& weights, const std::vector<int>& classes, const Weights& rest,
                  const std::vector<int>& rest_classes) {
    weights_.start_from(weights, classes);
    rest_.start_from(rest, rest_classes);
  }

  const TrainingWeights& weights() const { return weights_; }
  double moment() const { return std::max(1.0, moment_); }  // scored states so far: what averages are taken over
  const TrainingWeights& rest_weights() const { return rest_; }
  double rest_moment() const { return std::max(1.0, rest_moment_); }

 protected:
  virtual void learn(const Example& example) = 0;

  static bool is_right(const Gold& gold, const Choice& choice) {
    return choice.arc && gold.wanted(choice.arc.dependent) == choice.arc.head;
  }

  // A label has a price only on the right arc (Gold::label_cost). A class for the rest is as good as the label that
  // will be chosen there can be.
  Cost label_price(const Gold& gold, const Choice& choice, int c) const {
    const Label label = classes_.label(c);
    if (label == kRestLabel && classes_.in_rest(choice.action.move, gold.label(choice.arc.dependent))) return 0;
    return gold.label_cost(choice.arc, label);
  }

  bool explores() const { return epoch_ > options_.explore.after_epoch && options_.explore.probability > 0; }

  // Which label of the rest to take, after learning from it where there is a right one. As long as errors are not
  // explored, that one.
  Label rest_label(std::span<const Key> keys, const Choice& choice, const Gold& gold) {
    const Label predicted = best_rest<float>(classes_, choice, rest_.score(keys));
    const Move move = choice.action.move;
    const Label right = is_right(gold, choice) ? gold.label(choice.arc.dependent) : kNoLabel;
    if (!classes_.in_rest(move, right)) return predicted;
    rest_moment_ += 1;
    if (predicted != right)
      rest_.update(keys, classes_.rest_class(move, right), classes_.rest_class(move, predicted), 1, rest_moment_);
    return explores() ? predicted : right;
  }

  Classes classes_;
  Extractor extractor_;
  LearnOptions options_;
  Rng rng_;
  TrainingWeights weights_, rest_;
  double moment_ = 0, rest_moment_ = 0;
  int epoch_ = 0;
  EpochReport report_;

 private:
  std::vector<Example> examples_;
  std::vector<std::size_t> order_;
};

}  // namespace dynarc
