// One face for every way of computing exact costs, and the choice between them. Stepping, checking and
// drawing use it; training loops use the concrete `Costs` of a system.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "systems/exact_search.hpp"
#include "systems/reduction_costs.hpp"

namespace dynarc {

template <class State>
class CostSource {
 public:
  virtual ~CostSource() = default;
  virtual Cost loss(const State& s) = 0;
  virtual Cost cost(const State& s, Action a) = 0;  // of a legal action, without its label
  // The same, but where it is more than `most` some number above that.
  virtual Cost cost_up_to(const State& s, Action a, Cost most) = 0;
  // Tells that the next calls are about `s`, which differs from the last one.
  virtual void look_at(const State& s) = 0;
  bool exact = true;
  std::string note;  // where costs are not exact: how far off
};

template <class State, class Costs>
class CostSourceOf final : public CostSource<State> {
 public:
  template <class... Args>
  explicit CostSourceOf(Args&&... args) : costs_(std::forward<Args>(args)...) {}
  void look_at(const State& s) override { costs_.reset(s); }
  Cost loss(const State& s) override { return costs_.loss(s); }
  Cost cost(const State& s, Action a) override { return costs_.cost(s, a); }
  Cost cost_up_to(const State& s, Action a, Cost most) override {
    if constexpr (requires { costs_.cost(s, a, most); })
      return costs_.cost(s, a, most);
    else
      return costs_.cost(s, a);
  }

 private:
  Costs costs_;
};

// `limit` bounds the states one search may visit; 0 is the default of the method.
template <class System>
std::unique_ptr<CostSource<typename System::State>> make_costs(const System& system, const Gold& gold, Method method,
                                                               Inexact inexact, std::size_t limit = 0) {
  using State = typename System::State;
  if constexpr (System::kCostKind == CostKind::reduction) {
    using Costs = typename System::Costs;
    if (method == Method::formula)
      throw ConfigError(std::string(System::kName) +
                        " has no formula: its arcs exclude each other; use method=\"table\" "
                        "or \"search\"");
    if (method == Method::table && !System::table_exact_for(system, gold))
      throw OracleError("the table does not apply to this gold tree: it " + System::table_needs({}, gold));
    return std::make_unique<CostSourceOf<State, Costs>>(system, gold, method, limit ? limit : Costs::kPatientLimit);
  } else {
    if (method == Method::table)
      throw ConfigError(std::string(System::kName) + " has no table; use method=\"formula\" or \"search\"");
    using Formula = typename System::Costs;
    const bool exact = Formula::exact_for(system, gold);
    const bool search =
        method == Method::search ||
        (method == Method::automatic && !exact && System::kCostKind == CostKind::formula && inexact == Inexact::search);
    if (search) {
      using Search = ExactSearch<System, typename System::Bound>;
      return std::make_unique<CostSourceOf<State, Search>>(system, gold, limit ? limit : Search::kSearchLimit);
    }
    auto source = std::make_unique<CostSourceOf<State, Formula>>(system, gold);
    source->exact = exact;
    if (!exact) source->note = Formula::kInexactNote;
    return source;
  }
}

}  // namespace dynarc
