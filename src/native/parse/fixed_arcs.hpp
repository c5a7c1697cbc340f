// Arcs that a parse must contain: which moves still allow all of them (FEATURES 8.3).
//
// The dynamic oracle is bound to the partial tree of the fixed arcs. A move of cost 0 loses none of them, and as long
// as only such moves are taken, the loss stays 0: what remains to be said is where the loss of a partial tree is 0.
// That needs less than its exact loss, which with a single root takes a search:
//
//   arc-eager, arc-hybrid, easy-first   no fixed arc is out of reach by itself, and the fixed root is not stuck
//   arc-standard, attardi               the search; a loss of 0 takes it one pass
//   covington                           the costs without the demand for one root, and ROOT is kept for the fixed root
//   arc-hybrid-swap                     the static-dynamic costs: least cost, for they may be wrong. The caller looks
//   at
//                                       the tree in the end
#pragma once

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "systems/arc_eager.hpp"
#include "systems/arc_hybrid.hpp"
#include "systems/arc_hybrid_swap.hpp"
#include "systems/covington.hpp"
#include "systems/reduction_costs.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// The heads with more of them, so that words need not be swapped for the sake of those that are fixed: a word without a
// head that stands below an arc is hung from the head of that arc, the shortest one. What is left is the order in which
// a tree with the fixed arcs has its words, and that is the order of the sentence unless fixed arcs cross.
inline std::vector<Node> nested_heads(std::vector<Node> heads) {
  const std::vector<Node> fixed = heads;
  const int n = static_cast<int>(heads.size()) - 1;
  const auto hangs_from = [&](Node x, Node top) {
    while (x > kRoot && x != top) x = heads[x];
    return x == top;
  };
  for (Node t = 1; t <= n; ++t) {
    if (fixed[t] != kNone) continue;
    int shortest = n + 1;
    for (Node d = 1; d <= n; ++d) {
      const Node h = fixed[d];
      if (h <= kRoot || t <= std::min(h, d) || t >= std::max(h, d) || std::abs(h - d) >= shortest) continue;
      if (hangs_from(h, t)) continue;
      shortest = std::abs(h - d);
      heads[t] = h;
    }
  }
  return heads;
}

template <class System>
class FixedArcs {
 public:
  using State = typename System::State;

  // `heads` is indexed 0..n, kNone where nothing is fixed. Throws TreeError if they form a cycle.
  FixedArcs(const System& system, std::vector<Node> heads)
      : system_(system), gold_(gold(std::move(heads))), costs_(judge(system), gold_) {
    for (Node d = 1; d <= gold_.words(); ++d)
      if (gold_.wanted(d) == kRoot) {
        root_ = d;
        ++roots_;
      }
    if constexpr (kSwaps) rank_ = inorder_ranks(gold_.heads());
  }

  FixedArcs(const FixedArcs&) = delete;  // the costs refer to its own tree
  FixedArcs& operator=(const FixedArcs&) = delete;

  // `s` is the first configuration. False if no tree of this system has all the arcs.
  bool start(const State& s) {
    costs_.reset(s);
    if (single_root() && roots_ > 1) return false;
    if constexpr (System::kCostKind == CostKind::reduction)
      return costs_.lossless(s);
    else
      return !System::kProjective || gold_.projective();
  }

  // The actions by which all arcs stay possible, out of all that are legal in `s`, which is left as it was.
  const std::vector<Action>& allowed(State& s) {
    allowed_.clear();
    if constexpr (System::kCostKind == CostKind::reduction) {
      costs_.each_optimal(s, [&](Action a) { allowed_.push_back(a); });
    } else {
      // Legal actions are listed first: judging one takes `s` there and back.
      legal_.clear();
      system_.each_legal(s, [&](Action a) { legal_.push_back(a); });
      Cost least = 0;
      if constexpr (kSwaps) least = least_cost(s);
      for (const Action a : legal_)
        if (price(s, a) <= least && root_stays_free(s, a)) allowed_.push_back(a);
    }
    return allowed_;
  }

