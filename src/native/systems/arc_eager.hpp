// Arc-eager (Nivre 2003), with the dynamic oracle of Goldberg & Nivre (2012, 2013).
//
//             ROOT last                        ROOT first
//   initial   stack [], buffer [1..n 0]        stack [0], buffer [1..n]
//   final     stack [], buffer [0]             buffer []
//   output    a projective tree, 2n steps      a projective forest; headless words as `headless` says
//
// S = whole stack, top = its top; B = whole buffer, front = its front. The costs below are exact for
// projective gold. The printed cost lists of both papers leave `front` out of LEFT and `top` out of RIGHT
// (and the 2012 paper the test that a stack word is headless); the authors' released code has them, and so
// has this file.
#pragma once

#include <array>
#include <optional>

#include "systems/arc_counts.hpp"
#include "systems/stack_system.hpp"

namespace dynarc {

class ArcEager : public StackSystem<ArcEager> {
 public:
  static constexpr const char* kName = "arc-eager";
  static constexpr bool kProjective = true;
  static constexpr bool kLeavesHeadless = true;
  static constexpr bool kHeadsMatter = false;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::formula;
  static constexpr Options kDefaults{RootPlace::last, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::shift, Move::left, Move::right, Move::reduce};

  explicit ArcEager(Options options) : StackSystem(options) {
    if (!root_last() && options.single_root)
      throw ConfigError("arc-eager cannot enforce a single root with ROOT first; use root=\"last\"");
    if (root_last() && options.headless == Headless::attach)
      throw ConfigError("headless=\"attach\" needs root=\"first\": with ROOT last arc-eager leaves no word headless");
  }

  void start(State& s, int words) const {
    s.start(words, options_.root);
    if (!root_last()) s.push_front();
  }

  bool is_final(const State& s) const {
    return root_last() ? s.depth() == 0 && s.buffer_size() == 1 : s.buffer_size() == 0;
  }

