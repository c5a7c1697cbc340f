// What a parser chooses between: moves, those that build arcs once for every label.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace dynarc {

// Labels are in an order in which those of arcs between words come first and those of arcs from ROOT last; the ones
// that are both stand in the middle. An arc then has a run of labels, and a move a run of classes.
struct LabelRange {
  int count = 0;      // of all labels
  int words = 0;      // 0..words-1 may label an arc between words
  int from_root = 0;  // from_root..count-1 may label an arc from ROOT
  std::pair<int, int> of(bool root) const { return root ? std::pair{from_root, count} : std::pair{0, words}; }
};

class Classes {
 public:
  Classes(std::span<const Move> moves, LabelRange labels) : labels_(labels) {
    first_.fill(-1);
    for (const Move move : moves) {
      first_[static_cast<std::size_t>(move)] = count_;
      count_ += builds_arc(move) ? std::max(labels.count, 1) : 1;
      for (int c = first_[static_cast<std::size_t>(move)]; c < count_; ++c) move_.push_back(move);
    }
  }

  static bool builds_arc(Move move) {
    return move != Move::shift && move != Move::reduce && move != Move::noarc && move != Move::swap;
  }

  int count() const { return count_; }
  const LabelRange& labels() const { return labels_; }
  Move move(int c) const { return move_[static_cast<std::size_t>(c)]; }
  Label label(int c) const {
    const Move m = move(c);
    return builds_arc(m) && labels_.count > 0 ? c - first_[static_cast<std::size_t>(m)] : kNoLabel;
  }
  int of(Move move, Label label) const {
    return first_[static_cast<std::size_t>(move)] + (label == kNoLabel ? 0 : label);
  }
  // The classes of a move that builds this arc, or none.
  std::pair<int, int> range(Move move, Arc arc) const {
    const int first = first_[static_cast<std::size_t>(move)];
    if (!arc || labels_.count == 0) return {first, first + 1};
    const auto [from, to] = labels_.of(arc.head == kRoot);
    return {first + from, first + to};
  }

 private:
  LabelRange labels_;
  std::array<int, kMoves> first_{};
  std::vector<Move> move_;
  int count_ = 0;
};

}  // namespace dynarc
