// Easy-first (Goldberg & Elhadad 2010), with the dynamic oracle of Goldberg & Nivre (2013).
//
//   initial   list [0 1..n]          final   list [0]
//
// L = nodes still in the list. Costs are exact for projective gold, as printed.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "systems/arc_store.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// The list as a doubly linked one, so that an attachment and its undoing are O(1).
class ListState : public ArcStore {
 public:
  void start(int words) {
    left_.resize(words + 2);
    right_.resize(words + 2);
    for (Node x = 0; x <= words; ++x) {
      left_[x] = x - 1;
      right_[x] = x < words ? x + 1 : kNone;
    }
    listed_.assign(words + 1, 1);
    size_ = words + 1;
    clear_arcs(words);
  }

  int size() const { return size_; }
  bool listed(Node x) const { return listed_[x]; }
  Node left(Node x) const { return left_[x]; }  // neighbour in the list, or kNone
  Node right(Node x) const { return right_[x]; }

  std::vector<Node> stack_nodes() const {
    std::vector<Node> list;
    for (Node x = kRoot; x != kNone; x = right_[x]) list.push_back(x);
    return list;
  }
  std::vector<Node> buffer_nodes() const { return {}; }

  void attach(Arc arc, Transition t) {
    const Node d = arc.dependent;
    set_arc(arc, t.label);
    right_[left_[d]] = right_[d];  // ROOT is never a dependent, so there is a left neighbour
    if (right_[d] != kNone) left_[right_[d]] = left_[d];
    listed_[d] = 0;
    --size_;
    history_.push_back({t, d});
  }
  void undo() {
    const Node d = history_.back().removed;
    history_.pop_back();
    right_[left_[d]] = d;
    if (right_[d] != kNone) left_[right_[d]] = d;
    listed_[d] = 1;
    ++size_;
    drop_arc(d);
  }

  bool same(const ListState& o) const { return head_ == o.head_; }
  bool identical(const ListState& o) const {
    return same(o) && label_ == o.label_ && history_ == o.history_ && stack_nodes() == o.stack_nodes();
  }

  void shape(std::vector<Node>& out) const { out = stack_nodes(); }
  void restore(const std::vector<Node>& shape) {
    head_.assign(head_.size(), kRoot);
    listed_.assign(listed_.size(), 0);
    for (std::size_t i = 0; i < shape.size(); ++i) link(shape, i);
    size_ = static_cast<int>(shape.size());
    history_.clear();
  }

  void adopt(const Layout& given) {
    const int n = static_cast<int>(given.head.size()) - 1;
    check_heads(given.head);
    start(n);
    if (!given.buffer.empty()) throw TreeError("easy-first has no buffer: give the list as `stack`");
    listed_.assign(n + 1, 0);
    if (given.stack.empty() || given.stack.front() != kRoot) throw TreeError("the list must start with ROOT (0)");
    for (std::size_t i = 0; i < given.stack.size(); ++i) {
      const Node x = given.stack[i];
      if (x < 0 || x > n || (i > 0 && x <= given.stack[i - 1]))
        throw TreeError("the list must hold nodes 0 to " + std::to_string(n) + " in sentence order; found " +
                        std::to_string(x));
    }
    take_arcs(given);
    size_ = static_cast<int>(given.stack.size());
    for (std::size_t i = 0; i < given.stack.size(); ++i) link(given.stack, i);
    for (Node d = 1; d <= n; ++d) {
      if (listed_[d] && given.head[d] != kNone)
        throw TreeError("word " + std::to_string(d) + " has a head but is still in the list");
      if (!listed_[d] && given.head[d] == kNone)
        throw TreeError("word " + std::to_string(d) + " is not in the list, but has no head");
    }
  }

 private:
  void link(const std::vector<Node>& list, std::size_t i) {
    const Node x = list[i];
    left_[x] = i > 0 ? list[i - 1] : kNone;
    right_[x] = i + 1 < list.size() ? list[i + 1] : kNone;
    listed_[x] = 1;
    head_[x] = kNone;
  }

  std::vector<Node> left_, right_;
  std::vector<char> listed_;
  int size_ = 0;
};

class EasyFirst {
 public:
  using State = ListState;
  static constexpr const char* kName = "easy-first";
  static constexpr bool kProjective = true;
  static constexpr bool kLeavesHeadless = false;
  static constexpr bool kHeadsMatter = false;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::formula;
  static constexpr Options kDefaults{RootPlace::first, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::left, Move::right};

  explicit EasyFirst(Options options) : options_(options) {
    if (options.root == RootPlace::last) throw ConfigError("easy-first keeps ROOT first in its list");
  }
  const Options& options() const { return options_; }

