// Comparison of one system's oracle with brute force, over all states and gold trees or a sample of them.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "check/brute_force.hpp"
#include "check/check.hpp"
#include "check/gold_trees.hpp"
#include "systems/cost_source.hpp"
#include "systems/static_oracle.hpp"

namespace dynarc::check {

template <class State>
std::vector<Transition> moves(const State& s) {
  std::vector<Transition> taken;
  for (const Step& step : s.history()) taken.push_back(step.transition);
  return taken;
}

inline void merge(Report& into, const Report& part) {
  into.golds += part.golds;
  into.states += part.states;
  into.costs += part.costs;
  into.wrong_losses += part.wrong_losses;
  into.wrong_costs += part.wrong_costs;
  into.wrong_sets += part.wrong_sets;
  into.incomplete_sets += part.incomplete_sets;
  into.no_free_move += part.no_free_move;
  into.unknown += part.unknown;
  into.exact = into.exact && part.exact;
  if (part.first && (!into.first || part.first->gold.size() < into.first->gold.size() ||
                     (part.first->gold.size() == into.first->gold.size() &&
                      part.first->derivation.size() < into.first->derivation.size())))
    into.first = part.first;
}

// Compares the oracle with the truth at one state, whose true loss and those of its successors are given.
template <class System>
class Judge {
 public:
  using State = typename System::State;
  struct Truth {
    Transition transition;
    Cost loss_after;
  };

  Judge(const System& system, const Gold& gold, const Spec& spec, Report& report)
      : system_(system),
        gold_(gold),
        report_(report),
        source_(make_costs(system, gold, spec.method, spec.inexact, spec.limit)) {
    report_.exact = report_.exact && source_->exact;
  }

  void compare(const State& s, Cost true_loss, const std::vector<Truth>& truths) {
    try {
      compare_known(s, true_loss, truths);
    } catch (const SearchLimit&) {
      ++report_.unknown;
    }
  }

 private:
  void compare_known(const State& s, Cost true_loss, const std::vector<Truth>& truths) {
    source_->look_at(s);
    Cost built_labels = 0;
    for (Node d = 1; d <= gold_.words(); ++d) built_labels += gold_.label_cost({s.head(d), d}, s.label(d));
    const Cost loss = source_->loss(s) + built_labels;
    ++report_.states;
    if (loss != true_loss) {
      ++report_.wrong_losses;
      keep(s, std::nullopt, true_loss, loss);
    }
    Cost least = INT64_MAX;
    costs_.clear();
    for (std::size_t i = 0; i < truths.size(); ++i) {
      const Transition t = truths[i].transition;
      const Cost expected = truths[i].loss_after - true_loss;
      // Labels of one action stand together and share its unlabelled cost.
      if (i == 0 || truths[i - 1].transition.action != t.action) {
        unlabelled_ = source_->cost(s, t.action);
        if constexpr (System::kCostKind == CostKind::reduction) compare_limited(s, t);
      }
      const Cost got = unlabelled_ + gold_.label_cost(system_.arc(s, t.action), t.label);
      costs_.push_back({got, expected});
      least = std::min(least, got);
      ++report_.costs;
      if (got == expected) continue;
      ++report_.wrong_costs;
      keep(s, t, expected, got);
    }
    if (truths.empty()) return;
    bool wrong = false, incomplete = false;
    for (const auto& [got, expected] : costs_) {
      wrong = wrong || (got == least && expected > 0);
      incomplete = incomplete || (got > least && expected == 0);
    }
    report_.wrong_sets += wrong;
    report_.incomplete_sets += incomplete;
    report_.no_free_move += least > 0;
  }

  // Costs that are asked no further than needed, as training does.
  void compare_limited(const State& s, Transition t) {
    for (const Cost most : {Cost{0}, unlabelled_ - 1, unlabelled_, unlabelled_ + 1}) {
      if (most < 0) continue;
      const Cost expected = std::min(unlabelled_, most + 1), got = source_->cost_up_to(s, t.action, most);
      if (std::min(got, most + 1) == expected) continue;
      ++report_.wrong_costs;
      keep(s, t, expected, got);
    }
  }

  void keep(const State& s, std::optional<Transition> t, Cost expected, Cost got) {
    if (report_.first && report_.first->derivation.size() <= s.history().size()) return;
    CounterExample& c = report_.first.emplace();
    c.gold = gold_.heads();
    for (Node d = 0; d <= gold_.words(); ++d) {
      c.gold_labels.push_back(gold_.label(d));
      c.prices.push_back(gold_.price(d));
    }
    c.derivation = moves(s);
    c.transition = t;
    c.expected = expected;
    c.got = got;
  }

