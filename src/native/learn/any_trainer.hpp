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
#include "learn/dual_averages.hpp"
#include "learn/likelihood.hpp"
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
    if (options.learner == Learner::adagrad_rda) {
      const DualAverages::Options rule{options.alpha, options.rho, options.lambda};
      dual_.emplace(classes_.count(), rule);
      dual_rest_.emplace(std::max(1, classes_.rest_count()), rule);
    }
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
    if (dual_) {
      dual_->save(out);
      dual_rest_->save(out);
    } else {
      weights_.save(out);
      rest_.save(out);
    }
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
    if (dual_) {
      dual_->restore(in);
      dual_rest_->restore(in);
    } else {
      weights_.restore(in);
      rest_.restore(in);
    }
    in.finish();
  }

  // Starts with these weights instead of none; what their classes are here: -1 for those there are not.
  void start_from(const Weights& weights, const std::vector<int>& classes, const Weights& rest,
                  const std::vector<int>& rest_classes) {
    if (dual_) {
      dual_->start_from(weights, classes);
      dual_rest_->start_from(rest, rest_classes);
    } else {
      weights_.start_from(weights, classes);
      rest_.start_from(rest, rest_classes);
    }
  }

  // Calls f(key, class, weight) for the weights as they are now; of one feature and class there may be two, of which
  // the sum counts. Those of the perceptron are averages over all states that were scored.
  template <class F>
  void each_weight(bool rest, F&& f) const {
    if (dual_)
      (rest ? *dual_rest_ : *dual_).each_weight(f);
    else if (rest)
      rest_.each_average(std::max(1.0, rest_moment_), f);
    else
      weights_.each_average(std::max(1.0, moment_), f);
  }
  bool gives_weights_twice() const { return dual_ && dual_->starts_from_weights(); }

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

  const std::vector<float>& score(std::span<const Key> keys) {
    return dual_ ? dual_->score(keys) : weights_.score(keys);
  }

  // Which label of the rest to take, after learning from it where there is a right one. As long as errors are not
  // explored, that one.
  Label rest_label(std::span<const Key> keys, const Choice& choice, const Gold& gold) {
    const std::vector<float>& scores = dual_ ? dual_rest_->score(keys) : rest_.score(keys);
    const Label predicted = best_rest<float>(classes_, choice, scores);
    const Move move = choice.action.move;
    const Label right = is_right(gold, choice) ? gold.label(choice.arc.dependent) : kNoLabel;
    if (!classes_.in_rest(move, right)) return predicted;
    if (dual_) return likely_rest_label(keys, choice, scores, predicted, right);
    rest_moment_ += 1;
    if (predicted != right)
      rest_.update(keys, classes_.rest_class(move, right), classes_.rest_class(move, predicted), 1, rest_moment_);
    return explores() ? predicted : right;
  }

  // Those of `gradient` that are not next to nothing; the classes are those from `first` on.
  void add_gradients(std::span<const double> gradient, int first, std::vector<Gradient>& out) const {
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (std::abs(gradient[i]) > options_.least_gradient)
        out.push_back({static_cast<std::uint16_t>(first + static_cast<int>(i)), static_cast<float>(gradient[i])});
  }

  // One of `weights`, each as often as it is heavy. Not all of them are 0.
  std::size_t draw(std::span<const double> weights) {
    double all = 0, below = 0;
    for (const double weight : weights) all += weight;
    const double drawn = rng_.uniform() * all;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      last = i;
      below += weights[i];
      if (drawn < below) break;
    }
    return last;
  }
  // The same, of scores: each as often as it is likely.
  std::size_t draw_by_score(std::span<const float> scores) {
    const double most = *std::ranges::max_element(scores);
    likely_.clear();
    for (const float score : scores) likely_.push_back(exponential(score - most));
    return draw(likely_);
  }

  Classes classes_;
  Extractor extractor_;
  LearnOptions options_;
  Rng rng_;
  TrainingWeights weights_, rest_;                // of perceptrons
  std::optional<DualAverages> dual_, dual_rest_;  // of adagrad-rda
  Likelihood likelihood_;
  std::vector<Gradient> gradients_;
  double moment_ = 0, rest_moment_ = 0;
  int epoch_ = 0;
  EpochReport report_;

 private:
  Label likely_rest_label(std::span<const Key> keys, const Choice& choice, std::span<const float> scores,
                          Label predicted, Label right) {
    const auto [from, to] = classes_.labels().of(choice.arc.head == kRoot);
    const Move move = choice.action.move;
    std::vector<Label> labels;
    std::vector<float> of_labels;
    likelihood_.start();
    for (Label label = from; label < to; ++label) {
      if (!classes_.in_rest(move, label)) continue;
      labels.push_back(label);
      of_labels.push_back(scores[classes_.rest_class(move, label)]);
      likelihood_.add(of_labels.back(), label == right);
    }
    Label next = explores() ? predicted : right;
    if (explores() && options_.explore.sample) next = labels[draw_by_score(of_labels)];
    const std::span<const double> gradient = likelihood_.gradient();
    gradients_.clear();
    for (std::size_t i = 0; i < labels.size(); ++i)
      add_gradients(gradient.subspan(i, 1), classes_.rest_class(move, labels[i]), gradients_);
    dual_rest_->add(keys, gradients_, true);
    dual_rest_->count_update();
    return next;
  }

  std::vector<double> likely_;
  std::vector<Example> examples_;
  std::vector<std::size_t> order_;
};

}  // namespace dynarc
