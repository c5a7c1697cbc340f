#include "treebank/gold.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace dynarc {

void check_heads(const std::vector<Node>& heads) {
  const int n = static_cast<int>(heads.size()) - 1;
  if (n < 1) throw TreeError("a tree needs at least one word");
  for (Node d = 1; d <= n; ++d) {
    const Node h = heads[d];
    if (h != kNone && (h < 0 || h > n))
      throw TreeError("word " + std::to_string(d) + " has head " + std::to_string(h) + ", but heads are 0 (ROOT) to " +
                      std::to_string(n) + " or unknown");
    if (h == d) throw TreeError("word " + std::to_string(d) + " is its own head");
  }
  // Climb from every word, marking the way with the word's own number: meeting that number again is a cycle.
  std::vector<Node> seen(heads.size(), kNone);
  for (Node d = 1; d <= n; ++d) {
    Node x = d;
    while (x > kRoot && seen[x] == kNone) {
      seen[x] = d;
      x = heads[x];
    }
    if (x <= kRoot || seen[x] != d) continue;
    std::string way = std::to_string(x);
    for (Node y = heads[x]; y != x; y = heads[y]) way += " <- " + std::to_string(y);
    throw TreeError("the heads form a cycle: " + way + " <- " + std::to_string(x));
  }
}

namespace {

// Of two arcs that cross, does `arc` cover an end of `other` that its head does not dominate?
bool is_nonprojective(const std::vector<Node>& heads, Arc arc, Arc other) {
  const Node first = std::min(arc.head, arc.dependent), last = std::max(arc.head, arc.dependent);
  for (Node x : {other.head, other.dependent}) {
    if (x <= first || x >= last) continue;
    while (x > kRoot && x != arc.head) x = heads[x];
    if (x != arc.head) return true;
  }
  return false;
}

}  // namespace

std::optional<std::pair<Arc, Arc>> crossing_arcs(const std::vector<Node>& heads) {
  const int n = static_cast<int>(heads.size()) - 1;
  // Arcs by left end, longest first; `open` holds those that still cover the sweep position, innermost last.
  std::vector<Node> by_left;
  for (Node d = 1; d <= n; ++d)
    if (heads[d] != kNone) by_left.push_back(d);
  const auto left = [&](Node d) { return std::min(d, heads[d]); };
  const auto right = [&](Node d) { return std::max(d, heads[d]); };
  std::sort(by_left.begin(), by_left.end(),
            [&](Node a, Node b) { return left(a) != left(b) ? left(a) < left(b) : right(a) > right(b); });
  std::vector<Node> open;
  for (const Node d : by_left) {
    while (!open.empty() && right(open.back()) <= left(d)) open.pop_back();
    if (!open.empty() && right(open.back()) < right(d)) {
      const Arc one{heads[open.back()], open.back()}, other{heads[d], d};
      return is_nonprojective(heads, one, other) ? std::pair{one, other} : std::pair{other, one};
    }
    open.push_back(d);
  }
  // Partial trees: the word a component hangs from must not lie under an arc of that component.
  std::vector<Node> top(heads.size());
  std::vector<Node> way;
  for (Node& t : top) t = kNone;
  for (Node d = 0; d <= n; ++d) {
    Node x = d;
    while (top[x] == kNone && x != kRoot && heads[x] != kNone) {
      way.push_back(x);
      x = heads[x];
    }
    const Node t = top[x] == kNone ? x : top[x];
    top[x] = t;
    for (const Node y : way) top[y] = t;
    way.clear();
  }
  for (const Node d : by_left)
    if (const Node t = top[d]; left(d) < t && t < right(d)) return std::pair{Arc{heads[d], d}, Arc{kNone, t}};
  return std::nullopt;
}

std::vector<int> inorder_ranks(const std::vector<Node>& heads) {
  const int n = static_cast<int>(heads.size()) - 1;
  std::vector<std::vector<Node>> children(heads.size());
  std::vector<Node> tops;
  for (Node d = 1; d <= n; ++d) (heads[d] > kRoot ? children[heads[d]] : tops).push_back(d);
  std::vector<int> rank(heads.size(), 0);
  int next = 0;
  // Explicit stack: a node is met twice, first to open its left children, then to be numbered.
  std::vector<std::pair<Node, bool>> todo;
  for (auto it = tops.rbegin(); it != tops.rend(); ++it) todo.emplace_back(*it, false);
  while (!todo.empty()) {
    const auto [x, opened] = todo.back();
    todo.pop_back();
    if (opened) {
      rank[x] = next++;
      continue;
    }
    const auto& c = children[x];
    const auto middle = std::lower_bound(c.begin(), c.end(), x);
    for (auto it = c.end(); it != middle;) todo.emplace_back(*--it, false);
    todo.emplace_back(x, true);
    for (auto it = middle; it != c.begin();) todo.emplace_back(*--it, false);
  }
  rank[kRoot] = next;
  return rank;
}

Gold::Gold(std::vector<Node> head, std::vector<Label> label, std::vector<Cost> price, std::vector<Cost> label_price)
    : head_(std::move(head)), label_(std::move(label)), price_(std::move(price)), label_price_(std::move(label_price)) {
  if (label_.size() != head_.size() || price_.size() != head_.size() || label_price_.size() != head_.size())
    throw TreeError("heads, labels and prices must have the same length");
  check_heads(head_);
  head_[kRoot] = kNone;
  wanted_ = head_;
  int roots = 0;
  Cost common = 0;
  for (Node d = 1; d <= words(); ++d) {
    if (price_[d] < 0 || label_price_[d] < 0) throw TreeError("prices must not be negative");
    if (head_[d] == kNone) {
      complete_ = false;
      price_[d] = 0;
    } else if (price_[d] == 0) {
      uniform_ = false;
    } else {
      if (common == 0) common = price_[d];
      if (price_[d] != common) uniform_ = false;
    }
    if (price_[d] == 0) wanted_[d] = kNone;
    if (head_[d] == kRoot) {
      ++roots;
      single_root_ = d;
    }
  }
  if (roots != 1 || !complete_) single_root_ = kNone;
  price_[kRoot] = 0;
  first_dependent_.assign(head_.size() + 1, 0);
  for (Node d = 1; d <= words(); ++d)
    if (head_[d] != kNone) ++first_dependent_[head_[d] + 1];
  for (std::size_t h = 0; h < head_.size(); ++h) first_dependent_[h + 1] += first_dependent_[h];
  dependents_.resize(first_dependent_.back());
  std::vector<int> next(first_dependent_.begin(), first_dependent_.end() - 1);
  for (Node d = 1; d <= words(); ++d)
    if (head_[d] != kNone) dependents_[next[head_[d]]++] = d;
  // Arcs that cost nothing cannot be lost, so only the wanted ones decide whether the formulas are exact.
  projective_ = !crossing_arcs(wanted_);
}

Gold Gold::unlabelled(std::vector<Node> head) {
  const std::size_t size = head.size();
  return Gold(std::move(head), std::vector<Label>(size, kNoLabel), std::vector<Cost>(size, 1),
              std::vector<Cost>(size, 0));
}

}  // namespace dynarc
