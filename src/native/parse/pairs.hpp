// What easy-first chooses between: the adjacent pairs of its list, and which of them an attachment changes.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "features/templates.hpp"
#include "parse/choices.hpp"
#include "systems/easy_first.hpp"

namespace dynarc {

// The legal choices of the pair of `focus` and its right neighbour, at most one for each move.
class PairChoices {
 public:
  PairChoices(const EasyFirst& system, const ListState& s, const Classes& classes, Node focus) {
    const Node right = s.right(focus);
    if (right == kNone) return;
    for (const Action a : {Action{Move::left, right}, Action{Move::right, focus}}) {
      if (!system.legal(s, a)) continue;
      const Arc arc = system.arc(s, a);
      const auto [first, last] = classes.range(a.move, arc);
      if (first < last) choices_[count_++] = {a, arc, first, last};
    }
  }

  std::span<const Choice> all() const { return {choices_.data(), count_}; }
  const Choice& of(int label) const {  // the choice that a class belongs to
    const Choice& front = choices_.front();
    return label >= front.first && label < front.last ? front : choices_[1];
  }

 private:
  std::array<Choice, 2> choices_{};
  std::size_t count_ = 0;
};

// A class of a pair with its score. Classes of all pairs compete (FEATURES 4); of equals the lowest class comes first,
// then the leftmost pair, in training and parsing alike (FEATURES 9.1).
template <class Number>
struct Candidate {
  Number score = 0;
  int label = -1;  // the class; -1 if there is none
  Node focus = kNone;

  explicit operator bool() const { return label >= 0; }
  bool before(const Candidate& o) const {
    if (!o) return true;
    if (score != o.score) return score > o.score;
    return label != o.label ? label < o.label : focus < o.focus;
  }
};

template <class Number>
Candidate<Number> best_of_pair(const PairChoices& choices, std::span<const Number> scores, Node focus) {
  const Best best = best_class<Number>(choices.all(), scores);
  return best.label < 0 ? Candidate<Number>{} : Candidate<Number>{scores[best.label], best.label, focus};
}

// How far around a pair its templates look, in places of the list: from P2 to N2 at most, but for `previous` and
// `next`. A subtree that is built covers a stretch of the sentence, so each such step leads into a neighbour's at most.
class PairWindow {
 public:
  explicit PairWindow(const Templates& templates) {
    std::vector<int> first, last;
    for (const NodePlan& node : templates.nodes()) {
      const bool place = node.is_place;
      first.push_back(place ? node.index : first[node.of] - (node.relation == Relation::previous));
      last.push_back(place ? node.index : last[node.of] + (node.relation == Relation::next));
      before_ = std::max(before_, -first.back());
      after_ = std::max(after_, last.back());
    }
  }

  // Calls f for the left word of every pair that looks different after `arc`, the newest of `s`: those that see the
  // head, those that saw the dependent, and the one that closed the gap. Also for a word that is the last one now.
  template <class F>
  void each_touched(const ListState& s, Arc arc, F&& f) const {
    // The list keeps the neighbours that a word had when it left. With the left one at place 0 and the right one at 1,
    // a pair at i looks at i - before .. i + after; the dependent was between the two.
    const Node left = s.left(arc.dependent);
    int place = 0, from = -after_, to = before_;
    if (arc.head != left) ++from, ++to;
    Node focus = left;
    for (; place > from && s.left(focus) != kNone; --place) focus = s.left(focus);
    for (; place <= to && focus != kNone; ++place, focus = s.right(focus)) f(focus);
  }

 private:
  int before_ = 0, after_ = 1;
};

}  // namespace dynarc
