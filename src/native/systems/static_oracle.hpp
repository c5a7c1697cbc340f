// The canonical derivation of a tree: the static rule of a system followed from the start.
#pragma once

#include <optional>
#include <vector>

#include "treebank/gold.hpp"

namespace dynarc {

// What an action of the gold derivation is called with labels.
template <class System>
Transition gold_transition(const System& system, const typename System::State& s, Action a, const Gold& gold) {
  const Arc arc = system.arc(s, a);
  return {a, arc && gold.head(arc.dependent) == arc.head ? gold.label(arc.dependent) : kNoLabel};
}

// Calls f(state, transition) before each step. True if the derivation ends in the gold tree.
template <class System, class F>
bool follow_static_rule(const System& system, const Gold& gold, ReduceRule reduce, F&& f) {
  typename System::State s;
  system.start(s, gold.words());
  while (!system.is_final(s)) {
    const std::optional<Action> a = system.static_rule(s, gold, reduce);
    if (!a) return false;
    const Transition t = gold_transition(system, s, *a, gold);
    f(s, t);
    system.apply(s, t);
  }
  return s.heads() == gold.heads();
}

// The static-oracle sequence of `gold`, or nothing if the system cannot derive it.
template <class System>
std::optional<std::vector<Transition>> derive(const System& system, const Gold& gold, ReduceRule reduce) {
  std::vector<Transition> sequence;
  const auto keep = [&](const auto&, Transition t) { sequence.push_back(t); };
  if (!follow_static_rule(system, gold, reduce, keep)) return std::nullopt;
  return sequence;
}

}  // namespace dynarc
