#include "fst/determinize.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "fst/distance.hpp"

namespace dynarc::fst {
namespace {

constexpr Weight kLeastDifference = 1e-9;

// The least weight by which each state is reached.
using Subset = std::vector<std::pair<StateId, Weight>>;

// Adds what is reached by empty symbols. There is no cycle of negative weight.
class Closure {
 public:
  explicit Closure(const Automaton& automaton)
      : automaton_(automaton), best_(static_cast<std::size_t>(automaton.states()), kInfinity) {}

  Subset operator()(const Subset& from) {
    std::vector<StateId> todo;
    Subset out;
    const auto reach = [&](StateId s, Weight weight) {
      if (weight >= best_[s]) return;
      if (best_[s] == kInfinity) out.emplace_back(s, 0);
      best_[s] = weight;
      todo.push_back(s);
    };
    for (const auto& [s, weight] : from) reach(s, weight);
    while (!todo.empty()) {
      const StateId s = todo.back();
      todo.pop_back();
      for (const Arc& arc : automaton_.arcs(s))
        if (arc.input == kEpsilon && arc.output == kEpsilon) reach(arc.target, best_[s] + arc.weight);
    }
    std::ranges::sort(out);
    for (auto& [s, weight] : out) weight = std::exchange(best_[s], kInfinity);
    return out;
  }

 private:
  const Automaton& automaton_;
  std::vector<Weight> best_;
};

}  // namespace

Automaton without_epsilons(const Automaton& automaton) {
  automaton.check_start();
  if (automaton.has_negative_weights()) shortest_distance(automaton, true);  // throws at a cycle of negative weight
  Closure closure(automaton);
  Automaton out;
  out.add_states(automaton.states());
  out.set_start(automaton.start());
  for (StateId s = 0; s < automaton.states(); ++s) {
    Weight final = kInfinity;
    for (const auto& [via, weight] : closure({{s, 0}})) {
      final = std::min(final, weight + automaton.final_weight(via));
      for (const Arc& arc : automaton.arcs(via))
        if (arc.input != kEpsilon || arc.output != kEpsilon)
          out.add_arc(s, {arc.input, arc.output, arc.target, weight + arc.weight});
    }
    out.set_final(s, final);
  }
  return out.trimmed();
}

std::optional<Automaton> determinized(const Automaton& acceptor, std::size_t limit) {
  acceptor.check_start();
  if (!acceptor.is_acceptor())
    throw AutomatonError("only an acceptor can be determinised: project the transducer to its input or output first");
  const Automaton source = acceptor.trimmed();  // states that lead nowhere would make more sets than there are
  Automaton out;
  if (source.states() == 0) return out;
  if (source.has_negative_weights()) shortest_distance(source, true);
  Closure closure(source);
  std::map<std::vector<std::pair<StateId, std::int64_t>>, StateId> known;
  std::vector<Subset> subsets;
  bool too_many = false;
  const auto number = [&](const Subset& subset) {
    std::vector<std::pair<StateId, std::int64_t>> key;
    for (const auto& [s, weight] : subset) key.emplace_back(s, std::llround(weight / kLeastDifference));
    const auto [found, fresh] = known.try_emplace(std::move(key), out.states());
    if (fresh) {
      too_many |= subsets.size() >= limit;
      out.add_state();
      subsets.push_back(subset);
    }
    return found->second;
  };
  number(closure({{source.start(), 0}}));
  out.set_start(0);
  std::vector<std::pair<Symbol, std::pair<StateId, Weight>>> reached;
  for (StateId at = 0; at < out.states(); ++at) {
    if (too_many) return std::nullopt;
    const Subset subset = subsets[at];
    Weight final = kInfinity;
    reached.clear();
    for (const auto& [s, weight] : subset) {
      final = std::min(final, weight + source.final_weight(s));
      for (const Arc& arc : source.arcs(s))
        if (arc.input != kEpsilon) reached.push_back({arc.input, {arc.target, weight + arc.weight}});
    }
    out.set_final(at, final);
    std::ranges::sort(reached);
    for (std::size_t i = 0; i < reached.size();) {
      const Symbol symbol = reached[i].first;
      Subset next;
      Weight least = kInfinity;
      for (; i < reached.size() && reached[i].first == symbol; ++i) next.push_back(reached[i].second);
      next = closure(next);
      for (const auto& [s, weight] : next) least = std::min(least, weight);
      for (auto& [s, weight] : next) weight -= least;
      out.add_arc(at, {symbol, symbol, number(next), least});
    }
  }
  return out;
}

}  // namespace dynarc::fst