  bool legal(const State& s, Action a) const {
    if (a.node != kNone || s.buffer_size() == 0) return false;
    const Node front = s.buffer(0);
    // A single root is settled at the last word n: pushed on an empty stack it is the root itself, attached
    // to the right it must leave one headless word below it (FEATURES 8.1, ORACLES 1.4).
    const bool last_word = options_.single_root && front == s.words();
    switch (a.move) {
      // SHIFT.  Validity: front is a word.  Action: push front.
      // Cost: front loses its head on the stack and its headless dependents there.
      case Move::shift: return front != kRoot && !(last_word && s.depth() > 0);
      // RIGHT.  Validity: stack not empty, front is a word.  Action: add top -> front, push front.
      // Cost: front loses every other head on stack or buffer, and its headless dependents on the stack, top
      // too.
      case Move::right: return s.depth() > 0 && front != kRoot && !(last_word && headless_on_stack(s) != 1);
      // LEFT.  Validity: top is a headless word.  Action: add front -> top, pop.
      // Cost: top loses its head in B - front, and its dependents in B, front too.
      // If headless words become children of ROOT, top also loses ROOT.
      case Move::left: return s.depth() > 0 && s.stack(0) != kRoot && s.headless(s.stack(0));
      // REDUCE.  Validity: top has a head.  Action: pop.
      // Cost: top loses its dependents in B.
      case Move::reduce: return s.depth() > 0 && !s.headless(s.stack(0));
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const {
    if (a.move == Move::left) return {s.buffer(0), s.stack(0)};
    if (a.move == Move::right) return {s.stack(0), s.buffer(0)};
    return {};
  }

  void apply(State& s, Transition t) const {
    const Arc built = arc(s, t.action);
    if (built) s.attach(built, t.label);
    switch (t.action.move) {
      case Move::left:
      case Move::reduce: {
        const Node top = s.stack(0);
        s.pop();
        s.record(t, top);
        break;
      }
      default: s.push_front(); s.record(t);
    }
  }

  void undo(State& s) const {
    const Step step = s.forget();
    switch (step.transition.action.move) {
      case Move::left: s.undo_attach(step.removed); [[fallthrough]];
      case Move::reduce: s.undo_pop(step.removed); break;
      case Move::right: s.undo_attach(s.stack(0)); [[fallthrough]];
      default: s.undo_push_front();
    }
  }

  void finish(const State& s, std::vector<Node>& heads) const {
    heads = s.heads();
    if (options_.headless == Headless::attach)
      for (std::size_t d = 1; d < heads.size(); ++d)
        if (heads[d] == kNone) heads[d] = kRoot;
  }

  void adopt(State& s, const Layout& given) const {
    s.adopt(given, options_.root, false);
    if (root_last() && s.buffer_size() == 0) throw TreeError("ROOT (0) must stand last in the buffer");
    if (!root_last() && (s.depth() == 0 || s.bottom() != kRoot))
      throw TreeError("ROOT (0) must stand at the bottom of the stack");
    for (int i = 0; i < s.depth(); ++i) {
      const Node x = s.stack(i);
      if (!s.headless(x) && (i + 1 == s.depth() || s.head(x) != s.stack(i + 1)))
        throw TreeError("word " + std::to_string(x) + " is on the stack with head " + std::to_string(s.head(x)) +
                        ", but a stack word can only hang from the node just below it");
    }
  }

  // Goldberg & Nivre 2012, Algorithm 1 (`must`); `can` reduces as soon as the top is finished.
  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule reduce) const {
    const Node front = s.buffer(0);
    if (s.depth() > 0) {
      const Node top = s.stack(0);
      if (g.head(top) == front && legal(s, {Move::left})) return Action{Move::left};
      if (g.head(front) == top && legal(s, {Move::right})) return Action{Move::right};
      bool wanted = reduce == ReduceRule::can && complete(s, g, top);
      for (int i = 1; i < s.depth() && !wanted; ++i)
        wanted = g.head(front) == s.stack(i) || g.head(s.stack(i)) == front;
      if (wanted && legal(s, {Move::reduce})) return Action{Move::reduce};
    }
    if (legal(s, {Move::shift})) return Action{Move::shift};
    // ROOT stands in front: nothing is left to do but to empty the stack.
    if (legal(s, {Move::reduce})) return Action{Move::reduce};
    if (legal(s, {Move::left})) return Action{Move::left};
    return std::nullopt;
  }

  class Costs;
  using Bound = Costs;  // of the exact search

 private:
  static int headless_on_stack(const State& s) {
    int count = 0;
    for (int i = 0; i < s.depth(); ++i) count += s.headless(s.stack(i));
    return count;
  }
};

// Costs kept in step with one state, O(1) a move (ORACLES 1.6). `lost` and `unreachable` count single arcs
// and hold for any gold; `cost` and `loss` are exact where `exact_for` says so.
class ArcEager::Costs : public ArcCounts {
 public:
  Costs(const ArcEager& system, const Gold& gold) : ArcCounts(gold), system_(system) {}

  static constexpr const char* kInexactNote =
      "arcs counted one by one: never too low, too high for some gold (non-projective trees, or several roots where "
      "one is "
      "demanded); method=\"search\" is exact";
  static bool exact_for(const ArcEager& system, const Gold& gold) {
    if (!gold.projective()) return false;
    return !system.options().single_root || (gold.single_root() != kNone && gold.uniform());
  }

  // Price of the gold arcs that are reachable now, each by itself, and no longer after `a`.
  Cost lost(const State& s, Action a) const {
    const bool attach = system_.options().headless == Headless::attach;
    const Node front = s.buffer(0);
    const Node front_head = gold_.wanted(front);
    switch (a.move) {
      case Move::shift: {
        const bool head_lost = place(front_head) == Place::stack && !(attach && front_head == kRoot);
        return price_if(head_lost, front) + on_stack_[front];
      }
      case Move::right: {
        const bool head_lost = place(front_head) != Place::gone && front_head != s.stack(0);
        return price_if(head_lost, front) + on_stack_[front];
      }
      case Move::left: {
        const Node top = s.stack(0), top_head = gold_.wanted(top);
        const bool head_lost = place(top_head) == Place::buffer && top_head != front;
        const bool root_lost = attach && top_head == kRoot;
        return price_if(head_lost || root_lost, top) + in_buffer_[top];
      }
      default: return in_buffer_[s.stack(0)];
    }
  }

