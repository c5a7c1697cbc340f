// What a parser chooses between: moves, those that build arcs once for every label.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "features/dependents.hpp"

namespace dynarc {

// Labels are in an order in which those of arcs between words come first and those of arcs from ROOT last; the ones
// that are both stand in the middle. An arc then has a run of labels, and a move a run of classes.
struct LabelRange : LabelValues {
  int words = 0;      // 0..words-1 may label an arc between words
  int from_root = 0;  // from_root..count-1 may label an arc from ROOT
  std::pair<int, int> of(bool root) const { return root ? std::pair{from_root, count} : std::pair{0, words}; }
};

// The label of a class that stands for all labels of a move that have none of their own.
inline constexpr Label kRestLabel = -2;

// A move and a label that are not worth a class of their own. Which label of the rest it is, a second table of weights
// says: few states come to that, and all others have fewer classes to add up.
struct RestLabel {
  Move move;
  Label label;
};

// The classes of a move that builds arcs: one for each label, in their order; if there is a rest, one before them for
// arcs between words and one after them for arcs from ROOT. So an arc still has a run of classes.
class Classes {
 public:
  Classes(std::span<const Move> moves, LabelRange labels, std::span<const RestLabel> rest = {})
      : labels_(labels), class_of_(static_cast<std::size_t>(kMoves * labels.count), 0) {
    runs_.fill({});
    for (const auto& [move, label] : rest) class_of_[at(move, label)] = kRest;
    for (const Move move : moves) add_move(move);
  }

  static bool builds_arc(Move move) {
    return move != Move::shift && move != Move::reduce && move != Move::noarc && move != Move::swap;
  }

  int count() const { return static_cast<int>(move_.size()); }
  const LabelRange& labels() const { return labels_; }
  Move move(int c) const { return move_[static_cast<std::size_t>(c)]; }
  Label label(int c) const { return label_[static_cast<std::size_t>(c)]; }
  int of(Move move, Label label, Arc arc) const {
    const Run& run = runs_[static_cast<std::size_t>(move)];
    if (label == kNoLabel) return run.first;
    const int found = class_of_[at(move, label)];
    return found != kRest ? found : arc.head == kRoot ? run.last - 1 : run.first;
  }
  // The classes of a move that builds this arc, or none.
  std::pair<int, int> range(Move move, Arc arc) const {
    const Run& run = runs_[static_cast<std::size_t>(move)];
    if (!arc || labels_.count == 0) return {run.first, run.first + 1};
    return arc.head == kRoot ? std::pair{run.first_of_root, run.last} : std::pair{run.first, run.last_of_words};
  }

  // Of the two classes that stand for the rest of a move's labels, the first or the second; -1 if there is none.
  bool is_first(int c) const { return c == runs_[static_cast<std::size_t>(move(c))].first; }
  int rest_of(Move move, bool first) const {
    const Run& run = runs_[static_cast<std::size_t>(move)];
    const int c = first ? run.first : run.last - 1;
    return label(c) == kRestLabel ? c : -1;
  }

  // The second table of weights has a class for every move and label.
  bool has_rest() const { return has_rest_; }
  int rest_count() const { return has_rest_ ? kMoves * labels_.count : 0; }
  int rest_class(Move move, Label label) const { return static_cast<int>(at(move, label)); }
  bool in_rest(Move move, Label label) const { return label >= 0 && class_of_[at(move, label)] == kRest; }

 private:
  static constexpr int kRest = -1;
  struct Run {
    int first = -1, last_of_words = -1, first_of_root = -1, last = -1;
  };

  std::size_t at(Move move, Label label) const {
    return static_cast<std::size_t>(static_cast<int>(move) * labels_.count + label);
  }

  void add_move(Move move) {
    Run& run = runs_[static_cast<std::size_t>(move)];
    const auto add = [&](Label label) {
      move_.push_back(move);
      label_.push_back(label);
    };
    run.first = count();
    if (!builds_arc(move) || labels_.count == 0) {
      add(kNoLabel);
      run.last_of_words = run.last = count();
      run.first_of_root = run.first;
      return;
    }
    const auto any_rest = [&](bool root) {
      const auto [from, to] = labels_.of(root);
      bool any = false;
      for (Label label = from; label < to; ++label) any |= in_rest(move, label);
      has_rest_ |= any;
      return any;
    };
    if (any_rest(false)) add(kRestLabel);
    run.last_of_words = count();
    run.first_of_root = -1;
    for (Label label = 0; label < labels_.count; ++label) {
      if (in_rest(move, label)) continue;
      if (label >= labels_.from_root && run.first_of_root < 0) run.first_of_root = count();
      class_of_[at(move, label)] = count();
      add(label);
      if (label < labels_.words) run.last_of_words = count();
    }
    if (run.first_of_root < 0) run.first_of_root = count();
    if (any_rest(true)) add(kRestLabel);
    run.last = count();
  }

  LabelRange labels_;
  std::array<Run, kMoves> runs_;
  std::vector<int> class_of_;  // by move and label
  std::vector<Move> move_;     // by class
  std::vector<Label> label_;   // by class
  bool has_rest_ = false;
};

}  // namespace dynarc
