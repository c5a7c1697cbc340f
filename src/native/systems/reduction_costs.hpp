// Costs of the two systems that are not arc-decomposable, arc-standard and Attardi: the search, and the
// system's own polynomial table where the search gives up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systems/reduction_search.hpp"
#include "systems/stack_state.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// How often each tier answered a question about a state: search, table, nobody.
struct Tiers {
  std::size_t searched = 0, tabled = 0, skipped = 0;
};

// `System::table(state, gold, patient)` is the loss still to come by dynamic programming, or nothing where that is not
// exact or too dear.
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

  // If it is more than `most`, some number above that: enough where only the cheapest actions matter, and found sooner.
  Cost cost(const State& s, Action a, Cost most = ReductionSearch::kNoCutoff) {
    return attempt(
        s,
        [&] {
          const Cost now = search_->path(s, nullptr, ReductionSearch::kNoCutoff), step = search_->step(s, a);
          if (most == ReductionSearch::kNoCutoff) return step + search_->path(s, &a, most) - now;
          const Cost left = now + most - step;
          return left < 0 ? most + 1 : step + search_->path(s, &a, left) - now;
        },
        [&]() -> std::optional<Cost> {
          const auto now = table(s);
          return now ? table_step(s, a, *now) : std::nullopt;
        });
  }

  Cost loss(const State& s) {
    return built(s) + attempt(
                          s,
                          [&] { return search_->orphans(s) + search_->path(s, nullptr, ReductionSearch::kNoCutoff); },
                          [&] { return table(s); });
  }

  // Whether nothing has been lost and nothing need be. One pass decides it, however long the exact loss would take.
  bool lossless(const State& s) {
    if (!search_) return loss(s) == 0;
    return built(s) == 0 && search_->orphans(s) == 0 && search_->path(s, nullptr, 0) == 0;
  }

  // The cost-0 actions, with every search cut off as soon as it is known to fail. A state is decided by one tier
  // as a whole: where the search gives up on one action, the others would cost as much for nothing.
  template <class F>
  void each_optimal(const State& s, F&& f) {
    best_.clear();
    attempt(
        s,
        [&] {
          const Cost now = search_->path(s, nullptr, ReductionSearch::kNoCutoff);
          system_.each_legal(s, [&](Action a) {
            const Cost left = now - search_->step(s, a);
            if (left >= 0 && search_->path(s, &a, left) == left) best_.push_back(a);
          });
          return true;
        },
        [&]() -> std::optional<bool> {
          best_.clear();
          const auto now = table(s);
          if (!now) return std::nullopt;
          bool known = true;
          system_.each_legal(s, [&](Action a) {
            const auto change = known ? table_step(s, a, *now) : std::nullopt;
            known = known && change;
            if (known && *change == 0) best_.push_back(a);
          });
          return known ? std::optional(true) : std::nullopt;
        });
    for (const Action a : best_) f(a);
  }

  const Tiers& tiers() const { return tiers_; }

  // States a search may visit before the next tier is tried: in training, where no state may hold up the others, and
  // where a single answer is asked for. docs/results/oracle-speed.md has the measurements behind them.
  static constexpr std::size_t kSearchLimit = 5'000;
  static constexpr std::size_t kPatientLimit = 1'000'000;

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

  // Asked for by name the table may take its time.
  std::optional<Cost> table(const State& s) const { return system_.table(s, gold_, method_ == Method::table); }

  // The cost of `a` where `now` is the loss still to come by the table.
  std::optional<Cost> table_step(const State& s, Action a, Cost now) const {
    State after = s;
    system_.apply(after, {a});
    const auto then = table(after);
    if (!then) return std::nullopt;
    return *then + built(after) - now - built(s);
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
  std::vector<Action> best_;
};

}  // namespace dynarc
