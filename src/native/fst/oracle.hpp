// The dynamic oracle of any left-to-right task (Teichmann and Venant; ORACLES 8, construction 2).
#pragma once

#include "fst/automaton.hpp"

namespace dynarc::fst {

// All ways to go from admissible action sequences, by the loss, to a gold one; of each state the least loss of what can
// follow. Made once for an input and its gold; walks over it share it.
class OracleMachine {
 public:
  // `rest` reads what `constraints` write: the loss composed with the gold sequences. AutomatonError if no admissible
  // sequence has a finite loss.
  //
  // Symbols that are read at the same places to the same effect are treated as one: of 26 labels, mostly all that are
  // not in the gold tree.
  OracleMachine(const Automaton& constraints, const Automaton& rest);
  // Of an acceptor of action sequences, each with its loss.
  explicit OracleMachine(const Automaton& losses);

  struct Edge {
    Symbol input;  // what stands for all symbols of its class
    StateId target;
    Weight weight;
  };
  // Edges that read nothing come first, the others by what they read.
  std::span<const Edge> edges(StateId s) const { return {edges_.data() + begin_[s], edges_.data() + begin_[s + 1]}; }
  Weight final_weight(StateId s) const { return final_[s]; }
  Weight rest(StateId s) const { return rest_[s]; }  // V: the least weight from here to an end
  StateId start() const { return start_; }
  StateId states() const { return static_cast<StateId>(final_.size()); }
  std::size_t edge_count() const { return edges_.size(); }
  Symbol symbols() const { return static_cast<Symbol>(class_of_.size()); }
  Symbol class_of(Symbol symbol) const { return class_of_[symbol]; }
  std::span<const Symbol> members(Symbol of_class) const {
    return {members_.data() + member_begin_[of_class], members_.data() + member_begin_[of_class + 1]};
  }
  bool has_symbol(Symbol symbol) const {
    return symbol > 0 && symbol < symbols() && !members(class_of_[symbol]).empty();
  }

 private:
  void build(const Automaton& composed);
  void set_classes(std::vector<Symbol> class_of, const std::vector<char>& used);

  StateId start_ = kNoState;
  std::vector<std::uint32_t> begin_;
  std::vector<Edge> edges_;
  std::vector<Weight> final_, rest_;
  std::vector<Symbol> class_of_, members_;
  std::vector<std::uint32_t> member_begin_;
};

// Where the actions so far have led: every state of the machine they may be in, with the least weight of getting there
// (`Pre`).
class OracleWalk {
 public:
  explicit OracleWalk(std::shared_ptr<const OracleMachine> machine);

  // To stop is scored like any action.
  static constexpr Symbol kStop = -1;

  // The least loss of all that can still be had.
  Weight loss() const { return loss_; }
  // Of every admissible action, the least loss of what can follow it.
  void values(std::vector<std::pair<Symbol, Weight>>& out) const;
  // False, and nothing changes, if the action is not admissible here.
  bool advance(Symbol action);
  bool stopped() const { return stopped_; }
  std::size_t size() const { return reached_.size(); }
  const OracleMachine& machine() const { return *machine_; }

 private:
  void close();
  void reach(StateId s, Weight weight);

  std::shared_ptr<const OracleMachine> machine_;
  std::vector<std::pair<StateId, Weight>> reached_;
  Weight loss_ = 0;
  bool stopped_ = false;
};

}  // namespace dynarc::fst
