// Automata without empty symbols, and with one arc for each symbol.
#pragma once

#include <optional>

#include "fst/automaton.hpp"

namespace dynarc::fst {

// The same without arcs that neither read nor write.
Automaton without_epsilons(const Automaton& automaton);

// An acceptor that gives every sequence the same weight, with one path for each: states are sets of states with what is
// left of their weights (Mohri 1997). Some automata have no such equivalent, and of some it is very large: none if
// there would be more than `limit` states. Weights that differ by less than 1e-9 count as one.
std::optional<Automaton> determinized(const Automaton& acceptor, std::size_t limit);

}  // namespace dynarc::fst
