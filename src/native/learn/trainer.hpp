// The epoch loop of the systems that take one configuration at a time: all but easy-first.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/any_trainer.hpp"
#include "parse/choices.hpp"
#include "systems/judge.hpp"
#include "systems/reduction_costs.hpp"
#include "systems/static_oracle.hpp"

namespace dynarc {

template <class System>
class Trainer final : public AnyTrainer {
 public:
  using State = typename System::State;

  Trainer(System system, std::vector<Example> examples, Classes classes, const Templates& templates,
          const WordEncoder& encoder, int valency_cap, LearnOptions options)
      : AnyTrainer(std::move(examples), std::move(classes), templates, encoder, valency_cap, options),
        system_(std::move(system)),
        judge_(judge_of(system_)) {}

 private:
  using Costs = typename System::Costs;
  static constexpr bool kSearches = System::kCostKind == CostKind::reduction;

  void learn(const Example& example) override {
    const Gold& gold = *example.gold;
    Costs costs(judge_, gold);
    State s;
    system_.start(s, gold.words());
    costs.reset(s);
    dependents_.start(gold.words(), classes_.labels(), extractor_.sees_spans());
    off_path_ = false;
    while (!system_.is_final(s)) {
      legal_choices(system_, s, classes_, choices_);
      Best next{choices_[0].first, 0};
      if (leaves_choice(choices_, classes_)) next = step(s, example, costs);
      if (next.label < 0) return;
      const Choice choice = choices_[next.choice];
      costs.advance(s, choice.action);
      Transition t{choice.action, classes_.label(next.label)};
      if (t.label == kRestLabel) t.label = rest_label(keys_, choice, gold);
      if (choice.arc) dependents_.add(choice.arc, t.label);
      system_.apply(s, t);
    }
  }

  // Scores a state, learns from it, and says where to go: nowhere if its costs are out of reach. Those of the states
  // that follow mostly are, too, and finding that out takes long.
  Best step(const State& s, const Example& example, Costs& costs) {
    extractor_.extract(s, example.words, dependents_, keys_);
    scores_ = score(keys_);
    moment_ += 1;
    ++report_.states;
    report_.off_path += off_path_;
    const Best predicted = best_class<float>(choices_, scores_);
    gold_ = example.gold.get();
    try {
      if (is_free(s, predicted, costs)) return predicted;
      price(s, costs);
    } catch (const SearchLimit&) {
      ++report_.skipped;
      ++report_.given_up;
      return {};
    }
    const Best wanted = target(s);
    const Best next = next_from(predicted, wanted);
    if (price_of(next) != least_) {
      ++report_.explored;
      off_path_ = true;
    }
    if (dual_)
      follow_gradient();
    else if (price_of(predicted) != least_)
      update(predicted, wanted);
    if (price_of(predicted) != least_) ++report_.updates;
    return next;
  }

  // FEATURES 9.3.
  Best next_from(Best predicted, Best wanted) {
    const Exploration& explore = options_.explore;
    if (explore.sample && explores()) return sampled();
    if (price_of(predicted) == least_) return options_.oracle == OracleKind::fixed ? wanted : predicted;
    if (options_.oracle == OracleKind::dynamic && explores() && rng_.uniform() < explore.probability) return predicted;
    return explore.random_best ? any_wanted() : wanted;
  }

  Best sampled() {
    legal_.clear();
    legal_scores_.clear();
    each_class([&](Best b) {
      legal_.push_back(b);
      legal_scores_.push_back(scores_[b.label]);
    });
    return legal_[draw_by_score(legal_scores_)];
  }

  // Towards a greater likelihood of the oracle's classes, among all or among the legal ones.
  void follow_gradient() {
    wanted_.assign(static_cast<std::size_t>(classes_.count()), options_.legal_only ? kOutside : 0);
    each_class([&](Best b) { wanted_[b.label] = price_of(b) == least_; });
    likelihood_.start();
    for (int c = 0; c < classes_.count(); ++c)
      if (wanted_[c] != kOutside) likelihood_.add(scores_[c], wanted_[c] != 0);
    const std::span<const double> gradient = likelihood_.gradient();
    gradients_.clear();
    std::size_t i = 0;
    for (int c = 0; c < classes_.count(); ++c)
      if (wanted_[c] != kOutside) add_gradients(gradient.subspan(i++, 1), c, gradients_);
    dual_->add(keys_, gradients_, true);
    dual_->count_update();
  }

  // Whether the prediction costs nothing: asked before all else where every answer takes a search, if the answer is all
  // that matters.
  bool is_free(const State& s, Best predicted, Costs& costs) const {
    if constexpr (kSearches) {
      const Choice& choice = choices_[predicted.choice];
      return !dual_ && options_.oracle == OracleKind::dynamic && label_price(choice, predicted.label) == 0 &&
             costs.cost(s, choice.action, 0) == 0;
    }
    return false;
  }

