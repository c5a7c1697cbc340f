// Exhaustive and sampled comparison of an oracle with brute force.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace dynarc::check {

enum class Golds : std::uint8_t { all, projective, derivable };

struct Spec {
  std::string system;
  Options options;
  Method method = Method::automatic;
  Inexact inexact = Inexact::search;
  std::size_t limit = 0;  // on one search; 0 is the default

  int words = 4;
  Golds golds = Golds::all;
  bool partial = false;  // also trees with unknown heads
  int labels = 0;        // of transitions; 0: unlabelled
  int gold_labels = -1;  // of gold trees; -1: as many as transitions have, 0: unknown
  Cost label_price = 1;  // price of a wrong label, in parts of the price of a wrong head
  Cost unit = 1;         // price of a wrong head
  int weights = 0;       // > 0: prices drawn from 0..weights times unit instead
  int samples = 0;       // > 0: that many random gold trees and walks instead of all
  std::uint64_t seed = 1;
  int threads = 2;
};

struct CounterExample {
  std::vector<Node> gold;                // 0..n
  std::vector<Label> gold_labels;        // 0..n
  std::vector<Cost> prices;              // 0..n
  std::vector<Transition> derivation;    // from the start to the state
  std::optional<Transition> transition;  // whose cost is wrong; none: the loss of the state itself
  Cost expected = 0, got = 0;
};

struct Report {
  std::uint64_t golds = 0;
  std::uint64_t states = 0;  // pairs of gold tree and state
  std::uint64_t costs = 0;   // transitions compared
  std::uint64_t wrong_losses = 0;
  std::uint64_t wrong_costs = 0;
  std::uint64_t wrong_sets = 0;       // minimum-cost set holds a transition that is not optimal
  std::uint64_t incomplete_sets = 0;  // it lacks one that is
  std::uint64_t no_free_move = 0;     // no transition has cost 0 by the oracle
  std::uint64_t unknown = 0;          // states where the oracle gave up
  bool exact = true;                  // what the oracle says of itself, for every gold tree
  std::optional<CounterExample> first;
};

Report run(const Spec& spec);

// Arc decomposition: is a set of arcs reachable together whenever each is alone? All gold trees, all states.
struct Decomposition {
  std::uint64_t states = 0;
  std::uint64_t broken = 0;
  std::optional<CounterExample> first;  // smallest: fewest words, then fewest transitions; got = arcs lost one by one
};
Decomposition decompose(const Spec& spec);

// Counts the trees that a system's derivations end in, and compares them with those its static oracle
// derives.
struct Derivable {
  std::uint64_t trees = 0, outputs = 0, derived = 0, disagreements = 0, dead_ends = 0, multi_root = 0;
};
Derivable derivable(const Spec& spec);

}  // namespace dynarc::check
