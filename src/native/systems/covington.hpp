// Covington's non-projective system (Covington 2001, Nivre 2008), with the dynamic oracle of Gómez-Rodríguez
// & Fernández-González (2015).
//
// A configuration looks at one pair of words: j is the front of the buffer j..n, i the last node of list 1 =
// 0..i (empty if i = -1), list 2 lies between them. initial i = 0, j = 1; final j = n + 1.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "systems/arc_store.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

class PairState : public ArcStore {
 public:
  void start(int words) {
    i_ = 0;
    j_ = 1;
    clear_arcs(words);
  }

  Node i() const { return i_; }
  Node j() const { return j_; }

  std::vector<Node> stack_nodes() const { return range(0, i_); }
  std::vector<Node> buffer_nodes() const { return range(j_, words()); }

  bool is_ancestor(Node a, Node x) const {
    while (x > kRoot && x != a) x = head_[x];
    return x == a;
  }

  void shift(Transition t) {
    history_.push_back({t, i_});  // where i was
    i_ = j_++;
  }
  void pass(Transition t) {
    history_.push_back({t, kNone});
    --i_;
  }
  void attach(Arc arc, Transition t) {
    history_.push_back({t, arc.dependent});
    set_arc(arc, t.label);
    --i_;
  }
  void undo() {
    const Step step = history_.back();
    history_.pop_back();
    if (step.transition.action.move == Move::shift) {
      i_ = step.removed;
      --j_;
      return;
    }
    ++i_;
    if (step.transition.action.move == Move::noarc) return;
    drop_arc(step.removed);
  }

  bool same(const PairState& o) const { return i_ == o.i_ && j_ == o.j_ && head_ == o.head_; }
  bool identical(const PairState& o) const { return same(o) && label_ == o.label_ && history_ == o.history_; }

  // Legality asks for ancestors, so all heads belong to the shape.
  void shape(std::vector<Node>& out) const {
    out = {i_, j_};
    out.insert(out.end(), head_.begin(), head_.end());
  }
  void restore(const std::vector<Node>& shape) {
    i_ = shape[0];
    j_ = shape[1];
    head_.assign(shape.begin() + 2, shape.end());
    history_.clear();
  }

  void adopt(const Layout& given) {
    const int n = static_cast<int>(given.head.size()) - 1;
    check_heads(given.head);
    start(n);
    if (given.j < 1 || given.j > n + 1)
      throw TreeError("j must be 1 to " + std::to_string(n + 1) + ", not " + std::to_string(given.j));
    if (given.i < -1 || given.i >= given.j)
      throw TreeError("i must be -1 to j-1 = " + std::to_string(given.j - 1) + ", not " + std::to_string(given.i));
    for (Node d = 1; d <= n; ++d) {
      const Node h = given.head[d];
      if (h == kNone) continue;
      const Node late = std::max(h, d), early = std::min(h, d);
      if (late > given.j || (late == given.j && early <= given.i))
        throw TreeError("arc " + std::to_string(h) + " -> " + std::to_string(d) +
                        " cannot be there yet: that pair has not been looked at");
    }
    i_ = given.i;
    j_ = given.j;
    take_arcs(given);
  }

 private:
  static std::vector<Node> range(Node first, Node last) {
    std::vector<Node> nodes;
    for (Node x = first; x <= last; ++x) nodes.push_back(x);
    return nodes;
  }

  Node i_ = 0, j_ = 1;
};

class Covington {
 public:
  using State = PairState;
  static constexpr const char* kName = "covington";
  static constexpr bool kProjective = false;
  static constexpr bool kLeavesHeadless = true;
  static constexpr bool kHeadsMatter = true;  // to legality, not only whether there is one
  static constexpr CostKind kCostKind = CostKind::approximate;
  static constexpr Options kDefaults{RootPlace::first, Headless::forest, false};
  static constexpr std::array kMovesUsed = {Move::shift, Move::noarc, Move::left, Move::right};

  explicit Covington(Options options) : options_(options) {
    if (options.root == RootPlace::last) throw ConfigError("covington keeps ROOT first");
    if (options.single_root && options.headless == Headless::attach)
      throw ConfigError("headless=\"attach\" would give ROOT several children; it does not go with single_root=True");
  }
  const Options& options() const { return options_; }

