#include "systems/arc_standard.hpp"

#include <algorithm>

namespace dynarc {

std::optional<Cost> ArcStandard::table(const State& s, const Gold& gold, bool) const {
  if (!table_exact_for(*this, gold)) return std::nullopt;
  const bool single_last = options_.single_root && root_last();
  const bool single_first = options_.single_root && !root_last();

  // 1. Reduce the buffer: a subtree that lies in it whole, under a head that is in it too, can be built
  // first.
  std::vector<char> in_buffer(gold.words() + 1, 0), whole(gold.words() + 1, 0);
  for (int i = 0; i < s.buffer_size(); ++i) in_buffer[s.buffer(i)] = 1;
  // A node is whole when its dependents are: the fixed point is reached bottom-up along gold heads.
  std::vector<int> missing(gold.words() + 1, 0);
  std::vector<Node> ready;
  for (int i = 0; i < s.buffer_size(); ++i) {
    const Node k = s.buffer(i);
    bool on_stack = false;
    for (const Node d : gold.dependents(k)) {
      if (in_buffer[d])
        ++missing[k];
      else if (s.headless(d))
        on_stack = true;
    }
    if (on_stack) missing[k] = -1;  // never whole
    if (missing[k] == 0) ready.push_back(k);
  }
  while (!ready.empty()) {
    const Node k = ready.back();
    ready.pop_back();
    whole[k] = 1;
    const Node h = gold.head(k);
    if (h != kNone && in_buffer[h] && missing[h] > 0 && --missing[h] == 0) ready.push_back(h);
  }
  std::vector<Node> stack, rest;  // the stack from the top down, the buffer that is left
  for (int i = 0; i < s.depth(); ++i) stack.push_back(s.stack(i));
  for (int i = 0; i < s.buffer_size(); ++i) {
    const Node k = s.buffer(i), h = gold.head(k);
    const bool built_inside = whole[k] && h != kNone && in_buffer[h] && !(single_last && h == kRoot);
    if (!built_inside) rest.push_back(k);
  }
  // 2. Shifts that are forced.
  if (stack.empty()) {
    stack.push_back(rest.front());
    rest.erase(rest.begin());
  }
  if (single_first && stack.size() == 1 && stack[0] == kRoot && !rest.empty()) {
    stack.insert(stack.begin(), rest.front());
    rest.erase(rest.begin());
  }

  // 3. best[j][h]: the top i of the stack and the first j of the rest have become the single node h.
  constexpr Cost kNever = INT64_MAX / 4;
  const int depth = static_cast<int>(stack.size()), size = static_cast<int>(rest.size());
  std::vector<Node> node(stack);  // stack nodes, then rest nodes: what `h` numbers
  node.insert(node.end(), rest.begin(), rest.end());
  const auto arc = [&](Node head, Node d) { return d == kRoot ? kNever : gold.arc_cost(head, d); };
  using Row = std::vector<std::vector<Cost>>;
  const auto empty = [&] { return Row(size + 1, std::vector<Cost>(node.size(), kNever)); };
  Row best = empty();
  best[0][0] = 0;
  for (int i = 1; i <= depth; ++i) {
    Row next = empty();
    for (int j = 0; j <= size; ++j) {
      for (std::size_t h = 0; h < node.size(); ++h) {
        const Cost spent = best[j][h];
        if (spent >= kNever) continue;
        const auto combine = [&](std::vector<Cost>& into, std::size_t other) {
          into[h] = std::min(into[h], spent + arc(node[h], node[other]));
          into[other] = std::min(into[other], spent + arc(node[other], node[h]));
        };
        // With a single root ROOT is combined last: it then has everything under one word.
        if (i < depth && !(single_first && stack[i] == kRoot && j < size)) combine(next[j], i);
        if (j < size && !(single_last && rest[j] == kRoot && i < depth)) combine(best[j + 1], depth + j);
      }
    }
    if (i < depth) best = std::move(next);
  }
  return best[size][std::find(node.begin(), node.end(), kRoot) - node.begin()];
}

}  // namespace dynarc
