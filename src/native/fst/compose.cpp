#include "fst/compose.hpp"

#include "base/error.hpp"

namespace dynarc::fst {

std::size_t PairNumbers::place(std::uint64_t key) const {
  key *= 0x9E3779B97F4A7C15u;
  return (key ^ key >> 32) & (slots_.size() - 1);
}

StateId PairNumbers::number(StateId first, StateId second) {
  const std::uint64_t key = static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(second);
  for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at] == 0) {
      if (pairs_.size() == static_cast<std::size_t>(std::numeric_limits<StateId>::max()))
        throw AutomatonError("the composition has too many states");
      pairs_.emplace_back(first, second);
      slots_[at] = static_cast<StateId>(pairs_.size());
      const StateId made = slots_[at] - 1;
      if (2 * pairs_.size() > slots_.size()) grow();
      return made;
    }
    if (pairs_[slots_[at] - 1] == std::pair(first, second)) return slots_[at] - 1;
  }
}

void PairNumbers::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto [first, second] = pairs_[i];
    std::size_t at = place(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(second));
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<StateId>(i + 1);
  }
}

LazyComposition::LazyComposition(std::shared_ptr<const Automaton> first, std::shared_ptr<const Automaton> second)
    : first_(std::move(first)), second_(std::move(second)) {
  first_->check_start();
  second_->check_start();
  numbers_.number(first_->start(), second_->start());
}

std::pair<StateId, StateId> LazyComposition::pair(StateId state) const {
  if (state < 0 || state >= numbers_.size())
    throw AutomatonError("there is no state " + std::to_string(state) + " yet: states are met by walking to them");
  return numbers_[state];
}

std::span<const Arc> LazyComposition::arcs(StateId state) {
  const auto [a, b] = pair(state);
  const auto [found, fresh] = made_.try_emplace(state);
  if (fresh) each_composed(*first_, *second_, a, b, numbers_, [&](const Arc& arc) { found->second.push_back(arc); });
  return found->second;
}

Weight LazyComposition::final_weight(StateId state) {
  const auto [a, b] = pair(state);
  return first_->final_weight(a) + second_->final_weight(b);
}

Automaton compose(const Automaton& first, const Automaton& second) {
  first.check_start();
  second.check_start();
  PairNumbers numbers;
  Automaton out;
  numbers.number(first.start(), second.start());
  out.set_start(out.add_state());
  for (StateId s = 0; s < numbers.size(); ++s) {
    const auto [a, b] = numbers[s];
    out.set_final(s, first.final_weight(a) + second.final_weight(b));
    each_composed(first, second, a, b, numbers, [&](const Arc& arc) {
      if (arc.target >= out.states()) out.add_states(numbers.size() - out.states());
      out.add_arc(s, arc);
    });
  }
  return out.trimmed();
}

}  // namespace dynarc::fst
