// Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011), with the dynamic oracle of Goldberg & Nivre (2013).
//
//             ROOT first (the paper)        ROOT last
//   initial   stack [], buffer [0..n]       stack [], buffer [1..n 0]
//   final     stack [0], buffer []          stack [], buffer [0]
//
// S = whole stack, top, second; B = whole buffer, front = its front. Costs are exact for projective gold, as
// printed.
#pragma once

#include <array>
#include <optional>

#include "systems/arc_counts.hpp"
#include "systems/stack_system.hpp"

namespace dynarc {

class ArcHybrid : public ReducingSystem<ArcHybrid> {
 public:
  static constexpr const char* kName = "arc-hybrid";
  static constexpr bool kProjective = true;
  static constexpr bool kLeavesHeadless = false;
  static constexpr bool kHeadsMatter = false;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::formula;
  static constexpr Options kDefaults{RootPlace::last, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::shift, Move::left, Move::right};

  explicit ArcHybrid(Options options) : ReducingSystem(options) {}

  bool is_final(const State& s) const {
    return root_last() ? s.depth() == 0 && s.buffer_size() == 1 : s.depth() == 1 && s.buffer_size() == 0;
  }

  bool legal(const State& s, Action a) const {
    if (a.node != kNone) return false;
    switch (a.move) {
      // SHIFT.  Validity: buffer not empty, front is not a last-standing ROOT.  Action: push front.
      // Cost: front loses its head in S - top, and its dependents in S.
      case Move::shift: return s.buffer_size() > (root_last() ? 1 : 0);
      // LEFT.  Validity: top is a word, buffer not empty; onto ROOT, with a single root, only the last word
      // left. Action: add front -> top, pop.  Cost: top loses its head in {second} + (B - front), and its
      // dependents in B.
      case Move::left:
        return s.depth() > 0 && s.buffer_size() > 0 && s.stack(0) != kRoot &&
               !(options_.single_root && s.buffer(0) == kRoot && s.depth() > 1);
      // RIGHT.  Validity: two on the stack; onto ROOT, with a single root, only when the buffer is empty.
      // Action: add second -> top, pop.  Cost: top loses its head in B, and its dependents in B.
      case Move::right: return s.depth() > 1 && !(options_.single_root && s.stack(1) == kRoot && s.buffer_size() > 0);
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const {
    if (a.move == Move::left) return {s.buffer(0), s.stack(0)};
    if (a.move == Move::right) return {s.stack(1), s.stack(0)};
    return {};
  }
  static int depth_of_dependent(Move) { return 0; }

  void adopt(State& s, const Layout& given) const {
    ReducingSystem::adopt(s, given);
    if (root_last()) require_root_in_buffer(s);
  }

  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule) const {
    if (s.depth() > 0) {
      const Node top = s.stack(0);
      if (s.buffer_size() > 0 && g.head(top) == s.buffer(0) && legal(s, {Move::left})) return Action{Move::left};
      if (s.depth() > 1 && g.head(top) == s.stack(1) && complete(s, g, top) && legal(s, {Move::right}))
        return Action{Move::right};
    }
    for (const Move m : {Move::shift, Move::right, Move::left})  // off the gold path the last two empty the stack
      if (legal(s, {m})) return Action{m};
    return std::nullopt;
  }

  class Costs;
  using Bound = Costs;  // of the exact search
};

// Costs kept in step with one state, O(1) a move. See ArcEager::Costs for the contract.
class ArcHybrid::Costs : public ArcCounts {
 public:
  Costs(const ArcHybrid& system, const Gold& gold) : ArcCounts(gold), system_(system) {}

  static constexpr const char* kInexactNote =
      "arcs counted one by one: never too low, too high for some gold (non-projective trees, or several roots where "
      "one is "
      "demanded); method=\"search\" is exact";
  static bool exact_for(const ArcHybrid& system, const Gold& gold) {
    return gold.projective() && (!system.options().single_root || gold.single_root() != kNone);
  }

  Cost lost(const State& s, Action a) const {
    switch (a.move) {
      case Move::shift: {
        const Node front = s.buffer(0), head = gold_.wanted(front);
        const bool head_lost = place(head) == Place::stack && head != s.stack(0);
        return price_if(head_lost, front) + on_stack_[front];
      }
      case Move::left: {
        const Node top = s.stack(0), head = gold_.wanted(top);
        const bool head_lost =
            (s.depth() > 1 && head == s.stack(1)) || (place(head) == Place::buffer && head != s.buffer(0));
        return price_if(head_lost, top) + in_buffer_[top];
      }
      default: {
        const Node top = s.stack(0);
        const bool head_lost = place(gold_.wanted(top)) == Place::buffer;
        return price_if(head_lost, top) + in_buffer_[top];
      }
    }
  }

  void advance(const State& s, Action a) {
    const bool shift = a.move == Move::shift;
    const Node x = shift ? s.buffer(0) : s.stack(0), head = gold_.wanted(x);
    place_[x] = shift ? Place::stack : Place::gone;
    if (head == kNone) return;
    if (shift) in_buffer_[head] -= gold_.price(x);
    on_stack_[head] += shift ? gold_.price(x) : -gold_.price(x);
  }

  Cost unreachable(const State& s) const {
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d)
      if (const Node h = gold_.wanted(d); h != kNone && !s.headless(d) && s.head(d) != h) sum += gold_.price(d);
    for (int i = 0; i < s.buffer_size(); ++i)
      if (const Node h = gold_.wanted(s.buffer(i)); h != kNone && place(h) == Place::gone)
        sum += gold_.price(s.buffer(i));
    for (int i = 0; i < s.depth(); ++i) {
      const Node d = s.stack(i), h = gold_.wanted(d);
      const bool just_below = i + 1 < s.depth() && h == s.stack(i + 1);
      if (h != kNone && place(h) != Place::buffer && !just_below) sum += gold_.price(d);
    }
    return sum;
  }

  Cost cost(const State& s, Action a) const {
    if (!watches_root()) return lost(s, a);
    const Node root = gold_.single_root();
    const bool stuck = place(root) == Place::stack && s.bottom() != root;
    bool stuck_after = stuck;
    if (a.move == Move::shift)
      stuck_after |= s.buffer(0) == root && s.depth() > 0;
    else if (s.stack(0) == root)
      stuck_after = false;  // its arc is then built, right or wrong
    return lost(s, a) + (stuck_after - stuck) * gold_.price(root);
  }

  Cost loss(const State& s) const {
    const Node root = gold_.single_root();
    const bool stuck = watches_root() && place(root) == Place::stack && s.bottom() != root;
    return unreachable(s) + (stuck ? gold_.price(root) : 0);
  }

  // Attaching a finished word to its gold head, or anywhere once that head is out of reach, closes no door.
  std::optional<Action> safe(const State& s) const {
    if (s.depth() == 0 || in_buffer_[s.stack(0)] != 0) return std::nullopt;
    for (const Move m : {Move::left, Move::right})
      if (system_.legal(s, {m}) && lost(s, {m}) == 0) return Action{m};
    return std::nullopt;
  }
  Cost at_end(const State&) const { return 0; }

 private:
  // With ROOT last and a single root only the bottom of the stack can be attached to ROOT (FEATURES 8.1).
  bool watches_root() const {
    return system_.options().single_root && system_.root_last() && gold_.single_root() != kNone;
  }

  ArcHybrid system_;
};

}  // namespace dynarc
