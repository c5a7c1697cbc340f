// Composition: what one transducer writes, another reads.
#pragma once

#include <memory>
#include <unordered_map>

#include "fst/automaton.hpp"

namespace dynarc::fst {

// Pairs of states, numbered as they come.
class PairNumbers {
 public:
  PairNumbers() : slots_(1 << 10) {}
  StateId number(StateId first, StateId second);
  std::pair<StateId, StateId> operator[](StateId number) const { return pairs_[number]; }
  StateId size() const { return static_cast<StateId>(pairs_.size()); }

 private:
  std::size_t place(std::uint64_t key) const;
  void grow();

  std::vector<StateId> slots_;  // the number and 1; 0 is free
  std::vector<std::pair<StateId, StateId>> pairs_;
};

// The composition of two automata, made state by state as someone asks for it. No filter keeps paths apart that differ
// only in the order of empty symbols: all of them weigh the same, and the least weight is all that counts (ORACLES 8).
class LazyComposition final : public Machine {
 public:
  LazyComposition(std::shared_ptr<const Automaton> first, std::shared_ptr<const Automaton> second);

  StateId start() override { return 0; }
  std::span<const Arc> arcs(StateId state) override;
  Weight final_weight(StateId state) override;
  // The states of the two that a state stands for; AutomatonError if it has not been met.
  std::pair<StateId, StateId> pair(StateId state) const;
  StateId states() const { return numbers_.size(); }  // met so far

 private:
  std::shared_ptr<const Automaton> first_, second_;
  PairNumbers numbers_;
  std::unordered_map<StateId, std::vector<Arc>> made_;
};

// All of it at once, trimmed.
Automaton compose(const Automaton& first, const Automaton& second);

// Calls f(arc) for the arcs of a pair of states; their targets are numbers of pairs.
template <class F>
void each_composed(const Automaton& first, const Automaton& second, StateId a, StateId b, PairNumbers& numbers, F&& f) {
  const std::span<const Arc> right = second.by_input(b);
  for (const Arc& x : right) {
    if (x.input != kEpsilon) break;
    f(Arc{kEpsilon, x.output, numbers.number(a, x.target), x.weight});
  }
  for (const Arc& x : first.arcs(a)) {
    if (x.output == kEpsilon) {
      f(Arc{x.input, kEpsilon, numbers.number(x.target, b), x.weight});
      continue;
    }
    // The first arc that reads the symbol: lists are short, most of the time.
    const Arc* low = right.data();
    for (std::size_t size = right.size(); size > 0;) {
      const std::size_t half = size / 2;
      const bool before = low[half].input < x.output;
      low = before ? low + half + 1 : low;
      size = before ? size - half - 1 : half;
    }
    for (const Arc* const end = right.data() + right.size(); low != end && low->input == x.output; ++low)
      f(Arc{x.input, low->output, numbers.number(x.target, low->target), x.weight + low->weight});
  }
}

}  // namespace dynarc::fst
