// Costs of the two systems that are not arc-decomposable, arc-standard and Attardi: the search, and the system's own
// polynomial table where the search gives up.
#pragma once

#include <memory>
#include <optional>

#include "systems/reduction_search.hpp"
#include "systems/stack_state.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// How often each tier answered: search, table, nobody.
struct Tiers {
  std::size_t searched = 0, tabled = 0, skipped = 0;
};

// `System::table(state, gold)` is the loss still to come by dynamic programming, or nothing where that is not exact
// or too dear.
template <class System>
class ReductionCosts {
 public:
  using State = StackState;

  ReductionCosts(const System& system, const Gold& gold, Method method = Method::automatic,
                 std::size_t limit = kSearchLimit)
      : system_(system), gold_(gold), method_(method) {
    if (method != Method::table) search_ = ReductionSearch::make(gold, system.reduction_rules(), limit);
  }

  static bool exact_for(const System&, const Gold&) { return true; }

  void reset(const State&) {}
  void advance(const State&, Action) {}

  Cost cost(const State& s, Action a) {
    return attempt(s, [&] {
      const Cost now = search_->path(s, nullptr, ReductionSearch::kNoCutoff);
      return search_->step(s, a) + search_->path(s, &a, ReductionSearch::kNoCutoff) - now;
    }, [&]() -> std::optional<Cost> {
      State after = s;
      system_.apply(after, {a});
      const auto before = system_.table(s, gold_), then = system_.table(after, gold_);
      if (!before || !then) return std::nullopt;
      return *then + built(after) - *before - built(s);
    });
  }

  Cost loss(const State& s) {
    return built(s) + attempt(s, [&] {
      return search_->orphans(s) + search_->path(s, nullptr, ReductionSearch::kNoCutoff);
    }, [&] { return system_.table(s, gold_); });
  }

  // The cost-0 actions, with every search cut off as soon as it is known to fail.
  template <class F>
  void each_optimal(const State& s, F&& f) {
    if (method_ == Method::table) {
      system_.each_legal(s, [&](Action a) { if (cost(s, a) == 0) f(a); });
      return;
    }
    std::optional<Cost> now;
    system_.each_legal(s, [&](Action a) {
      const bool optimal = attempt(s, [&] {
        if (!now) now = search_->path(s, nullptr, ReductionSearch::kNoCutoff);
        const Cost left = *now - search_->step(s, a);
        return left >= 0 && search_->path(s, &a, left) == left;
      }, [&]() -> std::optional<bool> { return cost(s, a) == 0; });
      if (optimal) f(a);
    });
  }

  const Tiers& tiers() const { return tiers_; }

  // States a search may visit before the next tier is tried; see benchmarks/oracles.py for how it was chosen.
  static constexpr std::size_t kSearchLimit = 20000;

 private:
  template <class Searched, class Tabled>
  auto attempt(const State& s, Searched&& searched, Tabled&& tabled) {
    if (search_) {
      try {
        const auto found = searched();
        ++tiers_.searched;
        return found;
      } catch (const SearchLimit&) {
        if (method_ == Method::search) throw;
      }
    }
    if (const auto found = tabled()) {
      ++tiers_.tabled;
      return *found;
    }
    ++tiers_.skipped;
    throw SearchLimit("the exact cost of this state is out of reach: the search gave up and the table " +
                      System::table_needs(s, gold_));
  }

  Cost built(const State& s) const {
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d)
      if (!s.headless(d)) sum += gold_.arc_cost(s.head(d), d);
    return sum;
  }

  System system_;
  const Gold& gold_;
  Method method_;
  std::unique_ptr<ReductionSearch> search_;
  Tiers tiers_;
};

}  // namespace dynarc
