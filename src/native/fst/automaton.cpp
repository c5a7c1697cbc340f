#include "fst/automaton.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace dynarc::fst {

StateId Automaton::checked(StateId state) const {
  if (state < 0 || state >= states())
    throw AutomatonError("there is no state " + std::to_string(state) + ": there are " + std::to_string(states()) +
                         ", counted from 0");
  return state;
}

StateId Automaton::add_state() {
  add_states(1);
  return states() - 1;
}

void Automaton::add_states(StateId count) {
  if (count < 0) throw AutomatonError("an automaton cannot have fewer states than it has");
  final_.resize(final_.size() + static_cast<std::size_t>(count), kInfinity);
  sealed_ = false;
}

void Automaton::add_arc(StateId source, const Arc& arc) {
  checked(source);
  checked(arc.target);
  if (arc.input < 0 || arc.output < 0) throw AutomatonError("symbols are numbers from 0, which is the empty one");
  if (std::isnan(arc.weight) || arc.weight == -kInfinity)
    throw AutomatonError("the weight of an arc must be a number above minus infinity");
  if (arc.weight == kInfinity) return;  // as good as none
  if (sources_.size() != arcs_.size()) {
    sources_.resize(arcs_.size());
    for (StateId s = 0; s + 1 < static_cast<StateId>(begin_.size()); ++s)
      std::fill(sources_.begin() + begin_[s], sources_.begin() + begin_[s + 1], s);
  }
  arcs_.push_back(arc);
  sources_.push_back(source);
  sealed_ = false;
}

void Automaton::set_final(StateId state, Weight weight) {
  if (std::isnan(weight) || weight == -kInfinity)
    throw AutomatonError("the final weight of a state must be a number above minus infinity");
  final_[checked(state)] = weight;
}

void Automaton::set_start(StateId state) { start_ = checked(state); }

void Automaton::check_start() const {
  if (start_ == kNoState) throw AutomatonError("the automaton has no start state: set one first");
}

void Automaton::seal() const {
  if (sealed_) return;
  const auto count = static_cast<std::size_t>(states());
  if (sources_.size() == arcs_.size()) {
    begin_.assign(count + 1, 0);
    for (const StateId source : sources_) ++begin_[source + 1];
    for (std::size_t s = 0; s < count; ++s) begin_[s + 1] += begin_[s];
    if (!std::ranges::is_sorted(sources_)) {
      std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
      std::vector<Arc> arcs(arcs_.size());
      for (std::size_t i = 0; i < arcs_.size(); ++i) arcs[next[sources_[i]]++] = arcs_[i];
      arcs_ = std::move(arcs);
    }
  } else {  // only states have come since
    begin_.resize(count + 1, static_cast<std::uint32_t>(arcs_.size()));
  }
  sources_.clear();
  sources_.shrink_to_fit();
  sorted_.clear();
  sealed_ = true;
}

void Automaton::sort() const {
  seal();
  if (sorted_.size() == arcs_.size()) return;
  sorted_ = arcs_;
  for (StateId s = 0; s < states(); ++s)
    std::stable_sort(sorted_.begin() + begin_[s], sorted_.begin() + begin_[s + 1],
                     [](const Arc& a, const Arc& b) { return a.input < b.input; });
}

bool Automaton::has_negative_weights() const {
  return std::ranges::any_of(arcs_, [](const Arc& arc) { return arc.weight < 0; });
}

bool Automaton::is_acceptor() const {
  return std::ranges::all_of(arcs_, [](const Arc& arc) { return arc.input == arc.output; });
}

Automaton Automaton::trimmed(std::vector<StateId>* kept) const {
  if (kept != nullptr) kept->clear();
  Automaton out;
  if (start_ == kNoState) return out;
  const auto count = static_cast<std::size_t>(states());
  std::vector<char> forward(count, 0), backward(count, 0);
  std::vector<StateId> todo{start_};
  forward[start_] = 1;
  std::vector<std::uint32_t> before(count + 1, 0);
  while (!todo.empty()) {
    const StateId s = todo.back();
    todo.pop_back();
    for (const Arc& arc : arcs(s)) {
      ++before[arc.target + 1];
      if (!forward[arc.target]) {
        forward[arc.target] = 1;
        todo.push_back(arc.target);
      }
    }
  }
  // The same backwards, over the arcs that were met.
  for (std::size_t s = 0; s < count; ++s) before[s + 1] += before[s];
  std::vector<StateId> sources(before.back());
  std::vector<std::uint32_t> next(before.begin(), before.end() - 1);
  for (StateId s = 0; s < states(); ++s)
    if (forward[s])
      for (const Arc& arc : arcs(s)) sources[next[arc.target]++] = s;
  for (StateId s = 0; s < states(); ++s)
    if (forward[s] && final_[s] != kInfinity) {
      backward[s] = 1;
      todo.push_back(s);
    }
  while (!todo.empty()) {
    const StateId s = todo.back();
    todo.pop_back();
    for (std::uint32_t i = before[s]; i < before[s + 1]; ++i)
      if (!backward[sources[i]]) {
        backward[sources[i]] = 1;
        todo.push_back(sources[i]);
      }
  }
  if (!backward[start_]) return out;
  std::vector<StateId> number(count, kNoState);
  for (StateId s = 0; s < states(); ++s) {
    if (!backward[s]) continue;
    number[s] = out.states();
    out.final_.push_back(final_[s]);
    if (kept != nullptr) kept->push_back(s);
  }
  out.start_ = number[start_];
  for (StateId s = 0; s < states(); ++s) {
    if (!backward[s]) continue;
    for (const Arc& arc : arcs(s)) {
      if (!backward[arc.target]) continue;
      out.arcs_.push_back({arc.input, arc.output, number[arc.target], arc.weight});
      out.sources_.push_back(number[s]);
    }
  }
  return out;
}

Automaton Automaton::projected(bool output) const {
  Automaton out(*this);
  out.sorted_.clear();
  for (Arc& arc : out.arcs_) (output ? arc.input : arc.output) = output ? arc.output : arc.input;
  return out;
}

Automaton Automaton::inverted() const {
  Automaton out(*this);
  out.sorted_.clear();
  for (Arc& arc : out.arcs_) std::swap(arc.input, arc.output);
  return out;
}

Automaton Automaton::relabelled(std::span<const Symbol> map) const {
  Automaton out(*this);
  out.sorted_.clear();
  const auto renamed = [&](Symbol symbol) {
    if (static_cast<std::size_t>(symbol) >= map.size())
      throw AutomatonError("an arc has the symbol " + std::to_string(symbol) + ", which has no name");
    return map[symbol];
  };
  for (Arc& arc : out.arcs_) {
    arc.input = renamed(arc.input);
    arc.output = renamed(arc.output);
  }
  return out;
}

Automaton Automaton::union_of(std::span<const Automaton* const> parts, std::span<const Weight> weights) {
  Automaton out;
  out.set_start(out.add_state());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Automaton& part = *parts[p];
    part.check_start();
    const StateId first = out.states();
    out.add_states(part.states());
    for (StateId s = 0; s < part.states(); ++s) {
      out.set_final(first + s, part.final_[s]);
      for (const Arc& arc : part.arcs(s))
        out.add_arc(first + s, {arc.input, arc.output, first + arc.target, arc.weight});
    }
    out.add_arc(0, {kEpsilon, kEpsilon, first + part.start_, weights[p]});
  }
  return out;
}

}  // namespace dynarc::fst