  // The price of every action, and the least that a class can have. Searches end where an action is known not to be
  // free, unless margins are to be known, or nothing is free because the right labels have no class.
  void price(const State& s, Costs& costs) {
    if constexpr (kSearches) {
      if (options_.oracle == OracleKind::dynamic && options_.learner != Learner::passive_aggressive) {
        action_cost_.assign(choices_.size(), 1);
        costs.each_optimal(s, [&](Action a) {
          for (std::size_t i = 0; i < choices_.size(); ++i)
            if (choices_[i].action == a) action_cost_[i] = 0;
        });
        find_least();
        if (least_ == 0) return;
      }
    }
    action_cost_.clear();
    if (options_.oracle == OracleKind::fixed) {
      const auto a = system_.static_rule(s, *gold_, options_.reduce);
      for (const Choice& choice : choices_) action_cost_.push_back(a && choice.action == *a ? 0 : 1);
    } else {
      for (const Choice& choice : choices_) action_cost_.push_back(costs.cost(s, choice.action));
    }
    find_least();
  }

  void find_least() {
    least_ = price_of({choices_[0].first, 0});
    for (std::size_t i = 0; i < choices_.size(); ++i) least_ = std::min(least_, least_of(i));
  }

  Cost label_price(const Choice& choice, int c) const { return AnyTrainer::label_price(*gold_, choice, c); }
  Cost price_of(Best b) const { return action_cost_[b.choice] + label_price(choices_[b.choice], b.label); }
  Cost least_of(std::size_t i) const {
    const Choice& choice = choices_[i];
    if (!is_right(*gold_, choice)) return action_cost_[i];
    const int c = classes_.of(choice.action.move, gold_->label(choice.arc.dependent), choice.arc);
    const bool there = gold_->label(choice.arc.dependent) != kNoLabel && c >= choice.first && c < choice.last;
    return action_cost_[i] + (there ? 0 : label_price(choice, choice.first));
  }

  template <class F>
  void each_class(F&& f) const {
    for (std::size_t i = 0; i < choices_.size(); ++i)
      for (int c = choices_[i].first; c < choices_[i].last; ++c) f(Best{c, i});
  }

  // What is to be learned here: of the classes with the least price the best-scoring one, or that of the static oracle.
  Best target(const State& s) const {
    if (options_.canonical)
      if (const auto a = system_.static_rule(s, *gold_, options_.reduce))
        for (std::size_t i = 0; i < choices_.size(); ++i)
          if (choices_[i].action == *a && least_of(i) == least_) return best_wanted(i, i + 1);
    return best_wanted(0, choices_.size());
  }

  // The best-scoring class of those with the least price, of some choices. One whose label matters has one such class
  // at the most.
  Best best_wanted(std::size_t from, std::size_t to) const {
    Best best;
    const auto consider = [&](Best b) {
      const bool better = best.label < 0 || scores_[b.label] > scores_[best.label] ||
                          (scores_[b.label] == scores_[best.label] && b.label < best.label);
      if (better) best = b;
    };
    for (std::size_t i = from; i < to; ++i) {
      if (least_of(i) != least_) continue;
      const Choice& choice = choices_[i];
      const Label label = choice.arc ? gold_->label(choice.arc.dependent) : kNoLabel;
      const int c = label == kNoLabel ? -1 : classes_.of(choice.action.move, label, choice.arc);
      const bool in_range = c >= choice.first && c < choice.last;
      const int another = c == choice.first ? choice.last - 1 : choice.first;
      if (in_range && label_price(choice, another) != 0)
        consider({c, i});
      else
        for (int k = choice.first; k < choice.last; ++k) consider({k, i});
    }
    return best;
  }

  Best any_wanted() {
    std::vector<Best> all;
    each_class([&](Best b) {
      if (price_of(b) == least_) all.push_back(b);
    });
    return all[static_cast<std::size_t>(rng_.below(static_cast<int>(all.size())))];
  }

  void update(Best predicted, Best wanted) {
    double change = 1;
    if (options_.learner == Learner::passive_aggressive) {
      // Crammer et al. 2006; FEATURES 9.2. The square of the norm is the number of features.
      const auto margin = [&](Best b) {
        const double cost = static_cast<double>(price_of(b) - least_) / options_.price_unit;
        const double price = options_.cost_sensitive ? std::sqrt(cost) : 1.0;
        return static_cast<double>(scores_[b.label]) - static_cast<double>(scores_[wanted.label]) + price;
      };
      if (options_.max_loss)
        each_class([&](Best b) {  // of equals the lowest class
          if (price_of(b) == least_) return;
          const double now = margin(b), most = margin(predicted);
          if (now > most || (now == most && b.label < predicted.label)) predicted = b;
        });
      change = std::min(options_.aggressiveness, margin(predicted) / (2.0 * static_cast<double>(keys_.size())));
    }
    weights_.update(keys_, wanted.label, predicted.label, change, moment_);
  }

  System system_, judge_;

  // Of the state at hand.
  Dependents dependents_;
  std::vector<Key> keys_;
  std::span<const float> scores_;
  Choices choices_;
  std::vector<Cost> action_cost_;
  const Gold* gold_ = nullptr;
  Cost least_ = 0;
  bool off_path_ = false;  // after a wrong move in this sentence
  // Of classes: whether they are the oracle's, or do not compete at all.
  static constexpr char kOutside = 2;
  std::vector<char> wanted_;
  std::vector<Best> legal_;
  std::vector<float> legal_scores_;
};

}  // namespace dynarc
