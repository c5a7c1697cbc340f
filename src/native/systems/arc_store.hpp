// What the configurations of all systems have in common: the arcs built so far and the way here.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dynarc {

// One transition taken, with the node it moved or removed, which is all that undo needs.
struct Step {
  Transition transition;
  Node removed = kNone;
  friend bool operator==(const Step&, const Step&) = default;
};

// A configuration as a caller describes it, before anything has been checked.
struct Layout {
  std::vector<Node> stack, buffer;
  std::vector<Node> head;     // 0..n
  std::vector<Label> label;   // 0..n
  Node i = kNone, j = kNone;  // Covington only
};

class ArcStore {
 public:
  int words() const { return static_cast<int>(head_.size()) - 1; }
  Node head(Node d) const { return head_[d]; }
  Label label(Node d) const { return label_[d]; }
  bool headless(Node d) const { return head_[d] == kNone; }
  const std::vector<Node>& heads() const { return head_; }     // 0..n
  const std::vector<Label>& labels() const { return label_; }  // 0..n
  const std::vector<Step>& history() const { return history_; }

 protected:
  void clear_arcs(int words) {
    head_.assign(words + 1, kNone);
    label_.assign(words + 1, kNoLabel);
    history_.clear();
  }
  // ROOT has no head, and where there is no arc there is no label.
  void take_arcs(const Layout& given) {
    head_ = given.head;
    label_ = given.label;
    head_[kRoot] = kNone;
    for (std::size_t d = 0; d < head_.size(); ++d)
      if (head_[d] == kNone) label_[d] = kNoLabel;
  }
  void set_arc(Arc arc, Label label) {
    head_[arc.dependent] = arc.head;
    label_[arc.dependent] = label;
  }
  void drop_arc(Node d) {
    head_[d] = kNone;
    label_[d] = kNoLabel;
  }

  std::vector<Node> head_;
  std::vector<Label> label_;
  std::vector<Step> history_;
};

}  // namespace dynarc
