// Exact future loss for arc-standard and Attardi by normalised uniform-cost search (ORACLES 5.4,
// FEATURES 8.1).
//
// In these systems the stack is always in sentence order and every present word is headless, so a
// configuration is a set of stack positions and a buffer position. Call a present word *orphan* if its gold
// head is not present, and *finished* if none of its gold dependents is present. The loss still to come is
//
//   price of the orphans + shortest path to the final configuration, where
//     shifting costs nothing,
//     removing one of the top three costs its own arc, unless orphan or available now, plus its present
//     dependents, a finished word that is an orphan or whose arc is available is removed at once (a safe
//     move).
//
// The search is guided by what the rest of the buffer must lose by itself, which no stack can make good for.
// Whatever gold: derivable or not, partial, weighted. Exponential in the worst case, hence the limit on work.
#pragma once

#include <memory>
#include <vector>

#include "systems/stack_state.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

struct ReductionRules {
  bool root_last = false;
  bool single_root = false;
  bool two = true;  // LEFT2 and RIGHT2 exist (Attardi)
};

class ReductionSearch {
 public:
  virtual ~ReductionSearch() = default;

  // Widest sentence that has a mask. Beyond it, and where the search gives up, SearchLimit is thrown.
  static constexpr int kMaxWords = 2047;

  static std::unique_ptr<ReductionSearch> make(const Gold& gold, ReductionRules rules, std::size_t limit);

  // Length of the shortest path from `s`, or from what `s` becomes by `a`. If it is more than `cutoff`, some
  // number above `cutoff` and not above the length. Remembers what it found for all later calls on this gold
  // tree.
  virtual Cost path(const StackState& s, const Action* a, Cost cutoff) = 0;

  // Price of the arcs that `a` puts out of reach: its own if wrong, and those of present dependents.
  virtual Cost step(const StackState& s, Action a) = 0;

  // Price of the present words whose gold head is gone.
  virtual Cost orphans(const StackState& s) = 0;

  static constexpr Cost kNoCutoff = INT64_MAX;
};

}  // namespace dynarc
