// What the stack systems share: listing legal actions, and the arcs that remove their dependent.
#pragma once

#include <utility>
#include <vector>

#include "systems/stack_state.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

// Base of every stack system. `S` names its moves in `kMovesUsed` and decides `legal`.
template <class S>
class StackSystem {
 public:
  using State = StackState;

  explicit StackSystem(Options options) : options_(options) {}
  const Options& options() const { return options_; }
  bool root_last() const { return options_.root == RootPlace::last; }

  template <class F>
  void each_legal(const State& s, F&& f) const {
    for (const Move m : S::kMovesUsed)
      if (self().legal(s, {m})) f(Action{m});
  }

  // The heads that the parser outputs for a final configuration.
  void finish(const State& s, std::vector<Node>& heads) const { heads = s.heads(); }

 protected:
  const S& self() const { return static_cast<const S&>(*this); }
  Options options_;
};

// Base of the systems in which attaching a word removes it from the stack (all but arc-eager). `S` says which
// arc an action builds; the dependent is one of the top three stack nodes.
template <class S>
class ReducingSystem : public StackSystem<S> {
 public:
  using StackSystem<S>::StackSystem;
  using State = StackState;

  void start(State& s, int words) const { s.start(words, this->options_.root); }

  void apply(State& s, Transition t) const {
    if (t.action.move == Move::shift) {
      s.push_front();
      s.record(t);
      return;
    }
    const Arc arc = this->self().arc(s, t.action);
    s.attach(arc, t.label);
    s.remove(S::depth_of_dependent(t.action.move));
    s.record(t, arc.dependent);
  }

  void undo(State& s) const {
    const Step step = s.forget();
    if (step.transition.action.move == Move::shift) {
      s.undo_push_front();
      return;
    }
    s.undo_remove(S::depth_of_dependent(step.transition.action.move), step.removed);
    s.undo_attach(step.removed);
  }

  void adopt(State& s, const Layout& given) const {
    s.adopt(given, this->options_.root, false);
    require_headless_stack(s);
  }

 protected:
  static void require_headless_stack(const State& s) {
    for (int i = 0; i < s.depth(); ++i)
      if (!s.headless(s.stack(i)))
        throw TreeError("word " + std::to_string(s.stack(i)) +
                        " has a head but is still on the stack; in this system attaching a word removes it");
  }
  static void require_root_in_buffer(const State& s) {
    if (s.buffer_size() == 0 || s.buffer(s.buffer_size() - 1) != kRoot)
      throw TreeError("ROOT (0) must stand last in the buffer");
  }
};

// True if every gold dependent of x has its head: static oracles attach a word only then.
inline bool complete(const StackState& s, const Gold& g, Node x) {
  for (const Node d : g.dependents(x))
    if (s.headless(d)) return false;
  return true;
}

}  // namespace dynarc
