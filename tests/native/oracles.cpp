// Oracles against brute force for up to three words, and the O(1) bookkeeping of training against a fresh count.
#include <cassert>
#include <cstdio>
#include <string>

#include "check/check.hpp"
#include "check/gold_trees.hpp"
#include "walk.hpp"

using namespace dynarc;
using namespace dynarc::test;

namespace {

template <class System>
constexpr bool kSwap = std::is_same_v<System, ArcHybridSwap>;
template <class System>
constexpr bool kCovington = std::is_same_v<System, Covington>;

template <class System>
check::Spec spec_of(const System& system, int words) {
  check::Spec spec;
  spec.system = System::kName;
  spec.options = system.options();
  spec.words = words;
  return spec;
}

void must_hold(const check::Spec& spec, bool exact) {
  const check::Report report = check::run(spec);
  assert(report.golds > 0 && report.states > 0 && report.costs > 0);
  assert(report.exact == exact);
  if (!exact) return;
  if (report.wrong_losses + report.wrong_costs + report.unknown > 0)
    std::fprintf(stderr, "%s, %d words: the oracle is wrong\n", spec.system.c_str(), spec.words);
  assert(report.wrong_losses == 0 && report.wrong_costs == 0 && report.unknown == 0);
  assert(report.wrong_sets == 0 && report.incomplete_sets == 0 && report.no_free_move == 0 && !report.first);
}

// Every gold tree and state, whole and partial, bare, weighted and labelled.
template <class System>
void against_brute_force(const System& system) {
  const bool approximate = kSwap<System> || (kCovington<System> && system.options().single_root);
  for (int words = 1; words <= 3; ++words) {
    check::Spec spec = spec_of(system, words);
    must_hold(spec, !approximate);
    spec.method = Method::search;
    must_hold(spec, true);
    spec.partial = true;
    must_hold(spec, true);
    spec.weights = 3;
    must_hold(spec, true);
    spec = spec_of(system, words);
    spec.method = Method::search;
    spec.labels = 2;
    must_hold(spec, true);
  }
  check::Spec spec = spec_of(system, 6);
  spec.method = Method::search;
  spec.samples = 5;
  must_hold(spec, true);
}

template <class System>
void derivable(const System& system) {
  for (int words = 1; words <= 4; ++words) {
    const check::Derivable found = check::derivable(spec_of(system, words));
    assert(found.outputs == found.derived && found.disagreements == 0 && found.dead_ends == 0);
    assert(!system.options().single_root || found.multi_root == 0);
  }
}

// Training moves its costs along with the state (ORACLES 1.6): at every step they are those of a fresh start.
template <class System>
void bookkeeping(const System& system, Rng& rng) {
  for (const int words : {1, 2, 3, 6, 12, 25})
    for (int repeat = 0; repeat < 8; ++repeat) {
      std::vector<Node> heads = words <= 6 ? check::random_tree(words, rng) : check::random_output(system, words, rng);
      std::vector<Cost> price(heads.size(), 1);
      if (repeat % 2)
        for (Node d = 1; d <= words; ++d) {
          if (rng.below(5) == 0) heads[d] = kNone;
          price[d] = rng.below(4);
        }
      const Gold gold(heads, std::vector<Label>(heads.size(), kNoLabel), price, price);
      typename System::Costs moved(system, gold), fresh(system, gold);
      typename System::State s;
      system.start(s, words);
      moved.reset(s);
      for (;;) {
        fresh.reset(s);
        assert(moved.loss(s) == fresh.loss(s));
        if (system.is_final(s)) break;
        for (const Action a : legal_actions(system, s)) assert(moved.cost(s, a) == fresh.cost(s, a));
        const Action a = pick(legal_actions(system, s), rng);
        moved.advance(s, a);
        system.apply(s, {a});
      }
    }
}

// The formula costs are by how much the single arcs out of reach grow, whatever the gold (FEATURES 8.2).
template <class System>
void telescoping(const System& system) {
  for (int words = 1; words <= 3; ++words)
    check::each_tree(words, false, [&](const std::vector<Node>& heads) {
      const Gold gold = Gold::unlabelled(heads);
      typename System::Costs costs(system, gold);
      Rng rng(words);
      for (int repeat = 0; repeat < 20; ++repeat) {
        typename System::State s;
        system.start(s, words);
        while (!system.is_final(s)) {
          costs.reset(s);
          const Cost before = costs.unreachable(s);
          const Action a = pick(legal_actions(system, s), rng);
          const Cost lost = costs.lost(s, a);
          assert(lost >= 0);
          system.apply(s, {a});
          costs.reset(s);
          assert(costs.unreachable(s) == before + lost);
        }
        std::vector<Node> output;
        system.finish(s, output);
        Cost wrong = 0;
        for (Node d = 1; d <= words; ++d) wrong += output[d] != gold.head(d);
        assert(costs.unreachable(s) == wrong);
      }
    });
}

}  // namespace

int main() {
  Rng rng(3);
  each_configured_system([&]<class System>(const System& system) {
    against_brute_force(system);
    derivable(system);
    if constexpr (!std::is_same_v<System, ArcStandard> && !std::is_same_v<System, Attardi>) bookkeeping(system, rng);
    if constexpr (std::is_same_v<System, ArcEager> || std::is_same_v<System, ArcHybrid> ||
                  std::is_same_v<System, EasyFirst>)
      telescoping(system);
  });
}
