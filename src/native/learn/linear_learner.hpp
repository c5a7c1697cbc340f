// The learners of the parser for any task whose decisions have features, classes and costs: one decision at a time, or
// many that were collected (DAgger).
#pragma once

#include <optional>

#include "base/rng.hpp"
#include "learn/dual_averages.hpp"
#include "learn/likelihood.hpp"
#include "learn/options.hpp"
#include "learn/weights.hpp"

namespace dynarc {

// A decision: its features, what may be chosen, and what each of them costs; all of one or several decisions in a row.
class Decisions {
 public:
  struct View {
    std::span<const Key> keys;
    std::span<const std::uint16_t> allowed;
    std::span<const float> costs;
  };

  void add(std::span<const Key> keys, std::span<const std::uint16_t> allowed, std::span<const float> costs) {
    keys_.insert(keys_.end(), keys.begin(), keys.end());
    allowed_.insert(allowed_.end(), allowed.begin(), allowed.end());
    costs_.insert(costs_.end(), costs.begin(), costs.end());
    ends_.push_back({keys_.size(), allowed_.size()});
  }
  std::size_t size() const { return ends_.size(); }
  View operator[](std::size_t i) const {
    const auto [key, choice] = i == 0 ? End{} : ends_[i - 1];
    return {std::span(keys_).subspan(key, ends_[i].key - key),
            std::span(allowed_).subspan(choice, ends_[i].choice - choice),
            std::span(costs_).subspan(choice, ends_[i].choice - choice)};
  }

 private:
  struct End {
    std::size_t key = 0, choice = 0;
  };
  std::vector<Key> keys_;
  std::vector<std::uint16_t> allowed_;
  std::vector<float> costs_;
  std::vector<End> ends_;
};

class LinearLearner {
 public:
  LinearLearner(int classes, const LearnOptions& options);

  int classes() const { return classes_; }
  void start_epoch() {
    ++epoch_;
    report_ = {};
  }
  const EpochReport& report() const { return report_; }

  // The best of what is allowed, of equals the first class; and its place among them.
  std::size_t best(std::span<const Key> keys, std::span<const std::uint16_t> allowed);

  // Scores a decision, learns from it and says which to take next, by its place (FEATURES 9.1 to 9.3; ORACLES 10).
  // Those of least cost are right.
  std::size_t learn(const Decisions::View& decision);
  // The same without learning: what is taken is the prediction if `follow`, else the best-scoring one that is right.
  std::size_t follow(const Decisions::View& decision, bool follow);
  // Once through all, in random order.
  void fit(const Decisions& all);

  // Averaged up to now.
  Weights weights() const;

 private:
  // Of the decision at hand: places of the prediction, of the best-scoring right one, and the least cost.
  void look(const Decisions::View& decision);
  bool is_right(const Decisions::View& decision, std::size_t i) const { return decision.costs[i] <= least_ + kEqual; }
  std::size_t next(const Decisions::View& decision);
  void update(const Decisions::View& decision);
  void follow_gradient(const Decisions::View& decision);
  bool explores() const { return epoch_ > options_.explore.after_epoch && options_.explore.probability > 0; }

  static constexpr float kEqual = 1e-6F;  // costs are sums of weights, which may be rounded

  int classes_;
  LearnOptions options_;
  Rng rng_;
  TrainingWeights weights_;
  std::optional<DualAverages> dual_;
  Likelihood likelihood_;
  std::vector<Gradient> gradients_;
  std::vector<char> wanted_;
  double moment_ = 0;
  int epoch_ = 0;
  EpochReport report_;

  std::span<const float> scores_;
  std::size_t predicted_ = 0, target_ = 0;
  float least_ = 0;
};

}  // namespace dynarc
