// Least weights of paths.
#pragma once

#include "fst/automaton.hpp"

namespace dynarc::fst {

// Of each state, the least weight of a path from the start to it or, with `reverse`, from it to an end (its final
// weight included). Dijkstra's algorithm where no weight is negative, else Bellman and Ford's; AutomatonError at a
// cycle that makes paths ever lighter.
std::vector<Weight> shortest_distance(const Automaton& automaton, bool reverse);

struct Path {
  Weight weight = kInfinity;
  std::vector<Arc> arcs;
};

// The lightest path from start to an end of a machine that has no negative weights, walked over no further than needed.
// No arcs and an infinite weight if there is none.
Path shortest_path(Machine& machine);
// The same for an automaton with any weights.
Path shortest_path(const Automaton& automaton);

}  // namespace dynarc::fst
