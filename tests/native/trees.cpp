// Projectivity and the pseudo-projective transformation: small trees by the definition, any marks, long sentences.
#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "check/gold_trees.hpp"
#include "treebank/encoded_labels.hpp"
#include "treebank/gold.hpp"
#include "treebank/projectivity.hpp"
#include "treebank/pseudo_projective.hpp"

using namespace dynarc;

namespace {

using Heads = std::vector<Node>;

constexpr Encoding kEncodings[] = {Encoding::baseline, Encoding::head, Encoding::path, Encoding::head_path};
constexpr ChildOrder kOrders[] = {ChildOrder::left_to_right, ChildOrder::by_distance};

bool is_below(const Heads& heads, Node x, Node h) {
  while (x != h && x != kRoot) x = heads[x];
  return x == h;
}

bool is_nonprojective(const Heads& heads, Node d) {
  const auto [first, last] = std::minmax(d, heads[d]);
  for (Node x = first + 1; x < last; ++x)
    if (!is_below(heads, x, heads[d])) return true;
  return false;
}

// FEATURES.md section 6: the shortest first, ties by the leftmost dependent.
Heads lifted(Heads heads) {
  for (;;) {
    Node next = kNone;
    for (Node d = 1; d < static_cast<Node>(heads.size()); ++d)
      if (is_nonprojective(heads, d) && (next == kNone || std::abs(d - heads[d]) < std::abs(next - heads[next])))
        next = d;
    if (next == kNone) return heads;
    heads[next] = heads[heads[next]];
  }
}

void by_definition() {
  for (int words = 1; words <= 5; ++words)
    check::each_tree(words, false, [&](const Heads& heads) {
      std::vector<Node> found;
      for (const Arc arc : nonprojective_arcs(heads)) {
        assert(heads[arc.dependent] == arc.head);
        found.push_back(arc.dependent);
      }
      for (Node d = 1; d <= words; ++d)
        assert(is_nonprojective(heads, d) == (std::find(found.begin(), found.end(), d) != found.end()));
      const std::vector<int> gaps = gap_degrees(heads);
      for (Node h = 0; h <= words; ++h) {
        int ends = 0;
        for (Node x = 0; x < words; ++x) ends += is_below(heads, x, h) && !is_below(heads, x + 1, h);
        assert(gaps[h] == ends - !is_below(heads, words, h));
      }
      const std::vector<Label> labels(heads.size(), 0);
      Heads expected = lifted(heads);
      expected[kRoot] = heads[kRoot];
      assert(projectivize(heads, labels, Encoding::baseline).heads == expected);
    });
}

// Whatever the marks: the result is a tree, and only marked words have moved.
void any_marks() {
  Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    const Node words = 1 + rng.below(8);
    MarkedTree tree{check::random_tree(words, rng), std::vector<EncodedLabel>(words + 1)};
    for (Node d = 1; d <= words; ++d)
      tree.labels[d] = {rng.below(3), rng.below(4) - 1, rng.below(2) == 0, rng.below(2) == 0};
    for (const Encoding encoding : kEncodings)
      for (const ChildOrder order : kOrders) {
        const Heads after = deprojectivize(tree, encoding, order);
        check_heads(after);
        for (Node d = 1; d <= words; ++d)
          assert(after[d] == tree.heads[d] || (tree.labels[d].lifted && encoding != Encoding::baseline));
      }
  }
}

void marks_and_back() {
  const Heads heads = {kNone, 2, 0, 5, 2, 2};
  const std::vector<Label> labels = {kNoLabel, 0, 1, 2, 3, 4};
  for (const Encoding encoding : kEncodings) {
    const MarkedTree tree = projectivize(heads, labels, encoding);
    const bool marked = encoding != Encoding::baseline;
    assert(tree.heads[3] == 2);
    assert((tree.labels[3] == EncodedLabel{2, marks_head(encoding) ? 4 : kNoLabel, marked, false}));
    assert((tree.labels[5] == EncodedLabel{4, kNoLabel, false, marks_path(encoding)}));
    for (const ChildOrder order : kOrders)
      assert(deprojectivize(tree, encoding, order) == (marked ? heads : tree.heads));
  }
}

void classes() {
  const std::vector<Label> labels = {kNoLabel, 0, 1, 2, 3, 4};
  MarkedTree tree = projectivize({kNone, 2, 0, 5, 2, 2}, labels, Encoding::head_path);
  EncodedLabels::Counter counter;
  counter.add(tree.labels);
  const EncodedLabels all = counter.keep(1), plain = counter.keep(2);
  assert(all.size() == 5 && plain.size() == 5);
  for (std::size_t id = 0; id < all.size(); ++id) assert(all.find(all[id]) == static_cast<int>(id));
  assert(all[3] == tree.labels[3] && all[4] == tree.labels[5]);
  assert(plain.find(tree.labels[3]) == 2 && plain.find({.label = 9}) == -1);
  plain.rewrite(tree.labels);
  assert(std::all_of(tree.labels.begin(), tree.labels.end(), [](const EncodedLabel& l) { return l.plain(); }));
}

template <class Call>
bool is_refused(const Call& call) {
  try {
    call();
  } catch (const TreeError&) {
    return true;
  }
  return false;
}

void what_is_no_tree() {
  for (const Heads& heads : {Heads{kNone}, Heads{kNone, 2, 1}, Heads{kNone, 0, kNone}, Heads{kNone, 5}, Heads{}}) {
    assert(is_refused([&] { projectivize(heads, std::vector<Label>(heads.size(), 0), Encoding::path); }));
    std::vector<EncodedLabel> labels(heads.size());
    for (EncodedLabel& label : labels) label.lifted = true;
    assert(is_refused([&] { deprojectivize({heads, labels}, Encoding::path, ChildOrder::by_distance); }));
  }
  assert(is_refused([] { projectivize({kNone, 0}, {0}, Encoding::path); }));
  assert(is_refused([] { projectivize({kNone, 0, 0, 1}, {0, kNoLabel, 0, 0}, Encoding::head); }));
}

// No recursion: two chains that cross in every word. Putting back may take O(n) for each word, so it gets fewer.
void long_sentences() {
  for (const Node words : {10'000, 100'000}) {
    Heads pairs(words + 1, kNone);
    for (Node d = 1; d <= words; ++d) pairs[d] = std::max(d - 2, kRoot);
    const MarkedTree tree = projectivize(pairs, std::vector<Label>(words + 1, 0), Encoding::head_path);
    assert(nonprojective_arcs(tree.heads).empty());
    assert(gap_degrees(pairs)[1] == words / 2 - 1 && gap_degrees(tree.heads)[1] == 0);
    if (words > 10'000) continue;
    for (const ChildOrder order : kOrders) check_heads(deprojectivize(tree, Encoding::head_path, order));
  }
}

}  // namespace

int main() {
  by_definition();
  any_marks();
  marks_and_back();
  classes();
  what_is_no_tree();
  long_sentences();
}
