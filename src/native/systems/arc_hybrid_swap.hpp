// Arc-hybrid with SWAP, with the static-dynamic oracle of de Lhoneux, Stymne & Nivre (2017).
//
//   initial   stack [], buffer [1..n 0]       final   stack [], buffer [0]
//
// SWAP is decided statically, by the order that the words must end in; the other moves dynamically. Not exact
// after errors, so training follows required swaps and explores only other errors; the exact search serves
// short sentences.
#pragma once

#include <array>
#include <optional>

#include "systems/stack_system.hpp"

namespace dynarc {

class ArcHybridSwap : public StackSystem<ArcHybridSwap> {
 public:
  static constexpr const char* kName = "arc-hybrid-swap";
  static constexpr bool kProjective = false;
  static constexpr bool kLeavesHeadless = false;
  static constexpr bool kHeadsMatter = false;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::approximate;
  static constexpr Options kDefaults{RootPlace::last, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::shift, Move::left, Move::right, Move::swap};

  explicit ArcHybridSwap(Options options) : StackSystem(options) {
    if (!root_last()) throw ConfigError("arc-hybrid-swap keeps ROOT last");
  }

  void start(State& s, int words) const {
    s.start(words, RootPlace::last);
    s.allow_swaps();
  }

  bool is_final(const State& s) const { return s.depth() == 0 && s.buffer_size() == 1; }

  bool legal(const State& s, Action a) const {
    if (a.node != kNone) return false;
    switch (a.move) {
      // SHIFT.  Validity: front is a word.  Action: push front.
      // Cost: none if front will be swapped back; else its head in S - top and its dependents in S, if still
      // awaited.
      case Move::shift: return s.buffer(0) != kRoot;
      // LEFT.  Validity: stack not empty; onto ROOT, with a single root, only the last word left.
      // Action: add front -> top, pop.  Cost: the awaited arcs of top other than front -> top.
      case Move::left: return s.depth() > 0 && !(options_.single_root && s.buffer(0) == kRoot && s.depth() > 1);
      // RIGHT.  Validity: two on the stack.
      // Action: add second -> top, pop.  Cost: the awaited arcs of top other than second -> top.
      case Move::right: return s.depth() > 1;
      // SWAP.  Validity: front is a word that stood after top in the sentence.  Action: put top behind front.
      // Cost: 0 if the gold order wants it, and then every other move costs at least 1; else 1.
      case Move::swap: return s.depth() > 0 && s.buffer(0) != kRoot && s.stack(0) < s.buffer(0);
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const {
    if (a.move == Move::left) return {s.buffer(0), s.stack(0)};
    if (a.move == Move::right) return {s.stack(1), s.stack(0)};
    return {};
  }

  void apply(State& s, Transition t) const {
    switch (t.action.move) {
      case Move::shift:
        s.push_front();
        s.record(t);
        break;
      case Move::swap:
        s.swap_back();
        s.record(t);
        break;
      default: {
        const Arc built = arc(s, t.action);
        s.attach(built, t.label);
        s.pop();
        s.record(t, built.dependent);
      }
    }
  }

  void undo(State& s) const {
    const Step step = s.forget();
    switch (step.transition.action.move) {
      case Move::shift: s.undo_push_front(); break;
      case Move::swap: s.undo_swap_back(); break;
      default: s.undo_pop(step.removed); s.undo_attach(step.removed);
    }
  }

  void adopt(State& s, const Layout& given) const {
    s.adopt(given, RootPlace::last, true);
    for (int i = 0; i < s.depth(); ++i)
      if (!s.headless(s.stack(i)))
        throw TreeError("word " + std::to_string(s.stack(i)) +
                        " has a head but is still on the stack; in this system attaching a word removes it");
  }

  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule) const {
    if (s.depth() > 0) {
      const Node top = s.stack(0);
      if (legal(s, {Move::swap})) {
        const std::vector<int> rank = inorder_ranks(g.heads());
        if (rank[top] > rank[s.buffer(0)]) return Action{Move::swap};
      }
      if (complete(s, g, top)) {
        if (g.head(top) == s.buffer(0) && legal(s, {Move::left})) return Action{Move::left};
        if (s.depth() > 1 && g.head(top) == s.stack(1)) return Action{Move::right};
      }
    }
    for (const Move m : {Move::shift, Move::right, Move::left})  // off the gold path the last two empty the stack
      if (legal(s, {m})) return Action{m};
    return std::nullopt;
  }

  class Costs;
  class Bound;
};

// The static-dynamic costs. Which arcs are still awaited depends on the moves taken, so `reset` replays them.
class ArcHybridSwap::Costs {
 public:
  Costs(const ArcHybridSwap& system, const Gold& gold)
      : system_(system), gold_(gold), rank_(inorder_ranks(gold.heads())) {}

  static constexpr const char* kInexactNote =
      "static-dynamic oracle: some costs are wrong after errors; method=\"search\" is exact (short sentences)";
  static bool exact_for(const ArcHybridSwap&, const Gold&) { return false; }

