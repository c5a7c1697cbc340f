// The epoch loop of easy-first, which scores all pairs of its list and stays where it is until it is right.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/any_trainer.hpp"
#include "parse/pairs.hpp"

namespace dynarc {

class EasyFirstTrainer final : public AnyTrainer {
  using Candidate = dynarc::Candidate<float>;

 public:
  // The same features may stand for a right and a wrong action: then no update helps (FEATURES 4).
  static constexpr int kMostUpdates = 200;  // a sentence

  EasyFirstTrainer(EasyFirst system, std::vector<Example> examples, Classes classes, const Templates& templates,
                   const WordEncoder& encoder, int valency_cap, LearnOptions options)
      : AnyTrainer(std::move(examples), std::move(classes), templates, encoder, valency_cap, options),
        system_(system),
        window_(templates) {}

 private:
  // Of the pair that begins at a node. Keys change with the arcs around it, scores also with every update.
  struct Pair {
    std::vector<Key> keys;
    std::vector<float> scores;
    Candidate best;
  };

  void learn(const Example& example) override {
    gold_ = example.gold.get();
    EasyFirst::Costs costs(system_, *gold_);
    system_.start(state_, gold_->words());
    costs.reset(state_);
    dependents_.start(gold_->words(), classes_.labels(), extractor_.sees_spans());
    if (pairs_.size() <= static_cast<std::size_t>(gold_->words())) pairs_.resize(gold_->words() + 1);
    each_pair([&](Node focus) { extract(example, focus); });
    stale_ = true;
    off_path_ = false;
    int updates = 0;
    while (!system_.is_final(state_)) {
      if (stale_) each_pair([&](Node focus) { score(focus); });
      stale_ = false;
      const Candidate predicted = predict();
      if (!predicted) return;  // no label may stand on any arc that is left
      Candidate next = predicted;
      if (!forced()) {
        moment_ += 1;
        ++report_.states;
        report_.off_path += off_path_;
        find_least(costs);
        if (dual_) {
          next = likely_next(costs, predicted);
          follow_gradient(costs);
        } else if (!wanted(costs, predicted)) {
          if (updates++ == kMostUpdates) {
            ++report_.given_up;
            return;
          }
          update(costs, predicted);
          next = after_update(costs, predicted);
        }
        if (next && !wanted(costs, next)) {
          ++report_.explored;
          off_path_ = true;
        }
      }
      if (next) go(example, costs, next);
    }
  }

  // FEATURES 9.3: where to go from a wrong prediction; nowhere is to be scored again (Goldberg & Nivre 2013).
  Candidate after_update(const EasyFirst::Costs& costs, const Candidate& predicted) {
    const Exploration& explore = options_.explore;
    if (options_.oracle == OracleKind::dynamic && explores() && rng_.uniform() < explore.probability) return predicted;
    return explore.random_best ? any_wanted(costs) : Candidate{};
  }

  // The same for adagrad-rda, which learns from every state and need not stay in one.
  Candidate likely_next(const EasyFirst::Costs& costs, const Candidate& predicted) {
    const bool right = wanted(costs, predicted);
    report_.updates += !right;
    if (options_.explore.sample && explores()) return sampled();
    if (right) return predicted;
    const Candidate next = after_update(costs, predicted);
    return next ? next : best_wanted(costs);
  }

  Candidate sampled() {
    std::vector<Candidate> all;
    std::vector<float> scores;
    each_class([&](const Choice&, const Candidate& c) {
      all.push_back(c);
      scores.push_back(c.score);
    });
    return all[draw_by_score(scores)];
  }

