// Timed walks through gold trees: what an oracle call costs in training-like conditions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace dynarc::check {

struct WalkSpec {
  std::string system;
  Options options;
  std::vector<std::vector<Node>> golds;  // each 0..n
  double errors = 0.1;                   // share of random moves; the others follow the oracle
  double shifted = 0;  // share of the words that are shifted blindly first: what an untrained model may do
  std::uint64_t seed = 1;
  int repeat = 1;         // timed repetitions of the whole set
  std::size_t limit = 0;  // on one search; 0 is the default
};

struct WalkReport {
  std::uint64_t steps = 0;                              // transitions taken
  std::uint64_t evaluations = 0;                        // costs computed
  double oracle_seconds = 0;                            // spent on costs and their bookkeeping
  double apply_seconds = 0;                             // spent on the same walks without any oracle
  std::uint64_t searched = 0, tabled = 0, skipped = 0;  // states by tier (arc-standard, Attardi)
  // One entry per step, where steps are timed one by one (arc-standard, Attardi).
  std::vector<std::int32_t> depth, reduced_buffer;
  std::vector<float> microseconds;
};

WalkReport time_walks(const WalkSpec& spec);

// A tree that the system builds by random moves.
std::vector<Node> random_derivable_tree(const std::string& system, Options options, int words, std::uint64_t seed);

}  // namespace dynarc::check
