// Automata and generic oracles: composition, distances, determinisation, walks; and what they refuse.
#include <cassert>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "fst/compose.hpp"
#include "fst/determinize.hpp"
#include "fst/distance.hpp"
#include "fst/oracle.hpp"
#include "learn/linear_learner.hpp"

using namespace dynarc;
using namespace dynarc::fst;

namespace {

template <class F>
bool throws(F&& f) {
  try {
    f();
  } catch (const AutomatonError&) {
    return true;
  }
  return false;
}

Automaton random_automaton(Rng& rng, bool acceptor) {
  Automaton out;
  out.add_states(5);
  out.set_start(0);
  for (int i = 0; i < 12; ++i) {
    const Symbol read = rng.below(4), written = acceptor ? read : rng.below(4);
    out.add_arc(rng.below(5), {read, written, rng.below(5), static_cast<Weight>(rng.below(4))});
  }
  out.set_final(rng.below(5), 0);
  return out;
}

void test_compositions() {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    const auto a = std::make_shared<Automaton>(random_automaton(rng, false));
    const auto b = std::make_shared<Automaton>(random_automaton(rng, false));
    const Automaton whole = compose(*a, *b);
    LazyComposition lazy(a, b);
    const Weight least = whole.states() == 0 ? kInfinity : shortest_distance(whole, true)[whole.start()];
    assert(shortest_path(lazy).weight == least);
  }
}

void test_determinism() {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    const Automaton a = random_automaton(rng, true);
    const auto single = determinized(a, 50);
    if (!single || single->states() == 0) continue;
    assert(shortest_path(*single).weight == shortest_path(a).weight);
    for (StateId s = 0; s < single->states(); ++s) {
      Symbol last = kEpsilon;
      for (const fst::Arc& arc : single->by_input(s)) {
        assert(arc.input != kEpsilon && arc.input != last);
        last = arc.input;
      }
    }
    const Automaton plain = without_epsilons(a);
    assert(shortest_path(plain).weight == shortest_path(a).weight);
  }
}

// Words of two symbols, n of them; one that is not the gold one costs 1.
void test_walk() {
  constexpr int kWords = 6;
  Automaton all, loss, gold;
  all.add_states(kWords + 1);
  gold.add_states(kWords + 1);
  loss.add_state();
  all.set_start(0);
  gold.set_start(0);
  loss.set_start(0);
  for (int i = 0; i < kWords; ++i) {
    gold.add_arc(i, {1 + i % 2, 1 + i % 2, i + 1, 0});
    for (Symbol s = 1; s <= 3; ++s) all.add_arc(i, {s, s, i + 1, 0});
  }
  for (Symbol s = 1; s <= 3; ++s)
    for (Symbol t = 1; t <= 3; ++t) loss.add_arc(0, {s, t, 0, s == t ? 0.0 : 1.0});
  all.set_final(kWords, 0);
  gold.set_final(kWords, 0);
  loss.set_final(0, 0);
  OracleWalk walk(std::make_shared<OracleMachine>(all, compose(loss, gold)));
  std::vector<std::pair<Symbol, Weight>> values;
  Weight lost = 0;
  for (int i = 0; i < kWords; ++i) {
    walk.values(values);
    assert(values.size() == 3 && walk.loss() == lost);
    for (const auto& [symbol, value] : values) assert(value == lost + (symbol == 1 + i % 2 ? 0 : 1));
    assert(!walk.advance(OracleWalk::kStop) && !walk.advance(7));
    assert(walk.advance(i < 2 ? 3 : 1));
    lost += i < 2 || i % 2 == 1;
  }
  OracleWalk twin = walk;
  assert(walk.advance(OracleWalk::kStop) && walk.stopped() && walk.loss() == lost && !twin.stopped());
  assert(!walk.advance(1));
}

void test_refusals() {
  Automaton a;
  assert(throws([&] { shortest_distance(a, false); }));
  a.add_state();
  assert(throws([&] { a.add_arc(0, {1, 1, 4, 0}); }));
  assert(throws([&] { a.add_arc(0, {-1, 1, 0, 0}); }));
  assert(throws([&] { a.set_final(0, std::nan("")); }));
  a.set_start(0);
  a.add_arc(0, {1, 1, 0, -1});
  a.set_final(0, 0);
  assert(throws([&] { shortest_distance(a, false); }));
  assert(throws([&] { OracleMachine machine(a); }));
  Automaton empty;
  empty.set_start(empty.add_state());
  assert(throws([&] { OracleMachine machine(empty); }));
}

void test_learners() {
  for (const Learner learner : {Learner::perceptron, Learner::passive_aggressive, Learner::adagrad_rda}) {
    LearnOptions options;
    options.learner = learner;
    options.aggressiveness = 1;
    Decisions all;
    const std::vector<std::uint16_t> allowed{0, 1, 2};
    for (Key key = 1; key < 30; ++key) {
      const std::vector<Key> keys{key * 0x9E3779B97F4A7C15u, 77};
      std::vector<float> costs{1, 1, 1};
      costs[key % 3] = 0;
      all.add(keys, allowed, costs);
    }
    LinearLearner learned(3, options);
    for (int i = 0; i < 20; ++i) learned.fit(all);
    for (std::size_t i = 0; i < all.size(); ++i) assert(all[i].costs[learned.best(all[i].keys, allowed)] == 0);
    assert(!learned.weights().keys().empty());
  }
}

}  // namespace

int main() {
  test_compositions();
  test_determinism();
  test_walk();
  test_refusals();
  test_learners();
}