  void reset(const State& s) {
    State replay = s;
    while (!replay.history().empty()) system_.undo(replay);
    awaited_.assign(gold_.words() + 1, 0);
    std::vector<char> present(gold_.words() + 1, 0);
    for (const Node x : replay.stack_nodes()) present[x] = 1;
    for (const Node x : replay.buffer_nodes()) present[x] = 1;
    for (Node d = 1; d <= gold_.words(); ++d)
      awaited_[d] = present[d] && gold_.wanted(d) != kNone && present[gold_.wanted(d)];
    for (const Step& step : s.history()) {
      advance(replay, step.transition.action);
      system_.apply(replay, step.transition);
    }
  }

  Cost cost(const State& s, Action a) const {
    const bool required = swap_required(s);
    if (a.move == Move::swap) return required ? 0 : 1;
    const Cost lost = arcs_lost(s, a);
    return required && lost == 0 ? 1 : lost;
  }

  Cost loss(const State& s) const {
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d) {
      if (!s.headless(d))
        sum += gold_.arc_cost(s.head(d), d);
      else if (!awaited_[d])
        sum += gold_.price(d);
    }
    return sum;
  }

  void advance(const State& s, Action a) {
    if (a.move == Move::swap) return;
    if (a.move == Move::shift) {
      const Node front = s.buffer(0);
      if (swapped_back_later(s, front)) return;
      each_dependent(front, [&](Node d) {
        if (on_stack(s, d)) awaited_[d] = 0;
      });
      if (head_below_top(s, front)) awaited_[front] = 0;
      return;
    }
    const Node top = s.stack(0);
    each_dependent(top, [&](Node d) { awaited_[d] = 0; });
    awaited_[top] = 0;
  }

 private:
  bool swap_required(const State& s) const {
    return system_.legal(s, {Move::swap}) && rank_[s.stack(0)] > rank_[s.buffer(0)];
  }

  Cost arcs_lost(const State& s, Action a) const {
    Cost sum = 0;
    if (a.move == Move::shift) {
      const Node front = s.buffer(0);
      if (swapped_back_later(s, front)) return 0;
      each_dependent(front, [&](Node d) { sum += awaited_[d] && on_stack(s, d) ? gold_.price(d) : 0; });
      if (awaited_[front] && head_below_top(s, front)) sum += gold_.price(front);
      return sum;
    }
    const Arc built = system_.arc(s, a);
    const Node top = built.dependent;
    each_dependent(top, [&](Node d) { sum += awaited_[d] ? gold_.price(d) : 0; });
    if (awaited_[top] && gold_.wanted(top) != built.head) sum += gold_.price(top);
    return sum;
  }

  template <class F>
  void each_dependent(Node h, F&& f) const {
    for (const Node d : gold_.dependents(h))
      if (gold_.wanted(d) == h) f(d);
  }

  bool swapped_back_later(const State& s, Node x) const {
    for (int i = 1; i < s.buffer_size(); ++i) {
      const Node y = s.buffer(i);
      if (y > x && rank_[y] < rank_[x]) return true;
    }
    return false;
  }
  static bool on_stack(const State& s, Node x) {
    for (int i = 0; i < s.depth(); ++i)
      if (s.stack(i) == x) return true;
    return false;
  }
  bool head_below_top(const State& s, Node x) const {
    for (int i = 1; i < s.depth(); ++i)
      if (s.stack(i) == gold_.wanted(x)) return true;
    return false;
  }

  ArcHybridSwap system_;
  const Gold& gold_;
  std::vector<int> rank_;
  std::vector<char> awaited_;  // is the gold arc into this word still thought reachable
};

// What the exact search relies on: an arc is out of reach once one of its ends is gone.
class ArcHybridSwap::Bound {
 public:
  Bound(const ArcHybridSwap& system, const Gold& gold) : system_(system), gold_(gold) {}

  void reset(const State& s) {
    present_.assign(gold_.words() + 1, 0);
    for (int i = 0; i < s.depth(); ++i) present_[s.stack(i)] = 1;
    for (int i = 0; i < s.buffer_size(); ++i) present_[s.buffer(i)] = 1;
  }
  Cost lost(const State& s, Action a) const {
    const Arc built = system_.arc(s, a);
    if (!built) return 0;
    const Node top = built.dependent, head = gold_.wanted(top);
    Cost sum = head != kNone && present_[head] && head != built.head ? gold_.price(top) : 0;
    for (const Node d : gold_.dependents(top)) sum += gold_.wanted(d) == top && present_[d] ? gold_.price(d) : 0;
    return sum;
  }
  Cost unreachable(const State& s) const {
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d) {
      const Node h = gold_.wanted(d);
      if (h != kNone && (s.headless(d) ? !present_[h] : s.head(d) != h)) sum += gold_.price(d);
    }
    return sum;
  }
  std::optional<Action> safe(const State&) const { return std::nullopt; }
  Cost at_end(const State&) const { return 0; }

 private:
  ArcHybridSwap system_;
  const Gold& gold_;
  std::vector<char> present_;
};

}  // namespace dynarc