  // Towards a greater likelihood of the oracle's actions, among the classes of all pairs, or the legal ones.
  void follow_gradient(const EasyFirst::Costs& costs) {
    const auto classes = static_cast<std::size_t>(classes_.count());
    likelihood_.start();
    competing_.clear();
    std::vector<char> of_pair;
    each_pair([&](Node focus) {
      of_pair.assign(classes, options_.legal_only ? kOutside : 0);
      const PairChoices choices = choices_of(focus);
      for (const Choice& choice : choices.all())
        for (int c = choice.first; c < choice.last; ++c) of_pair[c] = wanted(costs, choice, c);
      for (std::size_t c = 0; c < classes; ++c)
        if (of_pair[c] != kOutside) likelihood_.add(pairs_[focus].scores[c], of_pair[c] != 0);
      competing_.insert(competing_.end(), of_pair.begin(), of_pair.end());
    });
    std::span<const double> gradient = likelihood_.gradient();
    std::size_t at = 0;
    each_pair([&](Node focus) {
      gradients_.clear();
      for (std::size_t c = 0; c < classes; ++c) {
        if (competing_[at++] == kOutside) continue;
        add_gradients(gradient.first(1), static_cast<int>(c), gradients_);
        gradient = gradient.subspan(1);
      }
      dual_->add(pairs_[focus].keys, gradients_, false);
    });
    dual_->count_update();
    stale_ = true;
  }

  void go(const Example& example, EasyFirst::Costs& costs, const Candidate& next) {
    const Choice choice = choice_of(next);
    Transition t{choice.action, classes_.label(next.label)};
    if (t.label == kRestLabel) t.label = rest_label(pairs_[next.focus].keys, choice, *gold_);
    costs.advance(state_, choice.action);
    dependents_.add(choice.arc, t.label);
    system_.apply(state_, t);
    window_.each_touched(state_, choice.arc, [&](Node focus) {
      if (state_.right(focus) == kNone) return;
      extract(example, focus);
      if (!stale_) score(focus);
    });
  }

  template <class F>
  void each_pair(F&& f) const {
    for (Node focus = kRoot; state_.right(focus) != kNone; focus = state_.right(focus)) f(focus);
  }

  void extract(const Example& example, Node focus) {
    extractor_.extract(FocusedList{state_, focus}, example.words, dependents_, pairs_[focus].keys);
  }

  void score(Node focus) {
    Pair& pair = pairs_[focus];
    pair.scores = AnyTrainer::score(pair.keys);
    pair.best = best_of_pair<float>(choices_of(focus), pair.scores, focus);
  }

  PairChoices choices_of(Node focus) const { return {system_, state_, classes_, focus}; }
  Choice choice_of(const Candidate& c) const { return choices_of(c.focus).of(c.label); }

  Candidate predict() const {
    Candidate best;
    each_pair([&](Node focus) {
      if (pairs_[focus].best && pairs_[focus].best.before(best)) best = pairs_[focus].best;
    });
    return best;
  }

  bool forced() const {  // one pair, one class
    if (state_.size() > 2) return false;
    const auto choices = choices_of(kRoot);
    return choices.all().size() == 1 && !leaves_choice(choices.all(), classes_);
  }

  Cost price_of(const EasyFirst::Costs& costs, const Choice& choice, int c) const {
    return costs.cost(state_, choice.action) + label_price(*gold_, choice, c);
  }
  // With the best label.
  Cost least_price(const EasyFirst::Costs& costs, const Choice& choice) const {
    const Node d = choice.arc.dependent;
    const Cost cost = costs.cost(state_, choice.action);
    if (!right(choice) || gold_->label(d) == kNoLabel) return cost;
    const int c = classes_.of(choice.action.move, gold_->label(d), choice.arc);
    return c >= choice.first && c < choice.last ? cost : cost + label_price(*gold_, choice, choice.first);
  }
  bool right(const Choice& choice) const { return is_right(*gold_, choice); }

  // The oracle set is what costs least. The static one holds gold arcs only, those whose dependent has no gold
  // dependent in the list (FEATURES 7); where there is none, as for non-projective trees, it is what costs least, too.
  void find_least(const EasyFirst::Costs& costs) {
    gold_only_ = false;
    bool found = false, found_gold = false;
    Cost least_gold = 0;
    each_choice([&](Node, const Choice& choice) {
      const Cost price = least_price(costs, choice);
      if (!found || price < least_) least_ = price;
      found = true;
      if (options_.oracle != OracleKind::fixed || !right(choice) || costs.cost(state_, choice.action) != 0) return;
      if (!found_gold || price < least_gold) least_gold = price;
      found_gold = true;
    });
    if (!found_gold) return;
    gold_only_ = true;
    least_ = least_gold;
  }