  // Call before applying `a` to `s`.
  void advance(const State& s, Action a) { costs_.advance(s, a); }

 private:
  static constexpr bool kSwaps = std::is_same_v<System, ArcHybridSwap>;

  // With a single root Covington's costs are not exact. Those without it are, and then only a root that is built too
  // early can take ROOT away from the fixed one; words that end without a head never take a fixed arc away.
  static System judge(const System& system) {
    Options options = system.options();
    if (std::is_same_v<System, Covington>) options.single_root = false;
    return System(options);
  }

  // Arcs that cost nothing cannot be lost: those that are added say only in which order words are to be.
  static Gold gold(std::vector<Node> heads) {
    check_heads(heads);
    if (!kSwaps) return Gold::unlabelled(std::move(heads));
    std::vector<Cost> price;
    for (const Node head : heads) price.push_back(head != kNone);
    const std::size_t size = heads.size();
    return Gold(nested_heads(std::move(heads)), std::vector<Label>(size, kNoLabel), std::move(price),
                std::vector<Cost>(size, 0));
  }

  bool single_root() const { return system_.options().single_root; }

  Cost price(const State& s, Action a) {
    if constexpr (System::kCostKind == CostKind::formula)
      return costs_.lost(s, a);
    else
      return costs_.cost(s, a);
  }

  Cost least_cost(State& s) {
    Cost least = INT64_MAX;
    for (const Action a : legal_)
      if (root_stays_free(s, a)) least = std::min(least, price(s, a));
    return least;
  }

  // Whether, after `a`, the fixed root can still become the one child of ROOT, as far as arcs counted one by one do not
  // say so themselves.
  bool root_stays_free(State& s, Action a) {
    if (!single_root()) return true;
    if constexpr (std::is_same_v<System, Covington>) {
      const Arc arc = system_.arc(s, a);
      return root_ == kNone || !arc || arc.head != kRoot || arc.dependent == root_;
    } else if constexpr (kSwaps) {
      // Only the bottom of the stack can be attached to ROOT; what is swapped back has not come to stay.
      return a.move != Move::shift || s.buffer(0) != root_ || s.depth() == 0 || swapped_back_later(s);
    } else if constexpr (std::is_same_v<System, ArcEager> || std::is_same_v<System, ArcHybrid>) {
      if (!system_.root_last()) return true;
      system_.apply(s, {a});
      const bool free =
          (root_ == kNone || !stuck(s, root_)) && (std::is_same_v<System, ArcHybrid> || !stuck(s, top_of_last_word(s)));
      system_.undo(s);
      return free;
    } else {
      return true;
    }
  }

  // On the stack without a head, but not at its bottom: with ROOT last and one root it will hang from another word.
  static bool stuck(const State& s, Node x) {
    if (!s.headless(x) || (s.depth() > 0 && x == s.bottom())) return false;
    const Node front = s.buffer(0);
    return front == kRoot || x < front;
  }

  // The word that the last one hangs from in the end, by the arcs that are built or fixed. Arc-eager attaches the last
  // word to the right only above a single headless word, which becomes the root (ORACLES 1.4).
  Node top_of_last_word(const State& s) const {
    Node x = gold_.words();
    for (;;) {
      const Node head = s.headless(x) ? gold_.wanted(x) : s.head(x);
      if (head == kNone || head == kRoot) return x;
      x = head;
    }
  }

  bool swapped_back_later(const State& s) const {
    for (int i = 1; i < s.buffer_size(); ++i)
      if (s.buffer(i) > root_ && rank_[s.buffer(i)] < rank_[root_]) return true;
    return false;
  }

  System system_;
  Gold gold_;
  typename System::Costs costs_;
  Node root_ = kNone;  // the word whose fixed head is ROOT, if there is one
  int roots_ = 0;
  std::vector<int> rank_;
  std::vector<Action> legal_, allowed_;
};

}  // namespace dynarc