  void start(State& s, int words) const { s.start(words); }
  bool is_final(const State& s) const { return s.j() > s.words(); }

  template <class F>
  void each_legal(const State& s, F&& f) const {
    for (const Move m : kMovesUsed)
      if (legal(s, {m})) f(Action{m});
  }

  // Cost of every move: the loss of its successor less the loss now, O(n).
  bool legal(const State& s, Action a) const {
    if (a.node != kNone || is_final(s)) return false;
    const Node i = s.i(), j = s.j();
    switch (a.move) {
      // SHIFT.  Validity: always.  Action: list 2 and j go to list 1; i = j, j = j + 1.
      case Move::shift: return true;
      // NOARC.  Validity: list 1 not empty.  Action: i = i - 1.
      case Move::noarc: return i >= kRoot;
      // LEFT.  Validity: i is a headless word and no ancestor of j.  Action: add j -> i, i = i - 1.
      case Move::left: return i > kRoot && s.headless(i) && !s.is_ancestor(i, j);
      // RIGHT.  Validity: list 1 not empty, j is headless and no ancestor of i; from ROOT, with a single
      // root, only if ROOT has no child yet.  Action: add i -> j, i = i - 1.
      case Move::right:
        return i >= kRoot && s.headless(j) && !s.is_ancestor(j, i) &&
               !(options_.single_root && i == kRoot && root_word(s) != kNone);
      default: return false;
    }
  }

  Arc arc(const State& s, Action a) const {
    if (a.move == Move::left) return {s.j(), s.i()};
    if (a.move == Move::right) return {s.i(), s.j()};
    return {};
  }

  void apply(State& s, Transition t) const {
    switch (t.action.move) {
      case Move::shift: s.shift(t); break;
      case Move::noarc: s.pass(t); break;
      default: s.attach(arc(s, t.action), t);
    }
  }
  void undo(State& s) const { s.undo(); }

  // Headless words become children of ROOT, of the one root word, or stay headless, as the options say.
  void finish(const State& s, std::vector<Node>& heads) const {
    heads = s.heads();
    if (!options_.single_root && options_.headless == Headless::forest) return;
    Node root = options_.single_root ? root_word(s) : kRoot;
    for (Node d = 1; d <= s.words(); ++d) {
      if (heads[d] != kNone) continue;
      if (root == kNone) {
        heads[d] = kRoot;
        root = d;
      } else {
        heads[d] = root;
      }
    }
  }

  void adopt(State& s, const Layout& given) const {
    s.adopt(given);
    if (!options_.single_root) return;
    int roots = 0;
    for (Node d = 1; d <= s.words(); ++d) roots += s.head(d) == kRoot;
    if (roots > 1) throw TreeError("ROOT has " + std::to_string(roots) + " children, but single_root=True allows one");
  }

  std::optional<Action> static_rule(const State& s, const Gold& g, ReduceRule) const {
    const Node i = s.i(), j = s.j();
    if (i > kRoot && g.head(i) == j && legal(s, {Move::left})) return Action{Move::left};
    if (i >= kRoot && g.head(j) == i && legal(s, {Move::right})) return Action{Move::right};
    bool more = s.headless(j) && g.head(j) != kNone && g.head(j) <= i;
    for (const Node d : g.dependents(j)) more = more || (d <= i && s.headless(d));
    if (more && legal(s, {Move::noarc})) return Action{Move::noarc};
    return Action{Move::shift};
  }

  static Node root_word(const State& s) {
    for (Node d = 1; d <= s.words(); ++d)
      if (s.head(d) == kRoot) return d;
    return kNone;
  }

  class Costs;
  class Bound;

 private:
  Options options_;
};

class Covington::Costs {
 public:
  Costs(const Covington& system, const Gold& gold) : system_(system), gold_(gold) {}

  static constexpr const char* kInexactNote =
      "single root: some costs are wrong after errors; method=\"search\" is exact (short sentences)";
  static bool exact_for(const Covington& system, const Gold&) { return !system.options().single_root; }

