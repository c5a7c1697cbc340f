// Gold trees: what is one, which arcs cross, the in-order walk, dependents, prices and labels.
#include "treebank/gold.hpp"

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check/gold_trees.hpp"

using namespace dynarc;

namespace {

using Heads = std::vector<Node>;

std::string complaint(const Heads& heads) {
  try {
    check_heads(heads);
  } catch (const TreeError& error) {
    return error.what();
  }
  return "";
}

void trees_and_others() {
  assert(complaint({kNone, 0}).empty());
  assert(complaint({kNone, 2, 0, 2}).empty());
  assert(complaint({kNone, kNone, kNone}).empty());
  assert(complaint({kNone}) == "a tree needs at least one word");
  assert(complaint({}) == "a tree needs at least one word");
  assert(complaint({kNone, 1}) == "word 1 is its own head");
  assert(complaint({kNone, 3, 0}).starts_with("word 1 has head 3, but heads are 0 (ROOT) to 2"));
  assert(complaint({kNone, -2, 0}).starts_with("word 1 has head -2"));
  assert(complaint({kNone, 2, 1}) == "the heads form a cycle: 1 <- 2 <- 1");
  assert(complaint({kNone, 0, 3, 4, 2, kNone}).starts_with("the heads form a cycle"));
}

// Two arcs cross if exactly one end of the one lies strictly between the ends of the other.
bool crosses(const Heads& heads, Node a, Node b) {
  const auto [left, right] = std::minmax(a, heads[a]);
  const auto inside = [left = left, right = right](Node x) { return left < x && x < right; };
  const auto outside = [left = left, right = right](Node x) { return x < left || x > right; };
  return (inside(b) && outside(heads[b])) || (outside(b) && inside(heads[b]));
}

bool any_crossing(const Heads& heads) {
  for (std::size_t a = 1; a < heads.size(); ++a)
    for (std::size_t b = 1; b < heads.size(); ++b)
      if (crosses(heads, static_cast<Node>(a), static_cast<Node>(b))) return true;
  return false;
}

// All trees of up to five words by the definition; the counts are those of ORACLES 0.
void crossing_by_definition() {
  const int all[] = {0, 1, 3, 16, 125, 1296}, projective[] = {0, 1, 3, 12, 55, 273};
  for (int words = 1; words <= 5; ++words) {
    int seen = 0, without = 0;
    check::each_tree(words, false, [&](const Heads& heads) {
      ++seen;
      const auto found = crossing_arcs(heads);
      assert(found.has_value() == any_crossing(heads));
      without += !found;
      if (!found) return;
      const auto [one, other] = *found;
      assert(heads[one.dependent] == one.head && heads[other.dependent] == other.head);
      assert(crosses(heads, one.dependent, other.dependent));
    });
    assert(seen == all[words] && without == projective[words]);
  }
}

// A partial tree has no crossing if some projective tree contains it.
void crossing_in_parts() {
  for (int words = 1; words <= 4; ++words) {
    std::vector<Heads> projective;
    check::each_tree(words, false, [&](const Heads& heads) {
      if (!crossing_arcs(heads)) projective.push_back(heads);
    });
    check::each_tree(words, true, [&](const Heads& part) {
      const bool contained = std::any_of(projective.begin(), projective.end(), [&](const Heads& whole) {
        for (std::size_t d = 1; d < part.size(); ++d)
          if (part[d] != kNone && part[d] != whole[d]) return false;
        return true;
      });
      assert(crossing_arcs(part).has_value() != contained);
    });
  }
}

// Left children, node, right children, ROOT last: subtrees are contiguous, and projective trees keep their order.
void in_order_ranks() {
  for (int words = 1; words <= 5; ++words)
    check::each_tree(words, false, [&](const Heads& heads) {
      const std::vector<int> rank = inorder_ranks(heads);
      std::vector<int> sorted(rank);
      std::sort(sorted.begin(), sorted.end());
      for (int i = 0; i <= words; ++i) assert(sorted[i] == i);
      assert(rank[kRoot] == words);
      for (Node d = 1; d <= words; ++d)
        if (heads[d] != kRoot) assert((rank[d] < rank[heads[d]]) == (d < heads[d]));
      for (Node top = 1; top <= words; ++top) {
        int low = words, high = 0, size = 0;
        for (Node d = 1; d <= words; ++d) {
          Node x = d;
          while (x != top && x != kRoot) x = heads[x];
          if (x != top) continue;
          low = std::min(low, rank[d]);
          high = std::max(high, rank[d]);
          ++size;
        }
        assert(high - low + 1 == size);
      }
      if (!crossing_arcs(heads))
        for (Node d = 1; d <= words; ++d) assert(rank[d] == d - 1);
    });
}

// No recursion: a chain and a star of 100 000 words (DESIGN 5).
void long_sentences() {
  const int words = 100'000;
  Heads chain(words + 1), star(words + 1, words), pairs(words + 1);
  chain[0] = star[0] = pairs[0] = kNone;
  for (Node d = 1; d <= words; ++d) {
    chain[d] = d < words ? d + 1 : kRoot;
    pairs[d] = d <= 2 ? kRoot : d - 2;
  }
  star[words] = kRoot;
  for (const Heads& heads : {chain, star, pairs}) {
    const Gold gold = Gold::unlabelled(heads);
    assert(gold.projective() == (&heads != &pairs && heads != pairs));
    assert(inorder_ranks(heads)[kRoot] == words);
  }
}

void attributes() {
  const std::vector<Label> labels = {kNoLabel, 7, 8, kNoLabel};
  const Gold gold({kNone, 2, 0, 2}, labels, {9, 1, 1, 1}, {9, 3, 3, 3});
  assert(gold.words() == 3 && gold.complete() && gold.uniform() && gold.projective());
  assert(gold.single_root() == 2 && gold.head(kRoot) == kNone);
  const auto under = gold.dependents(2);
  assert(std::vector<Node>(under.begin(), under.end()) == (std::vector<Node>{1, 3}));
  assert(gold.dependents(1).empty() && gold.dependents(kRoot).size() == 1);
  assert(gold.arc_cost(2, 1) == 0 && gold.arc_cost(3, 1) == 1);
  // A label costs something only where head and label are known, the head is right and the label is not.
  assert(gold.label_cost({2, 1}, 8) == 3 && gold.label_cost({2, 1}, 7) == 0 && gold.label_cost({3, 1}, 8) == 0);
  assert(gold.label_cost({2, 1}, kNoLabel) == 0 && gold.label_cost({2, 3}, 7) == 0 && gold.label_cost({}, 7) == 0);
}

void prices_and_unknown_heads() {
  const std::vector<Label> none(5, kNoLabel);
  // Word 1 is unknown, word 2 worth nothing: neither can be lost, and what crosses them does not matter.
  const Gold gold({kNone, kNone, 4, 0, 3}, none, {0, 5, 0, 2, 2}, {0, 0, 0, 0, 0});
  assert(!gold.complete() && !gold.uniform() && gold.single_root() == kNone);
  assert(gold.price(1) == 0 && gold.wanted(1) == kNone && gold.wanted(2) == kNone && gold.head(2) == 4);
  assert(gold.projective());
  assert(gold.arc_cost(3, 1) == 0 && gold.arc_cost(3, 2) == 0 && gold.arc_cost(1, 4) == 2);
  assert(Gold({kNone, 0, 0}, {-1, -1, -1}, {0, 4, 4}, {0, 0, 0}).single_root() == kNone);
  for (const auto& [prices, label_prices] : std::vector<std::pair<std::vector<Cost>, std::vector<Cost>>>{
           {{0, -1}, {0, 0}}, {{0, 1}, {0, -1}}, {{0, 1, 1}, {0, 1}}}) {
    bool refused = false;
    try {
      Gold({kNone, 0}, {kNoLabel, kNoLabel}, prices, label_prices);
    } catch (const TreeError&) {
      refused = true;
    }
    assert(refused);
  }
}

}  // namespace

int main() {
  trees_and_others();
  crossing_by_definition();
  crossing_in_parts();
  in_order_ranks();
  long_sentences();
  attributes();
  prices_and_unknown_heads();
}
