#include "systems/any_system.hpp"

#include "systems/cost_source.hpp"
#include "systems/registry.hpp"
#include "systems/static_oracle.hpp"

namespace dynarc {
namespace {

std::string spell(Action a) {
  std::string text(kMoveNames[static_cast<int>(a.move)]);
  if (a.node != kNone) text += "@" + std::to_string(a.node);
  return text;
}

template <class System>
class StateOf final : public AnyState {
 public:
  using State = typename System::State;
  StateOf(System system, State state) : system_(std::move(system)), state_(std::move(state)) {}

  const State& state() const { return state_; }

  std::unique_ptr<AnyState> copy() const override { return std::make_unique<StateOf>(*this); }
  int words() const override { return state_.words(); }
  std::vector<Node> stack() const override { return state_.stack_nodes(); }
  std::vector<Node> buffer() const override { return state_.buffer_nodes(); }
  std::vector<Node> heads() const override { return state_.heads(); }
  std::vector<Label> labels() const override { return state_.labels(); }
  std::vector<Transition> history() const override {
    std::vector<Transition> taken;
    for (const Step& step : state_.history()) taken.push_back(step.transition);
    return taken;
  }
  std::pair<Node, Node> pair() const override {
    if constexpr (std::is_same_v<State, PairState>)
      return {state_.i(), state_.j()};
    else
      return {kNone, kNone};
  }
  bool is_final() const override { return system_.is_final(state_); }
  std::vector<Action> legal() const override {
    std::vector<Action> actions;
    if (!is_final()) system_.each_legal(state_, [&](Action a) { actions.push_back(a); });
    return actions;
  }
  bool is_legal(Action a) const override { return !is_final() && system_.legal(state_, a); }
  Arc arc(Action a) const override { return system_.arc(state_, a); }
  void apply(Transition t) override {
    if (is_legal(t.action)) return system_.apply(state_, t);
    std::string allowed;
    for (const Action a : legal()) allowed += (allowed.empty() ? "" : ", ") + spell(a);
    throw IllegalTransition(spell(t.action) +
                            " is not legal here: " + (is_final() ? "the state is final" : "legal are " + allowed));
  }
  void undo() override {
    if (state_.history().empty()) throw IllegalTransition("nothing to undo: no transition has been taken");
    system_.undo(state_);
  }
  std::vector<Node> finish() const override {
    std::vector<Node> heads;
    system_.finish(state_, heads);
    return heads;
  }
  bool identical(const AnyState& other) const override {
    const auto* same_kind = dynamic_cast<const StateOf*>(&other);
    return same_kind && state_.identical(same_kind->state_);
  }

 private:
  System system_;
  State state_;
};

// The state behind the face, which must belong to the same system and have the right length.
template <class System>
const typename System::State& unwrap(const AnyState& s, int words) {
  const auto* own = dynamic_cast<const StateOf<System>*>(&s);
  if (!own) throw OracleError(std::string("this state does not belong to ") + System::kName);
  if (s.words() != words)
    throw OracleError("the state has " + std::to_string(s.words()) + " words, but the gold tree has " +
                      std::to_string(words));
  return own->state();
}

template <class System>
class OracleOf final : public AnyOracle {
 public:
  OracleOf(const System& system, std::shared_ptr<const Gold> gold, Method method, Inexact inexact, std::size_t limit)
      : system_(system), gold_(std::move(gold)), source_(make_costs(system_, *gold_, method, inexact, limit)) {}

  Cost cost(const AnyState& any, Transition t) override {
    const auto& s = unwrap<System>(any, gold_->words());
    if (!any.is_legal(t.action)) throw IllegalTransition(spell(t.action) + " is not legal here, so it has no cost");
    source_->look_at(s);
    return source_->cost(s, t.action) + gold_->label_cost(system_.arc(s, t.action), t.label);
  }
  Cost loss(const AnyState& any) override {
    const auto& s = unwrap<System>(any, gold_->words());
    source_->look_at(s);
    Cost labels = 0;
    for (Node d = 1; d <= gold_->words(); ++d)
      if (!s.headless(d)) labels += gold_->label_cost({s.head(d), d}, s.label(d));
    return source_->loss(s) + labels;
  }
  std::vector<std::pair<Action, Cost>> costs(const AnyState& any) override {
    const auto& s = unwrap<System>(any, gold_->words());
    source_->look_at(s);
    std::vector<std::pair<Action, Cost>> all;
    for (const Action a : any.legal()) all.emplace_back(a, source_->cost(s, a));
    return all;
  }
  bool exact() const override { return source_->exact; }
  std::string note() const override { return source_->note; }

 private:
  System system_;
  std::shared_ptr<const Gold> gold_;
  std::unique_ptr<CostSource<typename System::State>> source_;
};

template <class System>
class SystemOf final : public AnySystem {
 public:
  explicit SystemOf(Options options) : system_(options) {}

  std::string name() const override { return System::kName; }
  const Options& options() const override { return system_.options(); }
  bool projective() const override { return System::kProjective; }
  std::vector<Move> moves() const override { return {System::kMovesUsed.begin(), System::kMovesUsed.end()}; }

  std::unique_ptr<AnyState> initial(int words) const override {
    if (words < 1) throw TreeError("a sentence needs at least one word, not " + std::to_string(words));
    typename System::State s;
    system_.start(s, words);
    return std::make_unique<StateOf<System>>(system_, std::move(s));
  }
  std::unique_ptr<AnyState> state(const Layout& given) const override {
    typename System::State s;
    system_.adopt(s, given);
    return std::make_unique<StateOf<System>>(system_, std::move(s));
  }

  std::optional<std::vector<Transition>> derivation(const Gold& gold, ReduceRule reduce) const override {
    return derive(system_, gold, reduce);
  }
  std::optional<Transition> static_transition(const AnyState& any, const Gold& gold, ReduceRule reduce) const override {
    const auto& s = unwrap<System>(any, gold.words());
    if (system_.is_final(s)) return std::nullopt;
    const auto a = system_.static_rule(s, gold, reduce);
    if (!a) return std::nullopt;
    return gold_transition(system_, s, *a, gold);
  }
  bool on_derivation(const AnyState& any, const Gold& gold, ReduceRule reduce) const override {
    const auto& s = unwrap<System>(any, gold.words());
    bool met = false;
    const bool derived =
        follow_static_rule(system_, gold, reduce, [&](const auto& at, Transition) { met = met || at.same(s); });
    return met || (derived && system_.is_final(s) && s.heads() == gold.heads());
  }
  std::unique_ptr<AnyOracle> oracle(std::shared_ptr<const Gold> gold, Method method, Inexact inexact,
                                    std::size_t limit) const override {
    return std::make_unique<OracleOf<System>>(system_, std::move(gold), method, inexact, limit);
  }

 private:
  System system_;
};

}  // namespace

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  each_system([&]<class System>(std::type_identity<System>) { names.emplace_back(System::kName); });
  return names;
}

Options default_options(const std::string& name) {
  return with_system(name, []<class System>(std::type_identity<System>) { return System::kDefaults; });
}

std::shared_ptr<const AnySystem> make_system(const std::string& name, Options options) {
  return with_system(name, [&]<class System>(std::type_identity<System>) -> std::shared_ptr<const AnySystem> {
    if (options.headless == Headless::attach && !System::kLeavesHeadless)
      throw ConfigError(name + " leaves no word headless; headless=\"attach\" is for arc-eager and covington");
    return std::make_shared<SystemOf<System>>(options);
  });
}

}  // namespace dynarc