  // Call before applying `a` to `s`.
  void advance(const State& s, Action a) {
    switch (a.move) {
      case Move::shift:
      case Move::right: {
        const Node front = s.buffer(0), head = gold_.wanted(front);
        place_[front] = Place::stack;
        if (head == kNone) break;
        in_buffer_[head] -= gold_.price(front);
        if (a.move == Move::shift) on_stack_[head] += gold_.price(front);
        break;
      }
      default: {
        const Node top = s.stack(0), head = gold_.wanted(top);
        place_[top] = Place::gone;
        if (a.move == Move::left && head != kNone) on_stack_[head] -= gold_.price(top);
      }
    }
  }

  // Price of the gold arcs that cannot be reached any more, each by itself.
  Cost unreachable(const State& s) const {
    const bool attach = system_.options().headless == Headless::attach;
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d) {
      const Node h = gold_.wanted(d);
      if (h == kNone || (attach && h == kRoot && s.headless(d))) continue;
      bool reachable;
      if (!s.headless(d))
        reachable = s.head(d) == h;
      else if (place(d) == Place::buffer)
        reachable = place(h) != Place::gone;
      else
        reachable = place(h) == Place::buffer;
      if (!reachable) sum += gold_.price(d);
    }
    return sum;
  }

  Cost cost(const State& s, Action a) const {
    if (!one_root()) return lost(s, a);
    return lost(s, a) + one_root_loss(s, after(s, a)) - one_root_loss(s, now(s));
  }

  Cost loss(const State& s) const { return unreachable(s) + (one_root() ? one_root_loss(s, now(s)) : 0); }

  // A move that can be taken at once without losing anything by any later choice: prunes searches.
  std::optional<Action> safe(const State& s) const {
    if (s.depth() > 0 && !s.headless(s.stack(0)) && in_buffer_[s.stack(0)] == 0) return Action{Move::reduce};
    return std::nullopt;
  }
  Cost at_end(const State&) const { return 0; }

 private:
  bool one_root() const { return system_.options().single_root && gold_.single_root() != kNone; }

  // A configuration that differs from the tracked one by at most one node: lets the successors be judged in
  // place.
  struct View {
    Node bottom;  // kNone if the stack is empty
    Node moved = kNone;
    Place moved_to = Place::gone;
    Node moved_head = kNone;
  };
  View now(const State& s) const { return {s.depth() > 0 ? s.bottom() : kNone}; }
  View after(const State& s, Action a) const {
    const Node bottom = s.depth() > 0 ? s.bottom() : kNone;
    if (a.move == Move::shift || a.move == Move::right) {
      const Node front = s.buffer(0);
      return {bottom == kNone ? front : bottom, front, Place::stack, a.move == Move::right ? s.stack(0) : kNone};
    }
    const Node top = s.stack(0);
    return {s.depth() > 1 ? bottom : kNone, top, Place::gone, a.move == Move::left ? s.buffer(0) : s.head(top)};
  }

  // What the demand for one root costs beyond the arcs lost by themselves (ORACLES 1.4): the gold root may be
  // stuck above the bottom of the stack, and so may the word that the last word will hang from.
  Cost one_root_loss(const State& s, const View& v) const {
    const auto where = [&](Node x) { return x == v.moved ? v.moved_to : place(x); };
    const auto head = [&](Node x) { return x == v.moved ? v.moved_head : s.head(x); };
    const auto above_bottom = [&](Node x) { return where(x) == Place::stack && x != v.bottom; };
    const Node root = gold_.single_root();
    Cost terms = head(root) == kNone && above_bottom(root);
    Node x = s.words();
    // With gold that this is not exact for, built and wanted arcs can form a circle: the count ends the climb.
    for (int climbed = 0; climbed <= s.words(); ++climbed) {
      if (const Node h = head(x); h != kNone) {
        x = h;
        if (x == kRoot) break;
        continue;
      }
      const Node h = gold_.wanted(x);
      if (h == kRoot) break;
      const bool reachable =
          where(x) == Place::buffer ? where(h) != Place::gone : where(x) == Place::stack && where(h) == Place::buffer;
      if (!reachable) break;
      x = h;
    }
    terms += x != kRoot && above_bottom(x);
    return terms * gold_.price(root);
  }

  ArcEager system_;
};

}  // namespace dynarc
