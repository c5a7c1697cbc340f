// Weighted automata and transducers over the tropical semiring: weights are added along a path, and of several paths
// the least counts.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dynarc::fst {

using StateId = std::int32_t;
using Symbol = std::int32_t;
using Weight = double;

inline constexpr Symbol kEpsilon = 0;
inline constexpr StateId kNoState = -1;
inline constexpr Weight kInfinity = std::numeric_limits<Weight>::infinity();

struct Arc {
  Symbol input, output;
  StateId target;
  Weight weight;
};

// What can be walked over: an automaton that is there, or one that is made while someone walks over it.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual StateId start() = 0;
  // Valid until arcs are asked for again.
  virtual std::span<const Arc> arcs(StateId state) = 0;
  virtual Weight final_weight(StateId state) = 0;  // infinite if nothing may end here
};

class Automaton {
 public:
  StateId add_state();
  void add_states(StateId count);
  void add_arc(StateId source, const Arc& arc);
  void set_final(StateId state, Weight weight);
  void set_start(StateId state);

  StateId start() const { return start_; }
  StateId states() const { return static_cast<StateId>(final_.size()); }
  std::size_t arc_count() const { return arcs_.size(); }
  Weight final_weight(StateId state) const { return final_[checked(state)]; }
  const std::vector<Weight>& final_weights() const { return final_; }

  // In the order in which they were added. The first call after a change sorts all arcs by where they begin.
  std::span<const Arc> arcs(StateId state) const {
    seal();
    return {arcs_.data() + begin_[checked(state)], arcs_.data() + begin_[state + 1]};
  }
  // The same by input symbol.
  std::span<const Arc> by_input(StateId state) const {
    sort();
    return {sorted_.data() + begin_[state], sorted_.data() + begin_[state + 1]};
  }

  bool has_negative_weights() const;
  bool is_acceptor() const;  // every arc has the same input and output

  // Only the states on some path from the start to an end. `kept` is what they were called before. An automaton that
  // accepts nothing has no states afterwards.
  Automaton trimmed(std::vector<StateId>* kept = nullptr) const;
  Automaton projected(bool output) const;
  Automaton inverted() const;
  // Symbol s becomes map[s].
  Automaton relabelled(std::span<const Symbol> map) const;
  // Of several: accepts what one of them accepts, at the least weight, to which `weights` are added.
  static Automaton union_of(std::span<const Automaton* const> parts, std::span<const Weight> weights);

  // Throws AutomatonError if there is no start.
  void check_start() const;

 private:
  StateId checked(StateId state) const;
  void seal() const;
  void sort() const;

  StateId start_ = kNoState;
  std::vector<Weight> final_;
  // Arcs are collected with their sources, then sealed: arcs of state s are those from begin_[s] on. All mutable, for
  // none of it changes what the automaton is.
  mutable std::vector<Arc> arcs_, sorted_;
  mutable std::vector<StateId> sources_;
  mutable std::vector<std::uint32_t> begin_;
  mutable bool sealed_ = false;
};

// An automaton as a machine.
class Whole final : public Machine {
 public:
  explicit Whole(const Automaton& automaton) : automaton_(automaton) {}
  StateId start() override { return automaton_.start(); }
  std::span<const Arc> arcs(StateId state) override { return automaton_.arcs(state); }
  Weight final_weight(StateId state) override { return automaton_.final_weight(state); }

 private:
  const Automaton& automaton_;
};

}  // namespace dynarc::fst
