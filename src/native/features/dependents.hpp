// What templates ask of the arcs built so far: outermost dependents, how many there are, which labels they have.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace dynarc {

class Dependents {
 public:
  void start(int words, int labels) {
    width_ = static_cast<std::size_t>(labels + 63) / 64;
    sides_.assign(static_cast<std::size_t>(2 * (words + 1)), {});
    seen_.assign(sides_.size() * width_, 0);
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
    if (label == kNoLabel) return;
    std::uint64_t& word = seen_[place(arc.head, left) * width_ + static_cast<std::size_t>(label) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (label % 64);
    if (word & bit) return;
    word |= bit;
    // A sum does not know the order, and each label is in it once: it stands for the set.
    side.labels += (static_cast<std::uint64_t>(label) + 1) * 0x9E3779B97F4A7C15u ^ 0x5851F42D4C957F2Du;
  }

  Node left1(Node head) const { return sides_[place(head, true)].first; }
  Node left2(Node head) const { return sides_[place(head, true)].second; }
  Node right1(Node head) const { return sides_[place(head, false)].first; }
  Node right2(Node head) const { return sides_[place(head, false)].second; }
  int valency(Node head, bool left) const { return sides_[place(head, left)].count; }
  std::uint64_t labels(Node head, bool left) const { return sides_[place(head, left)].labels; }

 private:
  struct Side {
    Node first = kNone, second = kNone;  // outermost, next to it
    int count = 0;
    std::uint64_t labels = 0;
  };
  static std::size_t place(Node head, bool left) { return static_cast<std::size_t>(2 * head + !left); }

  std::size_t width_ = 0;
  std::vector<Side> sides_;
  std::vector<std::uint64_t> seen_;
};

}  // namespace dynarc
