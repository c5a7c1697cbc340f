// The search of arc-standard and Attardi on long sentences, whose stacks need wide masks, and what it is made of.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/flat_index.hpp"
#include "base/mask.hpp"
#include "check/gold_trees.hpp"
#include "walk.hpp"

using namespace dynarc;
using namespace dynarc::test;

namespace {

template <int W>
void masks() {
  using M = Mask<W>;
  const std::vector<int> edges = {0, 1, 62, 63, 64, 65, 127, 128, M::kBits - 2, M::kBits - 1};
  M empty;
  assert(!empty.any() && empty.highest_below(M::kBits) == -1 && empty.highest_below(0) == -1);
  for (const int i : edges) {
    if (i >= M::kBits) continue;
    M one;
    one.set(i);
    assert(one.any() && one.test(i) && !(one == empty) && one.intersects(one) && !one.intersects(empty));
    assert(one.highest_below(i) == -1 && one.highest_below(i + 1) == i && one.highest_below(M::kBits) == i);
    int members = 0;
    one.each([&](int x) { members += x == i ? 1 : 100; });
    assert(members == 1);
    M other = one;
    other.clear(i);
    assert(other == empty && (one | empty) == one && !(one & empty).any());
  }
  // Against a set that cannot be wrong.
  Rng rng(W);
  M mask;
  std::set<int> truth;
  for (int step = 0; step < 3000; ++step) {
    const int i = rng.below(M::kBits);
    if (rng.below(2)) {
      mask.set(i);
      truth.insert(i);
    } else {
      mask.clear(i);
      truth.erase(i);
    }
    const int limit = rng.below(M::kBits + 1);
    const auto at = truth.lower_bound(limit);
    assert(mask.highest_below(limit) == (at == truth.begin() ? -1 : *std::prev(at)));
    assert(mask.test(i) == truth.contains(i));
    std::vector<int> members;
    mask.each([&](int x) { members.push_back(x); });
    assert(std::equal(members.begin(), members.end(), truth.begin(), truth.end()));
  }
}

struct Key {
  std::uint64_t value;
  std::size_t home;  // several keys may share one, and the table must tell them apart
  std::size_t hash() const { return home; }
  friend bool operator==(const Key&, const Key&) = default;
};
struct Entry {
  Key key;
  int payload;
};

// Runs of colliding keys, growth in the middle of them, and clearing by entry (few) and by slot (many).
void flat_index() {
  FlatIndex<Entry> index;
  assert(index.size() == 0 && index.find(Key{1, 1}) == -1);
  Rng rng(7);
  for (const int count : {0, 1, 3, 7, 8, 31, 32, 33, 500, 5, 20000, 2}) {
    const std::size_t homes = count > 1000 ? 50000 : 40;
    std::vector<Key> keys;
    for (int i = 0; i < count; ++i) keys.push_back({static_cast<std::uint64_t>(i), rng.next() % homes + 60});
    for (int i = 0; i < count; ++i) {
      assert(index.find(keys[i]) == -1);
      assert((index.insert({keys[i], i}) == std::pair{i, true}));
      assert((index.insert({keys[i], -1}) == std::pair{i, false}));
    }
    assert(index.size() == static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) assert(index[index.find(keys[i])].payload == i);
    index.clear();
    assert(index.size() == 0);
    for (const Key& key : keys) assert(index.find(key) == -1);
  }
}

Cost wrong_arcs_built(const StackState& s, const Gold& gold) {
  Cost sum = 0;
  for (Node d = 1; d <= gold.words(); ++d) sum += !s.headless(d) && s.head(d) != gold.head(d);
  return sum;
}

struct Count {
  int states = 0, skipped = 0, costs = 0, tabled = 0;
};

// One walk with a share of random moves: the sets found with cutoffs are those of cost 0, costs telescope into the
// loss, and now and then the table agrees. The price of a bad move may be out of reach where the set is not. Costs
// asked for up to a bound are the same, with and without what was found before.
template <class System>
void near_gold_walk(const System& system, const Gold& gold, double errors, int table_every, Rng& rng, Count& count) {
  typename System::Costs costs(system, gold), for_sets(system, gold);
  typename System::State s;
  system.start(s, gold.words());
  std::optional<Cost> expected = 0;
  while (!system.is_final(s)) {
    const std::vector<Action> legal = legal_actions(system, s);
    Action next = pick(legal, rng);
    std::vector<Action> set;
    std::optional<Cost> now;
    ++count.states;
    try {
      for_sets.each_optimal(s, [&](Action a) { set.push_back(a); });
      now = costs.loss(s);
      assert(!set.empty() && (!expected || now == expected));
      if (rng.uniform() >= errors) next = pick(set, rng);
    } catch (const SearchLimit&) {
      ++count.skipped;
      set.clear();
    }
    expected.reset();
    const bool price_all = gold.words() <= 65 || count.states % 10 == 0;
    for (const Action a : legal) {
      if (a != next && !price_all) continue;
      try {
        const Cost cost = costs.cost(s, a);
        const bool in_set = std::find(set.begin(), set.end(), a) != set.end();
        assert(cost >= 0 && (set.empty() || in_set == (cost == 0)));
        if (now && a == next) expected = *now + cost;
        ++count.costs;
        if (count.states % 5 != 0) continue;
        for (const Cost most : {Cost{0}, Cost{1}}) {
          const Cost bounded = costs.cost(s, a, most), afresh = typename System::Costs(system, gold).cost(s, a, most);
          assert(cost <= most ? bounded == cost && afresh == cost : bounded > most && afresh > most);
        }
      } catch (const SearchLimit&) {
      }
    }
    if (now && table_every && count.states % table_every == 0) {
      if (const auto future = system.table(s, gold, false)) {
        assert(*future + wrong_arcs_built(s, gold) == *now);
        ++count.tabled;
      }
    }
    system.apply(s, {next});
  }
  if (expected) assert(*expected == wrong_arcs_built(s, gold));
}

// The tree of a run that keeps its stack low and crosses few arcs, as those of sentences are. Wild ones are for the
// exhaustive tests: at these lengths their exact costs are out of reach.
template <class System>
Gold likely_tree(const System& system, int words, Rng& rng) {
  typename System::State s;
  system.start(s, words);
  while (!system.is_final(s)) {
    std::vector<Action> likely;
    for (const Action a : legal_actions(system, s)) {
      const bool crosses = a.move == Move::left2 || a.move == Move::right2;
      if (a.move == Move::shift ? rng.below(s.depth() + 1) < 2 : !crosses || rng.below(10) == 0) likely.push_back(a);
    }
    system.apply(s, {pick(likely.empty() ? legal_actions(system, s) : likely, rng)});
  }
  std::vector<Node> heads;
  system.finish(s, heads);
  return Gold::unlabelled(heads);
}

// 63 and 64 words end one word of the mask and begin the next, 127 and 128 the second; the others are as long as the
// longest sentences of a treebank.
template <class System>
void long_sentences(const std::vector<int>& lengths) {
  for (const RootPlace root : {RootPlace::first, RootPlace::last})
    for (const bool single_root : {false, true}) {
      const System system({root, Headless::forest, single_root});
      Rng rng(11);
      for (const int words : lengths) {
        Count count;
        const Gold gold = likely_tree(system, words, rng);
        for (const double errors : {0.0, 0.1}) near_gold_walk(system, gold, errors, words > 150 ? 0 : 25, rng, count);
        assert(count.states >= 4 * words && count.skipped * 50 <= count.states);
        if (words <= 65 && !(single_root && std::is_same_v<System, Attardi>)) assert(count.tabled > 0);
      }
    }
}

// The same gold tree with children of ROOT behind it needs a wider mask and costs the same.
void width_does_not_matter() {
  const Attardi system({RootPlace::first, Headless::forest, false});
  Rng rng(5);
  int compared = 0, skipped = 0;
  for (const int words : {5, 10, 20}) {
    const Gold narrow = likely_tree(system, words, rng);
    for (const int wide_words : {62, 63, 64, 126, 127, 128, 255, 256, 575, 576, 700}) {
      std::vector<Node> heads = narrow.heads();
      heads.resize(wide_words + 1, kRoot);
      const Gold wide = Gold::unlabelled(heads);
      Attardi::Costs one(system, narrow), other(system, wide);
      StackState s, t;
      system.start(s, narrow.words());
      system.start(t, wide.words());
      while (!system.is_final(s)) {
        const std::vector<Action> legal = legal_actions(system, s);
        std::vector<Action> free;
        for (const Action a : legal) {
          const Cost cost = one.cost(s, a);
          if (cost == 0) free.push_back(a);
          try {
            assert(cost == other.cost(t, a) && one.loss(s) == other.loss(t));
            ++compared;
          } catch (const SearchLimit&) {
            ++skipped;  // an error can be made good at any later place, and there are many more of those
          }
        }
        const Action a = pick(rng.below(20) == 0 ? legal : free, rng);
        system.apply(s, {a});
        system.apply(t, {a});
      }
    }
  }
  assert(compared > 1000 && skipped * 10 < compared);
}

void too_long() {
  const Attardi system({RootPlace::first, Headless::forest, false});
  std::vector<Node> heads(ReductionSearch::kMaxWords + 2, kRoot);
  heads[0] = kNone;
  bool refused = false;
  try {
    Attardi::Costs(system, Gold::unlabelled(heads));
  } catch (const SearchLimit&) {
    refused = true;
  }
  assert(refused);
  heads.pop_back();
  const Gold longest = Gold::unlabelled(heads);
  Attardi::Costs costs(system, longest);
  StackState s;
  system.start(s, longest.words());
  assert(costs.loss(s) == 0);
}

}  // namespace

int main() {
  masks<1>();
  masks<2>();
  masks<9>();
  masks<32>();
  flat_index();
  long_sentences<Attardi>({63, 64, 65, 127, 128, 300, 523});
  long_sentences<ArcStandard>({63, 64, 65, 127, 128, 300, 523});
  width_does_not_matter();
  too_long();
}
