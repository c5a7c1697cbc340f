#include "treebank/pseudo_projective.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "treebank/gold.hpp"
#include "treebank/projectivity.hpp"

namespace dynarc {

namespace {

void require_whole(const std::vector<Node>& heads, std::size_t labels) {
  if (labels != heads.size()) throw TreeError("heads and labels must have the same length");
  check_heads(heads);
  for (std::size_t d = 1; d < heads.size(); ++d)
    if (heads[d] == kNone)
      throw TreeError("the head of word " + std::to_string(d) + " is unknown: only whole trees can be lifted");
}

// Lifting d from h to the head g of h changes little: of all nodes only h dominates less than before, namely the
// subtree of d. So stretches only shrink, and only that of h; an arc that is non-projective stays so until it is lifted
// itself; and of the subtree sizes only that of h changes. A lift costs O(log n), and O(n) at most if the lifted
// subtree has gaps.
class Lifter {
 public:
  Lifter(const std::vector<Node>& heads, const Numbering& tree, Stretches stretches)
      : heads_(heads),
        stretches_(std::move(stretches)),
        size_(tree.size),
        inside_left_(heads.size()),
        inside_right_(heads.size()),
        passed_(heads.size(), false),
        scan_(heads.size(), 0) {
    for (Node d = 1; d < static_cast<Node>(heads.size()); ++d) attach(d);
  }

  void run() {
    while (!waiting_.empty()) {
      const Node d = waiting_.top().second;
      waiting_.pop();
      lift(d);
    }
  }

  const std::vector<Node>& heads() const { return heads_; }
  bool passed(Node h) const { return passed_[h]; }

 private:
  using Waiting = std::pair<Node, Node>;  // length of the arc, dependent: the least is next

  void lift(Node d) {
    const Node h = heads_[d];
    passed_[h] = true;
    heads_[d] = heads_[h];
    size_[h] -= size_[d];
    shrink(h, d);
    attach(d);
  }

  // Files the arc into d with those that wait to be lifted or with those that are projective.
  void attach(Node d) {
    const Node h = heads_[d];
    if (!stretches_.covers(h, d)) {
      wait(d);
    } else if (d > h) {
      inside_right_[h].push_back(d);
      std::push_heap(inside_right_[h].begin(), inside_right_[h].end());
    } else {
      inside_left_[h].push_back(d);
      std::push_heap(inside_left_[h].begin(), inside_left_[h].end(), std::greater());
    }
  }

  void wait(Node d) { waiting_.emplace(std::abs(d - heads_[d]), d); }

  // h no longer dominates the subtree of d, which may end its stretch earlier.
  void shrink(Node h, Node d) {
    // Without gaps the subtree lies beyond the word that made the arc non-projective.
    if (size_[d] == stretches_.right[d] - stretches_.left[d] - 1) return;
    ++scans_;
    // A word of the stretch that d does not dominate is not above d either, so its own stretch holds nothing of d.
    for (Node x = h + 1; x < stretches_.right[h]; x = stretches_.right[x])
      if (is_below(x, d, h)) {
        stretches_.right[h] = x;
        break;
      }
    ++scans_;
    for (Node x = h - 1; x > stretches_.left[h]; x = stretches_.left[x])
      if (is_below(x, d, h)) {
        stretches_.left[h] = x;
        break;
      }
    auto& right = inside_right_[h];
    while (!right.empty() && right.front() > stretches_.right[h]) {
      wait(right.front());
      std::pop_heap(right.begin(), right.end());
      right.pop_back();
    }
    auto& left = inside_left_[h];
    while (!left.empty() && left.front() < stretches_.left[h]) {
      wait(left.front());
      std::pop_heap(left.begin(), left.end(), std::greater());
      left.pop_back();
    }
  }

  // Whether d dominates x, for x dominated by h or, through d, until a moment ago. Nodes that a scan has climbed over
  // in vain are remembered: no scan climbs over a node twice.
  bool is_below(Node x, Node d, Node h) {
    while (x != d) {
      if (x == h || scan_[x] == scans_) return false;
      scan_[x] = scans_;
      x = heads_[x];
    }
    return true;
  }

  std::vector<Node> heads_;
  Stretches stretches_;
  std::vector<int> size_;
  std::vector<std::vector<Node>> inside_left_, inside_right_;  // projective dependents: heaps, the farthest in front
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;  // the non-projective arcs
  std::vector<bool> passed_;
  std::vector<int> scan_;
  int scans_ = 0;
};

class Search {
 public:
  Search(const MarkedTree& tree, Encoding encoding, ChildOrder order)
      : labels_(tree.labels),
        heads_(tree.heads),
        encoding_(encoding),
        order_(order),
        children_(heads_.size()),
        passed_(heads_.size()) {
    for (Node d = 1; d < static_cast<Node>(heads_.size()); ++d) {
      children_[heads_[d]].push_back(d);
      if (labels_[d].passed) passed_[heads_[d]].push_back(d);
    }
  }