  bool wanted(const EasyFirst::Costs& costs, const Choice& choice, int c) const {
    return price_of(costs, choice, c) == least_ && (!gold_only_ || right(choice));
  }
  bool wanted(const EasyFirst::Costs& costs, const Candidate& c) const { return wanted(costs, choice_of(c), c.label); }

  template <class F>
  void each_choice(F&& f) const {
    each_pair([&](Node focus) {
      const PairChoices choices = choices_of(focus);
      for (const Choice& choice : choices.all()) f(focus, choice);
    });
  }
  template <class F>
  void each_class(F&& f) const {
    each_choice([&](Node focus, const Choice& choice) {
      for (int c = choice.first; c < choice.last; ++c) f(choice, Candidate{pairs_[focus].scores[c], c, focus});
    });
  }

  Candidate best_wanted(const EasyFirst::Costs& costs) const {
    Candidate best;
    each_class([&](const Choice& choice, const Candidate& c) {
      if (c.before(best) && wanted(costs, choice, c.label)) best = c;
    });
    return best;
  }

  Candidate any_wanted(const EasyFirst::Costs& costs) {
    std::vector<Candidate> all;
    each_class([&](const Choice& choice, const Candidate& c) {
      if (wanted(costs, choice, c.label)) all.push_back(c);
    });
    return all[static_cast<std::size_t>(rng_.below(static_cast<int>(all.size())))];
  }

  void update(const EasyFirst::Costs& costs, Candidate against) {
    const Candidate towards = best_wanted(costs);
    double change = 1;
    if (options_.learner == Learner::passive_aggressive) {
      const auto margin = [&](const Choice& choice, const Candidate& c) {
        // A least-cost action that is no gold arc is wrong for the static oracle, too.
        const Cost more = price_of(costs, choice, c.label) - least_;
        const double price = more > 0 ? static_cast<double>(more) / options_.price_unit : 1.0;
        return static_cast<double>(c.score) - static_cast<double>(towards.score) +
               (options_.cost_sensitive ? std::sqrt(price) : 1.0);
      };
      double most = margin(choice_of(against), against);
      if (options_.max_loss)
        each_class([&](const Choice& choice, const Candidate& c) {
          if (wanted(costs, choice, c.label)) return;
          const double now = margin(choice, c);
          const bool first = c.label != against.label ? c.label < against.label : c.focus < against.focus;
          if (now < most || (now == most && !first)) return;
          against = c;
          most = now;
        });
      change = std::min(options_.aggressiveness, most / squared_distance(towards, against));
    }
    ++report_.updates;
    stale_ = true;
    weights_.add(pairs_[towards.focus].keys, towards.label, change, moment_);
    weights_.add(pairs_[against.focus].keys, against.label, -change, moment_);
  }

  // Between the features of two actions: 2 phi of FEATURES 9.2 for two classes of one pair. Two pairs may have
  // different numbers of features, and what they share is lost if the class is the same.
  double squared_distance(const Candidate& a, const Candidate& b) {
    std::vector<Key> of_a = pairs_[a.focus].keys, of_b = pairs_[b.focus].keys;
    std::size_t shared = 0;
    if (a.label == b.label) {
      std::ranges::sort(of_a);
      std::ranges::sort(of_b);
      for (const Key key : of_a) shared += std::ranges::binary_search(of_b, key);
    }
    return static_cast<double>(of_a.size() + of_b.size() - 2 * shared);
  }

  EasyFirst system_;
  PairWindow window_;

  // Of the sentence and the configuration at hand.
  const Gold* gold_ = nullptr;
  ListState state_;
  Dependents dependents_;
  std::vector<Pair> pairs_;
  bool stale_ = false;      // weights have changed since pairs were scored
  Cost least_ = 0;          // what every member of the oracle set costs
  bool gold_only_ = false;  // and all of them are gold arcs
  bool off_path_ = false;   // after a wrong action in this sentence
  static constexpr char kOutside = 2;
  std::vector<char> competing_;  // by pair and class: whether it is the oracle's, or does not compete at all
};

}  // namespace dynarc
