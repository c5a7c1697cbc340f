// What templates ask of the arcs built so far: outermost dependents, how many there are, which labels they have, how
// far subtrees reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/types.hpp"

namespace dynarc {

// How many labels there are, and the numbers by which features know them: their own, unless others were given so that a
// model that knew fewer labels can learn on.
struct LabelValues {
  int count = 0;
  std::vector<std::uint32_t> given = {};    // empty, or one for each label
  std::uint64_t value(Label label) const {  // 0 if there is none
    return label == kNoLabel ? 0 : 1 + std::uint64_t{given.empty() ? static_cast<std::uint32_t>(label) : given[label]};
  }
};

class Dependents {
 public:
  // Spans are kept only if somebody asks for them: that takes time in proportion to the depth of the tree.
  void start(int words, const LabelValues& labels, bool spans) {
    labels_ = &labels;
    spans_ = spans;
    width_ = static_cast<std::size_t>(labels.count + 63) / 64;
    sides_.assign(static_cast<std::size_t>(2 * (words + 2)), {});
    seen_.assign(sides_.size() * width_, 0);
    head_.assign(static_cast<std::size_t>(words + 1), kNone);
    first_.resize(head_.size());
    std::iota(first_.begin(), first_.end(), Node{0});
    last_ = first_;
  }

  void add(Arc arc, Label label) {
    const bool left = arc.dependent < arc.head;
    Side& side = sides_[place(arc.head, left)];
    const auto outer = [&](Node a, Node b) { return left ? a < b : a > b; };
    if (side.first == kNone || outer(arc.dependent, side.first)) {
      side.second = side.first;
      side.first = arc.dependent;
    } else if (side.second == kNone || outer(arc.dependent, side.second)) {
      side.second = arc.dependent;
    }
    ++side.count;
    head_[arc.dependent] = arc.head;
    for (Node x = spans_ ? arc.head : kNone; x != kNone; x = head_[x]) {
      first_[x] = std::min(first_[x], first_[arc.dependent]);
      last_[x] = std::max(last_[x], last_[arc.dependent]);
    }
    if (label == kNoLabel) return;
    std::uint64_t& word = seen_[place(arc.head, left) * width_ + static_cast<std::size_t>(label) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (label % 64);
    if (word & bit) return;
    word |= bit;
    // A sum does not know the order, and each label is in it once: it stands for the set.
    side.labels += labels_->value(label) * 0x9E3779B97F4A7C15u ^ 0x5851F42D4C957F2Du;
  }

  // Also of the node that is not there: it has no dependents.
  Node left1(Node head) const { return sides_[place(head, true)].first; }
  Node left2(Node head) const { return sides_[place(head, true)].second; }
  Node right1(Node head) const { return sides_[place(head, false)].first; }
  Node right2(Node head) const { return sides_[place(head, false)].second; }
  Node outermost(Node head, bool left, bool second) const {
    const Side& side = sides_[place(head, left)];
    return second ? side.second : side.first;
  }
  int valency(Node head, bool left) const { return sides_[place(head, left)].count; }
  std::uint64_t labels(Node head, bool left) const { return sides_[place(head, left)].labels; }
  int valency(Node head) const { return valency(head, true) + valency(head, false); }
  int span(Node head) const { return last_[head] - first_[head]; }  // from the first node of its subtree to the last

 private:
  struct Side {
    Node first = kNone, second = kNone;  // outermost, next to it
    int count = 0;
    std::uint64_t labels = 0;
  };
  static std::size_t place(Node head, bool left) { return static_cast<std::size_t>(2 * (head - kNone) + !left); }

  const LabelValues* labels_ = nullptr;
  std::size_t width_ = 0;
  bool spans_ = false;
  std::vector<Side> sides_;
  std::vector<std::uint64_t> seen_;
  std::vector<Node> head_, first_, last_;
};

}  // namespace dynarc
