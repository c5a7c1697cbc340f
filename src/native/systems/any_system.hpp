// Systems, states and oracles behind one face, for callers that choose at run time and go step by step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systems/stack_state.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

class AnyState {
 public:
  virtual ~AnyState() = default;
  virtual std::unique_ptr<AnyState> copy() const = 0;

  virtual int words() const = 0;
  virtual std::vector<Node> stack() const = 0;
  virtual std::vector<Node> buffer() const = 0;
  virtual std::vector<Node> heads() const = 0;    // 0..n
  virtual std::vector<Label> labels() const = 0;  // 0..n
  virtual std::vector<Transition> history() const = 0;
  virtual std::pair<Node, Node> pair() const = 0;  // i and j of Covington, else kNone

  virtual bool is_final() const = 0;
  virtual std::vector<Action> legal() const = 0;
  virtual bool is_legal(Action a) const = 0;
  virtual Arc arc(Action a) const = 0;   // of a legal action
  virtual void apply(Transition t) = 0;  // throws IllegalTransition
  virtual void undo() = 0;               // throws IllegalTransition at the first state
  virtual std::vector<Node> finish() const = 0;
  virtual bool identical(const AnyState& other) const = 0;  // of the same system
};

class AnyOracle {
 public:
  virtual ~AnyOracle() = default;
  // Labels are priced here, on top of what the system's costs say of the bare action.
  virtual Cost cost(const AnyState& s, Transition t) = 0;
  virtual Cost loss(const AnyState& s) = 0;
  virtual std::vector<std::pair<Action, Cost>> costs(const AnyState& s) = 0;  // without labels
  virtual bool exact() const = 0;
  virtual std::string note() const = 0;
};

class AnySystem {
 public:
  virtual ~AnySystem() = default;
  virtual std::string name() const = 0;
  virtual const Options& options() const = 0;
  virtual bool projective() const = 0;
  virtual std::vector<Move> moves() const = 0;

  virtual std::unique_ptr<AnyState> initial(int words) const = 0;
  virtual std::unique_ptr<AnyState> state(const Layout& given) const = 0;

  virtual std::optional<std::vector<Transition>> derivation(const Gold& gold, ReduceRule reduce) const = 0;
  virtual std::optional<Transition> static_transition(const AnyState& s, const Gold& gold, ReduceRule reduce) const = 0;
  // Is this configuration met on the way of the static derivation?
  virtual bool on_derivation(const AnyState& s, const Gold& gold, ReduceRule reduce) const = 0;

  // The oracle keeps the gold tree alive.
  virtual std::unique_ptr<AnyOracle> oracle(std::shared_ptr<const Gold> gold, Method method, Inexact inexact,
                                            std::size_t limit) const = 0;
};

std::vector<std::string> system_names();
Options default_options(const std::string& name);
std::shared_ptr<const AnySystem> make_system(const std::string& name, Options options);

}  // namespace dynarc
