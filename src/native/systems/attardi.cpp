#include "systems/attardi.hpp"

#include <algorithm>
#include <unordered_map>

namespace dynarc {

bool Attardi::table_exact_for(const Attardi& system, const Gold& gold) {
  if (!gold.complete() || !gold.uniform() || system.options().single_root) return false;
  // The static rule comes to an end on exactly the derivable trees.
  StackState s;
  system.start(s, gold.words());
  while (!system.is_final(s)) {
    const auto a = system.static_rule(s, gold, ReduceRule::must);
    if (!a) return false;
    system.apply(s, {*a});
  }
  return true;
}

std::vector<Node> Attardi::reduced_buffer(const State& s, const Gold& gold) const {
  const int n = gold.words();
  std::vector<int> at(n + 1, -1);  // place in the buffer
  for (int i = 0; i < s.buffer_size(); ++i) at[s.buffer(i)] = i;
  std::vector<char> on_stack(n + 1, 0);
  for (int i = 0; i < s.depth(); ++i) on_stack[s.stack(i)] = 1;

  std::vector<char> gone(s.buffer_size(), 0);
  std::vector<Node> subtree;
  for (int i = 0; i < s.buffer_size(); ++i) {
    const Node k = s.buffer(i);
    subtree.assign(1, k);
    int first = i, last = i, inside = 0;
    bool sound = true;
    for (std::size_t next = 0; next < subtree.size() && sound; ++next) {
      const Node x = subtree[next];
      if (at[x] >= 0) {
        ++inside;
        first = std::min(first, at[x]);
        last = std::max(last, at[x]);
        // (c), missing in the paper: a node that goes must find its gold head in the buffer.
        if (x != k && at[gold.head(x)] < 0) sound = false;
      }
      for (const Node d : gold.dependents(x)) {
        if (at[x] >= 0 && x != k && on_stack[d]) sound = false;  // (a) it is still awaited by a stack node
        subtree.push_back(d);
      }
    }
    if (!sound || last - first + 1 != inside) continue;  // (b) contiguous
    for (const Node x : subtree)
      if (x != k && at[x] >= 0) gone[at[x]] = 1;
  }
  std::vector<Node> rest;
  for (int i = 0; i < s.buffer_size(); ++i)
    if (!gone[i]) rest.push_back(s.buffer(i));
  return rest;
}

std::optional<Cost> Attardi::table(const State& s, const Gold& gold, bool patient) const {
  if (!table_exact_for(*this, gold)) return std::nullopt;
  const std::vector<Node> rest = reduced_buffer(s, gold);
  std::vector<Node> gamma;
  for (int i = s.depth() - 1; i >= 0; --i) gamma.push_back(s.stack(i));
  gamma.insert(gamma.end(), rest.begin(), rest.end());
  const int depth = s.depth(), size = static_cast<int>(gamma.size());
  const auto fourth = [](double x) { return x * x * x * x; };
  if (!patient && fourth(size) * fourth(static_cast<double>(rest.size())) > kTableBudget) return std::nullopt;

  // Nodes are places in gamma from here on; kBelow stands for whatever lies under gamma.
  constexpr int kBelow = 0xffff;
  std::vector<int> head(size, kBelow);  // place of the gold head; kBelow where it is gone
  {
    std::vector<int> place(gold.words() + 1, kBelow);
    for (int i = 0; i < size; ++i) place[gamma[i]] = i;
    for (int i = 0; i < size; ++i)
      if (gamma[i] != kRoot) head[i] = place[gold.head(gamma[i])];
  }

  // T[i][j]: items (h1, h2, h3) -> least price of the arcs built, grouped by h1 (the node the item rests on).
  using Items = std::unordered_map<std::uint64_t, Cost>;
  struct Cell {
    Items items;
    std::unordered_map<int, std::vector<std::uint64_t>> by_first;
  };
  const auto pack = [](int h1, int h2, int h3) {
    return static_cast<std::uint64_t>(h1) << 32 | static_cast<std::uint64_t>(h2) << 16 | static_cast<std::uint64_t>(h3);
  };
  std::vector<Cell> cells(static_cast<std::size_t>(size + 1) * (size + 1));
  const auto cell = [&](int i, int j) -> Cell& { return cells[static_cast<std::size_t>(i) * (size + 1) + j]; };
  const auto add = [&](Cell& c, int h1, int h2, int h3, Cost value) {
    const auto [it, fresh] = c.items.try_emplace(pack(h1, h2, h3), value);
    if (fresh)
      c.by_first[h1].push_back(it->first);
    else
      it->second = std::min(it->second, value);
  };

  add(cell(0, 1), kBelow, kBelow, 0, 0);
  for (int i = 1; i < depth; ++i) add(cell(i, i + 1), i - 1, i - 1, i, 0);
  for (int i = std::max(depth, 1); i < size; ++i)
    for (int h = 0; h < i; ++h) add(cell(i, i + 1), h, h, i, 0);

  const auto combine = [&](int i, int k, int j) {
    Cell &left = cell(i, k), &right = cell(k, j), &whole = cell(i, j);
    for (const auto& [key, left_value] : left.items) {
      const int h1 = static_cast<int>(key >> 32), h2 = static_cast<int>(key >> 16 & 0xffff),
                h3 = static_cast<int>(key & 0xffff);
      const auto group = right.by_first.find(h3);
      if (group == right.by_first.end()) continue;
      for (const std::uint64_t right_key : group->second) {
        const int h4 = static_cast<int>(right_key >> 16 & 0xffff), h5 = static_cast<int>(right_key & 0xffff);
        const Cost value = left_value + right.items.find(right_key)->second;
        const auto arc = [&](int from, int to, int g1, int g2, int g3) {
          if (to == kBelow || from == kBelow || gamma[to] == kRoot) return;
          const bool is_gold = head[to] == from;
          // Inside the buffer a wrong arc is only of use to a word whose gold head is gone.
          if (i >= depth && !is_gold && head[to] != kBelow) return;
          add(whole, g1, g2, g3, value + (is_gold ? 0 : gold.price(gamma[to])));
        };
        arc(h5, h4, h1, h2, h5);  // LEFT
        arc(h4, h5, h1, h2, h4);  // RIGHT
        arc(h5, h2, h1, h4, h5);  // LEFT2
        arc(h2, h5, h1, h2, h4);  // RIGHT2
      }
    }
  };
  for (int d = 2; d <= size; ++d)
    for (int i = std::max(0, depth - d); i + d <= size; ++i) {
      combine(i, i + 1, i + d);
      for (int k = std::max(i + 2, depth); k < i + d; ++k) combine(i, k, i + d);
    }
  const int root = static_cast<int>(std::find(gamma.begin(), gamma.end(), kRoot) - gamma.begin());
  const auto found = cell(0, size).items.find(pack(kBelow, kBelow, root));
  if (found == cell(0, size).items.end()) return std::nullopt;
  return found->second;
}

}  // namespace dynarc