  void reset(const State&) {}
  void advance(const State&, Action) {}

  Cost cost(const State& s, Action a) {
    after_ = s;
    system_.apply(after_, {a});
    return loss(after_) - loss(s);
  }

  // Gold arcs that are neither built nor reachable, and for each cycle that the reachable ones close with the
  // built ones the cheapest arc that opens it.
  Cost loss(const State& s) {
    const int n = gold_.words();
    next_.assign(n + 1, kNone);
    const Node home = home_of_headless(s);
    const Node root = system_.options().single_root ? Covington::root_word(s) : kNone;
    Cost sum = 0;
    for (Node d = 1; d <= n; ++d) {
      if (!s.headless(d)) {
        sum += gold_.arc_cost(s.head(d), d);
        next_[d] = s.head(d);
        continue;
      }
      const Node g = gold_.wanted(d);
      if (g == kNone) continue;
      const bool root_taken = g == kRoot && root != kNone;
      // A root word that is one only for being the first headless word cannot take words that stand before
      // it.
      const bool goes_home = g == home && (home == kRoot || d > home || !s.headless(home) || ahead(s, kRoot, home));
      const bool reachable = (ahead(s, g, d) && !root_taken) || goes_home || (g == kRoot && d == home);
      if (reachable && !s.is_ancestor(d, g))
        next_[d] = g;
      else
        sum += gold_.price(d);
    }
    // Every node has at most one way up, so cycles are disjoint; each has a word before n.
    seen_.assign(n + 1, kNone);
    for (Node d = 1; d < n; ++d) {
      Node x = d;
      while (x > kRoot && seen_[x] == kNone) {
        seen_[x] = d;
        x = next_[x];
      }
      if (x <= kRoot || seen_[x] != d) continue;
      Cost cheapest = INT64_MAX;
      Node y = x;
      do {
        if (s.headless(y)) cheapest = std::min(cheapest, gold_.price(y));
        y = next_[y];
      } while (y != x);
      sum += cheapest;
    }
    return sum;
  }

 private:
  // The pair is still to be looked at.
  static bool ahead(const State& s, Node a, Node b) {
    const Node late = std::max(a, b), early = std::min(a, b);
    return late > s.j() || (late == s.j() && early <= s.i());
  }

  // Where words that end without a head are attached: ROOT, or with a single root the root word. While there
  // is no root word, the gold one is hoped for if it can still be attached to ROOT, or become the first
  // headless word.
  Node home_of_headless(const State& s) const {
    if (!system_.options().single_root) return system_.options().headless == Headless::attach ? kRoot : kNone;
    if (const Node root = Covington::root_word(s); root != kNone) return root;
    const Node hoped = gold_.single_root();
    if (hoped == kNone || !s.headless(hoped)) return kNone;
    if (ahead(s, kRoot, hoped)) return hoped;
    for (Node d = 1; d < hoped; ++d)
      if (s.headless(d) && !ahead(s, d, s.words())) return kNone;
    return hoped;
  }

  Covington system_;
  const Gold& gold_;
  State after_;
  std::vector<Node> next_, seen_;
};

// What the exact search may rely on whatever the options: a built arc is right or wrong, nothing else is
// settled before the end.
class Covington::Bound {
 public:
  Bound(const Covington& system, const Gold& gold) : system_(system), gold_(gold) {}
  void reset(const State&) {}
  Cost lost(const State& s, Action a) const {
    const Arc built = system_.arc(s, a);
    return built ? gold_.arc_cost(built.head, built.dependent) : 0;
  }
  Cost unreachable(const State& s) const {
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d)
      if (!s.headless(d)) sum += gold_.arc_cost(s.head(d), d);
    return sum;
  }
  std::optional<Action> safe(const State&) const { return std::nullopt; }
  Cost at_end(const State& s) const {
    std::vector<Node> heads;
    system_.finish(s, heads);
    Cost sum = 0;
    for (Node d = 1; d <= gold_.words(); ++d)
      if (s.headless(d)) sum += gold_.arc_cost(heads[d], d);
    return sum;
  }

 private:
  Covington system_;
  const Gold& gold_;
};

}  // namespace dynarc