  const System& system_;
  const Gold& gold_;
  Report& report_;
  std::unique_ptr<CostSource<State>> source_;
  std::vector<std::pair<Cost, Cost>> costs_;
  Cost unlabelled_ = 0;
};

inline Gold with_prices(const std::vector<Node>& heads, const std::vector<Label>& labels, const Spec& spec, Rng& rng) {
  std::vector<Cost> price(heads.size(), spec.unit), label_price(heads.size());
  if (spec.weights > 0)
    for (Cost& p : price) p = spec.unit * rng.below(spec.weights + 1);
  // A wrong label costs label_price / unit of a wrong head, in whole units.
  for (std::size_t d = 0; d < heads.size(); ++d) label_price[d] = price[d] * spec.label_price / spec.unit;
  return Gold(heads, labels, price, label_price);
}

template <class System>
bool wanted(const System& system, const Gold& gold, Golds golds) {
  switch (golds) {
    case Golds::projective: return gold.projective();
    case Golds::derivable: return gold.complete() && derive(system, gold, ReduceRule::must).has_value();
    default: return true;
  }
}

// Runs work(i) for i in 0..count-1 on some threads; the first exception is thrown again here.
template <class F>
void in_parallel(int threads, std::size_t count, F&& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  std::size_t next = 0;
  const auto loop = [&] {
    for (;;) {
      std::size_t at;
      {
        const std::lock_guard lock(mutex);
        if (next >= count || failure) return;
        at = next++;
      }
      try {
        work(at);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> pool;
  for (int t = 1; t < threads; ++t) pool.emplace_back(loop);
  loop();
  for (std::thread& t : pool) t.join();
  if (failure) std::rethrow_exception(failure);
}

template <class System>
std::vector<Gold> all_golds(const System& system, const Spec& spec) {
  std::vector<Gold> golds;
  Rng rng(spec.seed);
  each_tree(spec.words, spec.partial, [&](const std::vector<Node>& heads) {
    const int kinds = spec.gold_labels < 0 ? spec.labels : spec.gold_labels;
    std::vector<Label> labels(heads.size(), kinds > 0 ? 0 : kNoLabel);
    for (;;) {
      Gold gold = with_prices(heads, labels, spec, rng);
      if (wanted(system, gold, spec.golds)) golds.push_back(std::move(gold));
      if (kinds <= 1) return;
      int d = spec.words;
      while (d >= 1 && labels[d] == kinds - 1) labels[d--] = 0;
      if (d < 1) return;
      ++labels[d];
    }
  });
  return golds;
}

template <class System>
Report exhaustive(const System& system, const Spec& spec) {
  const StateGraph<System> graph(system, spec.words, spec.labels);
  const std::vector<Gold> golds = all_golds(system, spec);
  Report report;
  std::mutex mutex;
  in_parallel(spec.threads, golds.size(), [&](std::size_t at) {
    const Gold& gold = golds[at];
    Report part;
    part.golds = 1;
    const std::vector<Cost> truth = graph.losses(gold, {spec.label_price, spec.unit});
    Judge<System> judge(system, gold, spec, part);
    std::vector<typename Judge<System>::Truth> successors;
    for (std::size_t v = 0; v < truth.size(); ++v) {
      successors.clear();
      for (const auto& edge : graph.vertices()[v].edges) successors.push_back({edge.transition, truth[edge.to]});
      judge.compare(graph.vertices()[v].state, truth[v], successors);
    }
    const std::lock_guard lock(mutex);
    merge(report, part);
  });
  return report;
}

// Random gold trees; along a random walk through each, every state with few enough continuations is compared.
template <class System>
Report sampled(const System& system, const Spec& spec) {
  Report report;
  std::mutex mutex;
  in_parallel(spec.threads, spec.samples, [&](std::size_t at) {
    Rng rng(spec.seed * 1'000'003 + at);
    std::vector<Node> heads;
    const std::vector<Label> labels(spec.words + 1, kNoLabel);
    std::optional<Gold> gold;
    do {
      // Half of the trees are built by the system itself, as others are seldom derivable.
      heads = rng.below(2) ? random_output(system, spec.words, rng) : random_tree(spec.words, rng);
      if (spec.partial)
        for (Node d = 1; d <= spec.words; ++d)
          if (rng.below(4) == 0) heads[d] = kNone;
      gold.emplace(with_prices(heads, labels, spec, rng));
    } while (!wanted(system, *gold, spec.golds));

    Report part;
    part.golds = 1;
    Judge<System> judge(system, *gold, spec, part);
    Lookahead<System> truth(system, *gold, System::kHeadsMatter);
    std::vector<typename System::State> walk(1);
    system.start(walk[0], spec.words);
    std::vector<Action> actions;
    const auto list = [&](const typename System::State& s) {
      actions.clear();
      system.each_legal(s, [&](Action a) { actions.push_back(a); });
    };
    while (!system.is_final(walk.back())) {
      list(walk.back());
      typename System::State next = walk.back();
      system.apply(next, {actions[rng.below(static_cast<int>(actions.size()))]});
      walk.push_back(std::move(next));
    }
    // From the end backwards the truth grows slowly; stop before it becomes too dear.
    std::vector<typename Judge<System>::Truth> successors;
    for (auto s = walk.rbegin(); s != walk.rend() && truth.seen() < 20000; ++s) {
      successors.clear();
      if (!system.is_final(*s)) {
        list(*s);
        for (const Action a : actions) {
          typename System::State after = *s;
          system.apply(after, {a});
          successors.push_back({{a}, truth.loss(after)});
        }
      }
      judge.compare(*s, truth.loss(*s), successors);
    }
    const std::lock_guard lock(mutex);
    merge(report, part);
  });
  return report;
}

}  // namespace dynarc::check
