// Arc-standard (Nivre 2004), with a cubic table in the manner of Goldberg, Sartorio & Satta (2014) and the
// search.
//
//   initial   stack [], buffer [0..n] (ROOT first) or [1..n 0] (ROOT last)      final   stack [0], buffer []
//
// Not arc-decomposable: arcs that are reachable one by one can exclude each other, so no sum of single arcs
// is exact.
#pragma once

#include <array>
#include <optional>

#include "systems/reduction_costs.hpp"
#include "systems/stack_system.hpp"

namespace dynarc {

class ArcStandard : public ReducingSystem<ArcStandard> {
 public:
  static constexpr const char* kName = "arc-standard";
  static constexpr bool kProjective = true;
  static constexpr bool kLeavesHeadless = false;
  static constexpr bool kHeadsMatter = false;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::reduction;
  static constexpr Options kDefaults{RootPlace::first, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::shift, Move::left, Move::right};

  explicit ArcStandard(Options options) : ReducingSystem(options) {}

  bool is_final(const State& s) const { return s.buffer_size() == 0 && s.depth() == 1 && s.stack(0) == kRoot; }

  // Cost of every move: its own arc if wrong, plus what the loss still to come grows by (table or search).
  bool legal(const State& s, Action a) const {
    if (a.node != kNone) return false;
    switch (a.move) {
      // SHIFT.  Validity: buffer not empty; a last-standing ROOT, with a single root, only onto one word.
      // Action: push front.
      case Move::shift:
        return s.buffer_size() > 0 && !(options_.single_root && root_last() && s.buffer(0) == kRoot && s.depth() != 1);
      // LEFT.  Validity: two on the stack, second is a word.  Action: add top -> second, remove second.
      case Move::left: return s.depth() > 1 && s.stack(1) != kRoot;
      // RIGHT.  Validity: two on the stack, top is a word; onto a first-standing ROOT, with a single root,
      // only when the buffer is empty.  Action: add second -> top, pop.
      case Move::right:
        return s.depth() > 1 && s.stack(0) != kRoot &&
               !(options_.single_root && s.stack(1) == kRoot && s.buffer_size() > 0);
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const {
    if (a.move == Move::left) return {s.stack(0), s.stack(1)};
    if (a.move == Move::right) return {s.stack(1), s.stack(0)};
    return {};
  }
  static int depth_of_dependent(Move m) { return m == Move::left ? 1 : 0; }

  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule) const {
    if (s.depth() > 1) {
      if (g.head(s.stack(1)) == s.stack(0) && legal(s, {Move::left})) return Action{Move::left};
      if (g.head(s.stack(0)) == s.stack(1) && complete(s, g, s.stack(0)) && legal(s, {Move::right}))
        return Action{Move::right};
    }
    for (const Move m : {Move::shift, Move::right, Move::left})  // off the gold path the last two empty the stack
      if (legal(s, {m})) return Action{m};
    return std::nullopt;
  }

  ReductionRules reduction_rules() const { return {root_last(), options_.single_root, false}; }

  // The loss still to come, O(n^3). Exact for projective gold whose arcs have one price (with a single root: for gold
  // that has one). With several prices it is not: reducing the buffer first assumes that what is built there is worth
  // no less than what it may cost elsewhere.
  std::optional<Cost> table(const State& s, const Gold& gold, bool patient) const;
  static bool table_exact_for(const ArcStandard& system, const Gold& gold) {
    return gold.complete() && gold.uniform() && gold.projective() &&
           (!system.options().single_root || gold.single_root() != kNone);
  }
  static std::string table_needs(const State&, const Gold&) {
    return "takes whole projective trees with one price for all arcs only";
  }

  using Costs = ReductionCosts<ArcStandard>;
};

}  // namespace dynarc