  void start(State& s, int words) const { s.start(words); }
  bool is_final(const State& s) const { return s.size() == 1; }

  template <class F>
  void each_legal(const State& s, F&& f) const {
    for (Node h = kRoot; h != kNone; h = s.right(h))
      for (const Move m : kMovesUsed)
        if (legal(s, {m, h})) f(Action{m, h});
  }

  bool legal(const State& s, Action a) const {
    const Node h = a.node;
    if (h < 0 || h > s.words() || !s.listed(h)) return false;
    switch (a.move) {
      // LEFT@h.   Validity: h has a left neighbour d that is a word.   Action: add h -> d, drop d from the
      // list. RIGHT@h.  Validity: h has a right neighbour d.  Action: the same.  With a single root ROOT
      // takes the last word. Cost of both: d loses its head in L unless that is h, and its dependents in L.
      case Move::left: return s.left(h) > kRoot;
      case Move::right: return s.right(h) != kNone && !(options_.single_root && h == kRoot && s.size() > 2);
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const { return {a.node, a.move == Move::left ? s.left(a.node) : s.right(a.node)}; }
  void apply(State& s, Transition t) const { s.attach(arc(s, t.action), t); }
  void undo(State& s) const { s.undo(); }
  void finish(const State& s, std::vector<Node>& heads) const { heads = s.heads(); }
  void adopt(State& s, const Layout& given) const { s.adopt(given); }

  // No canonical order exists; where one sequence is wanted, the leftmost gold arc whose dependent is
  // finished.
  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule) const {
    for (Node d = s.right(kRoot); d != kNone; d = s.right(d)) {
      bool finished = true;
      for (const Node k : g.dependents(d)) finished = finished && !s.listed(k);
      if (!finished) continue;
      for (const Move m : {Move::left, Move::right}) {
        const Node h = m == Move::left ? s.right(d) : s.left(d);
        if (h != kNone && g.head(d) == h && legal(s, {m, h})) return Action{m, h};
      }
    }
    return std::nullopt;
  }

  class Costs;
  using Bound = Costs;  // of the exact search

 private:
  Options options_;
};

// Costs kept in step with one state, O(1) an action. See ArcEager::Costs for the contract.
class EasyFirst::Costs {
 public:
  Costs(const EasyFirst& system, const Gold& gold) : system_(system), gold_(gold) {}

  static constexpr const char* kInexactNote =
      "arcs counted one by one: never too low, too high for some gold (non-projective trees, or several roots where "
      "one is "
      "demanded); method=\"search\" is exact";
  static bool exact_for(const EasyFirst& system, const Gold& gold) {
    return gold.projective() && (!system.options().single_root || gold.single_root() != kNone);
  }

  void reset(const State& s) {
    listed_dependents_.assign(gold_.words() + 1, 0);
    for (Node d = s.right(kRoot); d != kNone; d = s.right(d))
      if (gold_.wanted(d) != kNone) listed_dependents_[gold_.wanted(d)] += gold_.price(d);
  }

  Cost lost(const State& s, Action a) const {
    const auto [head, d] = system_.arc(s, a);
    const Node wanted = gold_.wanted(d);
    const bool head_lost = wanted != kNone && wanted != head && s.listed(wanted);
    return (head_lost ? gold_.price(d) : 0) + listed_dependents_[d];
  }

  void advance(const State& s, Action a) {
    const Node d = system_.arc(s, a).dependent;
    if (gold_.wanted(d) != kNone) listed_dependents_[gold_.wanted(d)] -= gold_.price(d);
  }

  Cost unreachable(const State& s) const {
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d) {
      const Node h = gold_.wanted(d);
      if (h == kNone) continue;
      if (s.headless(d) ? !s.listed(h) : s.head(d) != h) sum += gold_.price(d);
    }
    return sum;
  }

  Cost cost(const State& s, Action a) const { return lost(s, a); }
  Cost loss(const State& s) const { return unreachable(s); }

  // Attaching a finished word to its gold head, or anywhere once that head is gone, only brings the others
  // closer.
  std::optional<Action> safe(const State& s) const {
    for (Node d = s.right(kRoot); d != kNone; d = s.right(d)) {
      if (listed_dependents_[d] != 0) continue;
      for (const Move m : {Move::left, Move::right}) {
        const Node h = m == Move::left ? s.right(d) : s.left(d);
        if (h != kNone && system_.legal(s, {m, h}) && lost(s, {m, h}) == 0) return Action{m, h};
      }
    }
    return std::nullopt;
  }
  Cost at_end(const State&) const { return 0; }

 private:
  EasyFirst system_;
  const Gold& gold_;
  std::vector<Cost> listed_dependents_;  // price of the gold dependents of a node that are in the list
};

}  // namespace dynarc