  // Top-down in the order of the given tree. A word that fits nowhere is tried again once all others have been: by then
  // its original head may have come to lie below its present one.
  std::vector<Node> run(const std::vector<Node>& top_down) {
    std::vector<Node> lifted, failed;
    for (const Node d : top_down)
      if (d != kRoot && labels_[d].lifted) lifted.push_back(d);
    for (const Node d : lifted)
      if (!move(d)) failed.push_back(d);
    if (failed.size() < lifted.size())
      for (const Node d : failed) move(d);
    return heads_;
  }

 private:
  using Children = std::vector<std::vector<Node>>;  // by head, in sentence order

  bool move(Node d) {
    const Node to = find(d);
    if (to == kNone) return false;
    move(d, to, children_);
    if (labels_[d].passed) move(d, to, passed_);
    heads_[d] = to;
    return true;
  }

  void move(Node d, Node to, Children& children) const {
    auto &before = children[heads_[d]], &after = children[to];
    before.erase(std::lower_bound(before.begin(), before.end(), d));
    after.insert(std::lower_bound(after.begin(), after.end(), d), d);
  }

  Node find(Node d) {
    const Label wanted = labels_[d].lifted_to;
    if (marks_head(encoding_) && wanted == kNoLabel) return kNone;  // predicted marks: lifted, but to nothing
    const auto fits = [&](Node x) { return labels_[x].label == wanted; };
    const auto is_end = [&](Node x) { return passed_[x].empty(); };
    switch (encoding_) {
      case Encoding::baseline: break;
      case Encoding::head: return first_below(d, children_, fits);
      case Encoding::path: return first_below(d, passed_, is_end);
      case Encoding::head_path: {
        Node found = first_below(d, passed_, [&](Node x) { return fits(x) && is_end(x); });
        if (found == kNone) found = first_below(d, passed_, fits);
        return found != kNone ? found : first_below(d, children_, fits);
      }
    }
    return kNone;
  }

  // The first node below the head of d, breadth first, that will do as the head of d. Only the given children are
  // followed: all, or those that are reached through passed arcs. The subtree of d is not entered, so no cycle can
  // arise.
  template <class Accept>
  Node first_below(Node d, const Children& children, const Accept& accept) {
    queue_.assign(1, heads_[d]);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const auto will_do = [&](Node x) {
        if (x == d) return false;
        queue_.push_back(x);
        return accept(x);
      };
      const std::span<const Node> here = children[queue_[i]];
      if (order_ == ChildOrder::left_to_right) {
        for (const Node x : here)
          if (will_do(x)) return x;
        continue;
      }
      auto after = std::lower_bound(here.begin(), here.end(), d), before = after;
      while (before != here.begin() || after != here.end()) {
        const bool left = after == here.end() || (before != here.begin() && d - before[-1] <= *after - d);
        const Node x = left ? *--before : *after++;
        if (will_do(x)) return x;
      }
    }
    return kNone;
  }

  const std::vector<EncodedLabel>& labels_;
  std::vector<Node> heads_;
  Encoding encoding_;
  ChildOrder order_;
  Children children_, passed_;  // of each node: all, and those that are marked as passed
  std::vector<Node> queue_;
};

}  // namespace

MarkedTree projectivize(const std::vector<Node>& heads, const std::vector<Label>& labels, Encoding encoding) {
  require_whole(heads, labels.size());
  MarkedTree result{heads, std::vector<EncodedLabel>(heads.size())};
  const Node n = static_cast<Node>(heads.size()) - 1;
  for (Node d = 1; d <= n; ++d) result.labels[d].label = labels[d];
  const Numbering tree(heads);
  Stretches stretches(heads, tree);
  bool projective = true;
  for (Node d = 1; d <= n && projective; ++d) projective = stretches.covers(heads[d], d);
  if (projective) return result;

  Lifter lifter(heads, tree, std::move(stretches));
  lifter.run();
  result.heads = lifter.heads();
  if (encoding == Encoding::baseline) return result;
  for (Node d = 1; d <= n; ++d) {
    EncodedLabel& mark = result.labels[d];
    mark.lifted = result.heads[d] != heads[d];
    mark.passed = marks_path(encoding) && lifter.passed(d);
    if (!mark.lifted || !marks_head(encoding)) continue;
    mark.lifted_to = labels[heads[d]];
    if (mark.lifted_to == kNoLabel)
      throw TreeError("word " + std::to_string(heads[d]) + " has no label, so the mark of the lifted word " +
                      std::to_string(d) + " cannot name it");
  }
  return result;
}

std::vector<Node> deprojectivize(const MarkedTree& tree, Encoding encoding, ChildOrder order) {
  require_whole(tree.heads, tree.labels.size());
  const bool any = std::any_of(tree.labels.begin() + 1, tree.labels.end(), [](const auto& l) { return l.lifted; });
  if (encoding == Encoding::baseline || !any) return tree.heads;
  return Search(tree, encoding, order).run(Numbering(tree.heads).top_down);
}

}  // namespace dynarc
