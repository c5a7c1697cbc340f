// States: undo gives back every state of a walk, shapes restore what legality sees, and no system has a dead end.
#include <cassert>
#include <vector>

#include "walk.hpp"

using namespace dynarc;
using namespace dynarc::test;

namespace {

// Forward to the end, then back step by step to the start.
template <class System>
void undo_all(const System& system, int words, Rng& rng) {
  using State = typename System::State;
  State s;
  system.start(s, words);
  std::vector<State> stops = {s};
  while (!system.is_final(s)) {
    assert(!legal_actions(system, s).empty());
    system.apply(s, random_transition(system, s, rng));
    stops.push_back(s);
    assert(static_cast<std::size_t>(s.history().size()) == stops.size() - 1);
  }
  while (stops.size() > 1) {
    stops.pop_back();
    system.undo(s);
    assert(s.identical(stops.back()));
    assert(legal_actions(system, s) == legal_actions(system, stops.back()));
  }
  assert(s.history().empty());
}

// A detour that is undone leaves no trace in what follows. Swapped buffers are where it could.
template <class System>
void undo_and_go_on(const System& system, int words, Rng& rng) {
  typename System::State s, straight;
  system.start(s, words);
  system.start(straight, words);
  while (!system.is_final(s)) {
    int detour = 0;
    for (; detour < 6 && !system.is_final(s); ++detour) system.apply(s, random_transition(system, s, rng));
    for (; detour > 0; --detour) system.undo(s);
    const Transition t = random_transition(system, s, rng);
    system.apply(s, t);
    system.apply(straight, t);
    assert(s.identical(straight));
  }
}

// Searches store shapes: a state restored from its shape has the same legal moves, and they lead to the same shapes.
template <class System>
void shapes(const System& system, int words, Rng& rng) {
  typename System::State s, restored;
  system.start(s, words);
  system.start(restored, words);
  std::vector<Node> shape, again;
  while (!system.is_final(s)) {
    s.shape(shape);
    restored.restore(shape);
    restored.shape(again);
    assert(shape == again);
    assert(legal_actions(system, s) == legal_actions(system, restored));
    for (const Action a : legal_actions(system, s)) {
      typename System::State after = s;
      system.apply(after, {a});
      after.shape(shape);
      system.apply(restored, {a});
      restored.shape(again);
      assert(shape == again);
      assert(system.is_final(after) == system.is_final(restored));
      system.undo(restored);
    }
    system.apply(s, random_transition(system, s, rng));
  }
}

}  // namespace

int main() {
  Rng rng(1);
  each_configured_system([&](const auto& system) {
    for (const int words : {1, 2, 3, 5, 9, 20, 60})
      for (int repeat = 0; repeat < 6; ++repeat) {
        undo_all(system, words, rng);
        undo_and_go_on(system, words, rng);
        if (words <= 20) shapes(system, words, rng);
      }
  });
}
