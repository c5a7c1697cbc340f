#include "treebank/projectivity.hpp"

#include <algorithm>

#include "treebank/gold.hpp"

namespace dynarc {

namespace {

Node above(const std::vector<Node>& heads, Node x) { return std::max(heads[x], kRoot); }  // unknown: ROOT

}  // namespace

Numbering::Numbering(const std::vector<Node>& heads) : size(heads.size(), 1), enter(heads.size(), 0) {
  check_heads(heads);
  const Node n = static_cast<Node>(heads.size()) - 1;
  // Dependents grouped by head, each group from left to right: that of h starts at first[h].
  std::vector<int> first(heads.size() + 1, 0);
  for (Node d = 1; d <= n; ++d) ++first[above(heads, d) + 1];
  for (Node h = 0; h <= n; ++h) first[h + 1] += first[h];
  std::vector<Node> dependents(n);
  std::vector<int> next(first.begin(), first.end() - 1);
  for (Node d = 1; d <= n; ++d) dependents[next[above(heads, d)]++] = d;

  top_down.reserve(heads.size());
  top_down.push_back(kRoot);
  for (std::size_t i = 0; i < top_down.size(); ++i) {
    const Node h = top_down[i];
    top_down.insert(top_down.end(), dependents.begin() + first[h], dependents.begin() + first[h + 1]);
  }
  for (Node i = n; i > 0; --i) size[above(heads, top_down[i])] += size[top_down[i]];
  next[kRoot] = 1;  // from here on: the place of the next dependent
  for (Node i = 1; i <= n; ++i) {
    const Node d = top_down[i], h = above(heads, d);
    enter[d] = next[h];
    next[h] += size[d];
    next[d] = enter[d] + 1;
  }
}

// What a dominated word dominates is dominated too, so each search leaps over the stretches found before it.
Stretches::Stretches(const std::vector<Node>& heads, const Numbering& tree) : left(heads.size()), right(heads.size()) {
  const Node n = static_cast<Node>(heads.size()) - 1;
  for (Node h = n; h >= kRoot; --h) {
    Node x = h + 1;
    while (x <= n && tree.dominates(h, x)) x = right[x];
    right[h] = x;
  }
  for (Node h = 0; h <= n; ++h) {
    Node x = h - 1;
    while (x >= kRoot && tree.dominates(h, x)) x = left[x];
    left[h] = x;
  }
}

std::vector<Arc> nonprojective_arcs(const std::vector<Node>& heads) {
  const Stretches stretches(heads, Numbering(heads));
  std::vector<Arc> found;
  for (Node d = 1; d < static_cast<Node>(heads.size()); ++d)
    if (heads[d] > kRoot && !stretches.covers(heads[d], d)) found.push_back({heads[d], d});
  return found;
}

std::vector<int> gap_degrees(const std::vector<Node>& heads) {
  const Numbering tree(heads);
  const Node n = static_cast<Node>(heads.size()) - 1;
  // Each node belongs to a path that goes down to the greatest subtree at every step; from any node to ROOT there are
  // at most log n such paths, so that common ancestors are found in that many steps in the deepest of trees too.
  std::vector<Node> greatest(heads.size(), kNone), top(heads.size(), kRoot);
  for (Node i = 1; i <= n; ++i) {
    const Node d = tree.top_down[i];
    Node& best = greatest[above(heads, d)];
    if (best == kNone || tree.size[d] > tree.size[best]) best = d;
  }
  for (Node i = 1; i <= n; ++i) {
    const Node d = tree.top_down[i], h = above(heads, d);
    top[d] = greatest[h] == d ? top[h] : d;
  }
  const auto common_ancestor = [&](Node a, Node b) {
    while (top[a] != top[b]) {
      Node& lower = tree.enter[top[a]] > tree.enter[top[b]] ? a : b;
      lower = above(heads, top[lower]);
    }
    return std::min(a, b, [&](Node x, Node y) { return tree.enter[x] < tree.enter[y]; });
  };
  // x begins a block of every node that dominates x but not x - 1: of x and of those above it, up to the first that
  // dominates both. Summed over subtrees, these are the blocks of each node.
  std::vector<int> gaps(heads.size(), 1);
  for (Node x = 1; x <= n; ++x) --gaps[common_ancestor(x - 1, x)];
  for (Node i = n; i > 0; --i) gaps[above(heads, tree.top_down[i])] += gaps[tree.top_down[i]];
  for (int& gap : gaps) --gap;
  return gaps;
}

}  // namespace dynarc
