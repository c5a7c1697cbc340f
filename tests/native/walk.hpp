// Random walks through every system with every option, for the native tests.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "systems/registry.hpp"

namespace dynarc::test {

// Calls f(system) for every system with every combination of options that it accepts.
template <class F>
void each_configured_system(F&& f) {
  each_system([&]<class System>(std::type_identity<System>) {
    for (const RootPlace root : {RootPlace::first, RootPlace::last})
      for (const Headless headless : {Headless::forest, Headless::attach})
        for (const bool single_root : {false, true}) {
          if (headless == Headless::attach && !System::kLeavesHeadless) continue;
          try {
            System({root, headless, single_root});
          } catch (const ConfigError&) {
            continue;
          }
          f(System({root, headless, single_root}));
        }
  });
}

template <class System>
std::vector<Action> legal_actions(const System& system, const typename System::State& s) {
  std::vector<Action> actions;
  system.each_legal(s, [&](Action a) { actions.push_back(a); });
  return actions;
}

inline Action pick(const std::vector<Action>& actions, Rng& rng) {
  return actions[rng.below(static_cast<int>(actions.size()))];
}

// Takes one random legal transition, labelled at random if it builds an arc.
template <class System>
Transition random_transition(const System& system, const typename System::State& s, Rng& rng) {
  const Action a = pick(legal_actions(system, s), rng);
  return {a, system.arc(s, a) ? rng.below(3) : kNoLabel};
}

}  // namespace dynarc::test
