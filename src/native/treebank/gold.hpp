// A gold tree, whole or partial, with the price of losing each of its arcs.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace dynarc {

// Throws TreeError unless `heads` (indexed 0..n, heads[0] unused, kNone = unknown) has heads in range, no
// word its own head, and no cycle.
void check_heads(const std::vector<Node>& heads);

// Two arcs that no projective tree can hold together, if any; the first is non-projective by itself: it covers a word
// that its head does not dominate. For whole trees: two arcs that cross. A partial
// tree also fails if an arc covers the word its own arcs hang from, whose head would have to cross that arc.
std::optional<std::pair<Arc, Arc>> crossing_arcs(const std::vector<Node>& heads);

// Rank of each node in the in-order walk (left children, node, right children), ROOT last: the order in which
// swapping must leave the words (Nivre 2009).
std::vector<int> inorder_ranks(const std::vector<Node>& heads);

// Immutable once built: every oracle reads it, none writes to it.
class Gold {
 public:
  // All vectors are indexed 0..n; entry 0 is ignored. `price[d]` is the cost of a wrong head for d,
  // `label_price[d]` that of a right head with a wrong label. The price of an unknown head is 0 whatever is
  // given.
  Gold(std::vector<Node> head, std::vector<Label> label, std::vector<Cost> price, std::vector<Cost> label_price);

  static Gold unlabelled(std::vector<Node> head);

  int words() const { return static_cast<int>(head_.size()) - 1; }
  Node head(Node d) const { return head_[d]; }
  Label label(Node d) const { return label_[d]; }
  const std::vector<Node>& heads() const { return head_; }
  std::span<const Node> dependents(Node h) const {  // in sentence order
    return {dependents_.data() + first_dependent_[h], dependents_.data() + first_dependent_[h + 1]};
  }

  // The gold head where losing the arc costs something, kNone where it cannot be lost: dynamic oracles ask
  // this.
  Node wanted(Node d) const { return wanted_[d]; }
  Cost price(Node d) const { return price_[d]; }

  Cost arc_cost(Node head, Node d) const { return wanted_[d] == head ? 0 : price_[d]; }

  // The one place where labels are priced: right head, wrong label.
  Cost label_cost(Arc arc, Label label) const {
    const Node d = arc.dependent;
    if (!arc || label == kNoLabel || label_[d] == kNoLabel || label == label_[d]) return 0;
    return wanted_[d] == arc.head ? label_price_[d] : 0;
  }

  bool projective() const { return projective_; }
  bool complete() const { return complete_; }  // every head is known
  bool uniform() const { return uniform_; }    // every known arc has the same price
  // The word attached to ROOT if there is exactly one and every head is known, else kNone.
  Node single_root() const { return single_root_; }

 private:
  std::vector<Node> head_, wanted_;
  std::vector<Label> label_;
  std::vector<Cost> price_, label_price_;
  std::vector<Node> dependents_;      // grouped by head
  std::vector<int> first_dependent_;  // where each head's group starts
  bool projective_ = true, complete_ = true, uniform_ = true;
  Node single_root_ = kNone;
};

}  // namespace dynarc
