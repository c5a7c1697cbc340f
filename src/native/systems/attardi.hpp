// The restricted non-projective parser of Attardi (2006), as in Gómez-Rodríguez, Sartorio & Satta (2014).
//
//   initial   stack [], buffer [0..n] (ROOT first) or [1..n 0] (ROOT last)      final   stack [0], buffer []
//
// ROOT must never become a dependent: the paper leaves that out, and without it configurations exist from
// which the final one cannot be reached.
#pragma once

#include <array>
#include <optional>

#include "systems/reduction_costs.hpp"
#include "systems/stack_system.hpp"

namespace dynarc {

class Attardi : public ReducingSystem<Attardi> {
 public:
  static constexpr const char* kName = "attardi";
  static constexpr bool kProjective = false;
  static constexpr bool kLeavesHeadless = false;
  static constexpr bool kHeadsMatter = false;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::reduction;
  static constexpr Options kDefaults{RootPlace::first, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::shift, Move::left, Move::right, Move::left2, Move::right2};

  explicit Attardi(Options options) : ReducingSystem(options) {}

  bool is_final(const State& s) const { return s.buffer_size() == 0 && s.depth() == 1 && s.stack(0) == kRoot; }

  // Cost of every move: its own arc if wrong, plus what the loss still to come grows by (search or Algorithm
  // 1).
  bool legal(const State& s, Action a) const {
    if (a.node != kNone) return false;
    switch (a.move) {
      // SHIFT.  Validity: buffer not empty; a last-standing ROOT, with a single root, only onto one word.
      // Action: push front.
      case Move::shift:
        return s.buffer_size() > 0 && !(options_.single_root && root_last() && s.buffer(0) == kRoot && s.depth() != 1);
      // LEFT.  Validity: two on the stack, second is a word.  Action: add top -> second, remove second.
      case Move::left: return s.depth() > 1 && s.stack(1) != kRoot;
      // RIGHT.  Validity: two on the stack, top is a word.  Action: add second -> top, pop.
      case Move::right: return s.depth() > 1 && s.stack(0) != kRoot && root_takes(s, s.stack(1));
      // LEFT2.  Validity: three on the stack, third is a word.  Action: add top -> third, remove third.
      case Move::left2: return s.depth() > 2 && s.stack(2) != kRoot;
      // RIGHT2.  Validity: three on the stack, top is a word.  Action: add third -> top, pop.
      case Move::right2: return s.depth() > 2 && s.stack(0) != kRoot && root_takes(s, s.stack(2));
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const {
    switch (a.move) {
      case Move::left: return {s.stack(0), s.stack(1)};
      case Move::right: return {s.stack(1), s.stack(0)};
      case Move::left2: return {s.stack(0), s.stack(2)};
      case Move::right2: return {s.stack(2), s.stack(0)};
      default: return {};
    }
  }
  static int depth_of_dependent(Move m) { return m == Move::left ? 1 : m == Move::left2 ? 2 : 0; }

  // First of LEFT, RIGHT, LEFT2, RIGHT2 that builds a gold arc whose dependent is complete, else SHIFT
  // (Cohen, Gómez-Rodríguez & Satta 2012). Comes to an end on exactly the derivable trees.
  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule) const {
    for (const Move m : {Move::left, Move::right, Move::left2, Move::right2}) {
      if (!legal(s, {m})) continue;
      const auto [head, d] = arc(s, {m});
      if (g.head(d) == head && complete(s, g, d)) return Action{m};
    }
    if (legal(s, {Move::shift})) return Action{Move::shift};
    return std::nullopt;
  }

  ReductionRules reduction_rules() const { return {root_last(), options_.single_root, true}; }

  // Algorithm 1 of Gómez-Rodríguez, Sartorio & Satta (2014), corrected as in ORACLES 5.3: the loss still to
  // come, for whole derivable gold with one price for all arcs, without the single-root demand. Nothing if it does not
  // apply, or would take too long and is not `patient`.
  std::optional<Cost> table(const State& s, const Gold& gold, bool patient) const;
  static bool table_exact_for(const Attardi& system, const Gold& gold);
  static std::string table_needs(const State&, const Gold&) {
    return "(Algorithm 1) takes whole derivable trees with one price for all arcs only, without the single-root "
           "demand, and within its budget";
  }
  // Nodes of the buffer that stage 1 of Algorithm 1 leaves over.
  std::vector<Node> reduced_buffer(const State& s, const Gold& gold) const;

  // Bound on |stack + reduced buffer|^4 |reduced buffer|^4, the work of Algorithm 1 (FEATURES 8.5).
  static constexpr double kTableBudget = 1e9;

  using Costs = ReductionCosts<Attardi>;

 private:
  // With ROOT first and a single root, ROOT takes the last word and no other.
  bool root_takes(const State& s, Node head) const {
    return !(options_.single_root && !root_last() && head == kRoot) || (s.buffer_size() == 0 && s.depth() == 2);
  }
};

}  // namespace dynarc
