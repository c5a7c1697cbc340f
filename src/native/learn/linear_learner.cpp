#include "learn/linear_learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/collected_weights.hpp"

namespace dynarc {

LinearLearner::LinearLearner(int classes, const LearnOptions& options)
    : classes_(classes), options_(options), rng_(options.seed), weights_(classes) {
  if (options.learner == Learner::adagrad_rda)
    dual_.emplace(classes, DualAverages::Options{options.alpha, options.rho, options.lambda});
}

std::size_t LinearLearner::best(std::span<const Key> keys, std::span<const std::uint16_t> allowed) {
  scores_ = dual_ ? dual_->score(keys) : weights_.score(keys);
  std::size_t best = 0;
  for (std::size_t i = 1; i < allowed.size(); ++i) {
    const float now = scores_[allowed[i]], most = scores_[allowed[best]];
    if (now > most || (now == most && allowed[i] < allowed[best])) best = i;
  }
  return best;
}

void LinearLearner::look(const Decisions::View& decision) {
  predicted_ = best(decision.keys, decision.allowed);
  least_ = *std::ranges::min_element(decision.costs);
  target_ = decision.allowed.size();
  for (std::size_t i = 0; i < decision.allowed.size(); ++i) {
    if (!is_right(decision, i)) continue;
    const bool better = target_ == decision.allowed.size() ||
                        scores_[decision.allowed[i]] > scores_[decision.allowed[target_]] ||
                        (scores_[decision.allowed[i]] == scores_[decision.allowed[target_]] &&
                         decision.allowed[i] < decision.allowed[target_]);
    if (better) target_ = i;
  }
  ++report_.states;
}

std::size_t LinearLearner::learn(const Decisions::View& decision) {
  look(decision);
  moment_ += 1;
  const std::size_t taken = next(decision);
  report_.explored += !is_right(decision, taken);
  const bool right = is_right(decision, predicted_);
  report_.updates += !right;
  if (dual_)
    follow_gradient(decision);
  else if (!right)
    update(decision);
  return taken;
}

std::size_t LinearLearner::follow(const Decisions::View& decision, bool follow) {
  look(decision);
  const std::size_t taken = follow ? predicted_ : target_;
  report_.explored += !is_right(decision, taken);
  return taken;
}

std::size_t LinearLearner::next(const Decisions::View& decision) {
  const Exploration& explore = options_.explore;
  if (explore.sample && explores()) {
    double most = scores_[decision.allowed[predicted_]], all = 0;
    for (const std::uint16_t c : decision.allowed) all += exponential(scores_[c] - most);
    double drawn = rng_.uniform() * all;
    for (std::size_t i = 0; i + 1 < decision.allowed.size(); ++i) {
      drawn -= exponential(scores_[decision.allowed[i]] - most);
      if (drawn < 0) return i;
    }
    return decision.allowed.size() - 1;
  }
  if (is_right(decision, predicted_)) return predicted_;
  if (explores() && rng_.uniform() < explore.probability) return predicted_;
  if (!explore.random_best) return target_;
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < decision.allowed.size(); ++i)
    if (is_right(decision, i)) right.push_back(i);
  return right[static_cast<std::size_t>(rng_.below(static_cast<int>(right.size())))];
}

void LinearLearner::update(const Decisions::View& decision) {
  std::size_t against = predicted_;
  double change = 1;
  if (options_.learner == Learner::passive_aggressive) {
    const auto margin = [&](std::size_t i) {
      const double price = options_.cost_sensitive ? std::sqrt(static_cast<double>(decision.costs[i] - least_)) : 1.0;
      return static_cast<double>(scores_[decision.allowed[i]]) -
             static_cast<double>(scores_[decision.allowed[target_]]) + price;
    };
    if (options_.max_loss)
      for (std::size_t i = 0; i < decision.allowed.size(); ++i)
        if (!is_right(decision, i) && margin(i) > margin(against)) against = i;
    const auto features = static_cast<double>(std::max<std::size_t>(1, decision.keys.size()));
    change = std::min(options_.aggressiveness, margin(against) / (2.0 * features));
  }
  weights_.update(decision.keys, decision.allowed[target_], decision.allowed[against], change, moment_);
}

void LinearLearner::follow_gradient(const Decisions::View& decision) {
  constexpr char kOutside = 2;
  wanted_.assign(static_cast<std::size_t>(classes_), options_.legal_only ? kOutside : 0);
  for (std::size_t i = 0; i < decision.allowed.size(); ++i) wanted_[decision.allowed[i]] = is_right(decision, i);
  likelihood_.start();
  for (int c = 0; c < classes_; ++c)
    if (wanted_[c] != kOutside) likelihood_.add(scores_[c], wanted_[c] != 0);
  const std::span<const double> gradient = likelihood_.gradient();
  gradients_.clear();
  std::size_t i = 0;
  for (int c = 0; c < classes_; ++c) {
    if (wanted_[c] == kOutside) continue;
    const double value = gradient[i++];
    if (std::abs(value) > options_.least_gradient)
      gradients_.push_back({static_cast<std::uint16_t>(c), static_cast<float>(value)});
  }
  dual_->add(decision.keys, gradients_, true);
  dual_->count_update();
}

void LinearLearner::fit(const Decisions& all) {
  start_epoch();
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(rng_.below(static_cast<int>(i)))]);
  for (const std::size_t i : order) learn(all[i]);
}

Weights LinearLearner::weights() const {
  CollectedWeights all;
  const auto add = [&](Key key, int label, double value) { all.add(key, label, value); };
  if (dual_)
    dual_->each_weight(add);
  else
    weights_.each_average(std::max(1.0, moment_), add);
  return all.table(classes_);
}

}  // namespace dynarc
