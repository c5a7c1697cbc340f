#include "fst/oracle.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "fst/compose.hpp"
#include "fst/distance.hpp"

namespace dynarc::fst {
namespace {

// What is known of a symbol: a sum over its arcs, so that their order does not matter. Two sums of 64 bits each make it
// as good as certain that equal ones come from equal arcs.
struct Signature {
  std::uint64_t a = 0, b = 0;
  bool operator==(const Signature&) const = default;
  auto operator<=>(const Signature&) const = default;
};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void add_to(Signature& signature, StateId source, Symbol other, StateId target, Weight weight) {
  const auto first =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
  const std::uint64_t second =
      std::bit_cast<std::uint64_t>(weight) + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(other + 1);
  const std::uint64_t all = mixed(first + 0x632be59bd9b4e019u) ^ mixed(second);
  signature.a += mixed(all);
  signature.b += mixed(all ^ 0xd1b54a32d192ed03u);
}

Symbol most_symbol(const Automaton& automaton, bool output) {
  Symbol most = 0;
  for (StateId s = 0; s < automaton.states(); ++s)
    for (const Arc& arc : automaton.arcs(s)) most = std::max(most, output ? arc.output : arc.input);
  return most;
}

// Of symbols with the same signature, the first.
std::vector<Symbol> classes_of(const std::vector<Signature>& signatures) {
  std::vector<Symbol> order(signatures.size()), out(signatures.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin() + 1, order.end(), [&](Symbol x, Symbol y) { return signatures[x] < signatures[y]; });
  for (std::size_t i = 1; i < order.size(); ++i)
    out[order[i]] = i > 1 && signatures[order[i]] == signatures[order[i - 1]] ? out[order[i - 1]] : order[i];
  return out;
}

}  // namespace

OracleMachine::OracleMachine(const Automaton& constraints, const Automaton& rest) {
  constraints.check_start();
  rest.check_start();
  // Symbols between the two that `rest` reads alike. What it writes is of no interest.
  const Symbol between = std::max(most_symbol(constraints, true), most_symbol(rest, false));
  std::vector<Signature> signatures(static_cast<std::size_t>(between) + 1);
  for (StateId s = 0; s < rest.states(); ++s)
    for (const Arc& arc : rest.arcs(s)) add_to(signatures[arc.input], s, 0, arc.target, arc.weight);
  const std::vector<Symbol> read_alike = classes_of(signatures);
  Automaton reads;
  reads.add_states(rest.states());
  reads.set_start(rest.start());
  for (StateId s = 0; s < rest.states(); ++s) {
    reads.set_final(s, rest.final_weight(s));
    for (const Arc& arc : rest.arcs(s))
      if (read_alike[arc.input] == arc.input) reads.add_arc(s, {arc.input, arc.input, arc.target, arc.weight});
  }
  // Actions that have the same effect, given that.
  const Symbol most = most_symbol(constraints, false);
  signatures.assign(static_cast<std::size_t>(most) + 1, {});
  std::vector<char> used(static_cast<std::size_t>(most) + 1, 0);
  for (StateId s = 0; s < constraints.states(); ++s)
    for (const Arc& arc : constraints.arcs(s)) {
      add_to(signatures[arc.input], s, read_alike[arc.output], arc.target, arc.weight);
      used[arc.input] = 1;
    }
  std::vector<Symbol> act_alike = classes_of(signatures);
  Automaton acts;
  acts.add_states(constraints.states());
  acts.set_start(constraints.start());
  for (StateId s = 0; s < constraints.states(); ++s) {
    acts.set_final(s, constraints.final_weight(s));
    for (const Arc& arc : constraints.arcs(s))
      if (act_alike[arc.input] == arc.input)
        acts.add_arc(s, {arc.input, read_alike[arc.output], arc.target, arc.weight});
  }
  set_classes(std::move(act_alike), used);
  build(compose(acts, reads));
}

OracleMachine::OracleMachine(const Automaton& losses) {
  losses.check_start();
  const Symbol most = most_symbol(losses, false);
  std::vector<Symbol> all(static_cast<std::size_t>(most) + 1);
  std::iota(all.begin(), all.end(), 0);
  std::vector<char> used(all.size(), 0);
  for (StateId s = 0; s < losses.states(); ++s)
    for (const Arc& arc : losses.arcs(s)) used[arc.input] = 1;
  set_classes(std::move(all), used);
  build(losses.trimmed());
}

void OracleMachine::set_classes(std::vector<Symbol> class_of, const std::vector<char>& used) {
  class_of_ = std::move(class_of);
  member_begin_.assign(class_of_.size() + 1, 0);
  for (std::size_t s = 1; s < class_of_.size(); ++s)
    if (used[s]) ++member_begin_[class_of_[s] + 1];
  for (std::size_t s = 0; s < class_of_.size(); ++s) member_begin_[s + 1] += member_begin_[s];
  members_.resize(member_begin_.back());
  std::vector<std::uint32_t> next(member_begin_.begin(), member_begin_.end() - 1);
  for (std::size_t s = 1; s < class_of_.size(); ++s)
    if (used[s]) members_[next[class_of_[s]]++] = static_cast<Symbol>(s);
}

void OracleMachine::build(const Automaton& composed) {
  if (composed.states() == 0) throw AutomatonError("no admissible sequence has a finite loss");
  // What is trimmed has no state without an end, so every distance is finite.
  rest_ = shortest_distance(composed, true);
  start_ = composed.start();
  final_ = composed.final_weights();
  begin_.reserve(final_.size() + 1);
  begin_.push_back(0);
  edges_.reserve(composed.arc_count());
  for (StateId s = 0; s < composed.states(); ++s) {
    for (const Arc& arc : composed.by_input(s)) edges_.push_back({arc.input, arc.target, arc.weight});
    begin_.push_back(static_cast<std::uint32_t>(edges_.size()));
  }
}

OracleWalk::OracleWalk(std::shared_ptr<const OracleMachine> machine) : machine_(std::move(machine)) {
  reached_.emplace_back(machine_->start(), 0);
  close();
}

// Few states are reached, so a list that is searched is faster than any index.
void OracleWalk::reach(StateId s, Weight weight) {
  for (auto& [known, least] : reached_)
    if (known == s) {
      least = std::min(least, weight);
      return;
    }
  reached_.emplace_back(s, weight);
}

void OracleWalk::close() {
  // Until nothing changes: there is no cycle of negative weight, or the machine would not have been made.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const auto [s, weight] = reached_[i];
      for (const OracleMachine::Edge& edge : machine_->edges(s)) {
        if (edge.input != kEpsilon) break;
        const Weight now = weight + edge.weight;
        std::size_t at = 0;
        while (at < reached_.size() && reached_[at].first != edge.target) ++at;
        if (at == reached_.size()) {
          reached_.emplace_back(edge.target, now);
        } else if (now < reached_[at].second) {
          reached_[at].second = now;
          changed |= at <= i;
        }
      }
    }
  }
  loss_ = kInfinity;
  for (const auto& [s, weight] : reached_) loss_ = std::min(loss_, weight + machine_->rest(s));
}

void OracleWalk::values(std::vector<std::pair<Symbol, Weight>>& out) const {
  out.clear();
  if (stopped_) return;
  // Edges come by what they read, so the values of one state are runs; a small table joins those of all states.
  thread_local std::vector<Weight> best;
  thread_local std::vector<Symbol> met;
  best.resize(std::max(best.size(), static_cast<std::size_t>(machine_->symbols())), kInfinity);
  met.clear();
  Weight stop = kInfinity;
  for (const auto& [s, weight] : reached_) {
    stop = std::min(stop, weight + machine_->final_weight(s));
    for (const OracleMachine::Edge& edge : machine_->edges(s)) {
      if (edge.input == kEpsilon) continue;
      const Weight value = weight + edge.weight + machine_->rest(edge.target);
      Weight& known = best[edge.input];
      if (known == kInfinity) met.push_back(edge.input);
      known = std::min(known, value);
    }
  }
  for (const Symbol symbol : met) {
    const Weight value = std::exchange(best[symbol], kInfinity);
    for (const Symbol member : machine_->members(symbol)) out.emplace_back(member, value);
  }
  std::ranges::sort(out);
  if (stop != kInfinity) out.emplace_back(kStop, stop);
}

bool OracleWalk::advance(Symbol action) {
  if (stopped_) return false;
  if (action == kStop) {
    Weight stop = kInfinity;
    for (const auto& [s, weight] : reached_) stop = std::min(stop, weight + machine_->final_weight(s));
    if (stop == kInfinity) return false;
    stopped_ = true;
    reached_.clear();
    loss_ = stop;
    return true;
  }
  if (!machine_->has_symbol(action)) return false;
  const Symbol symbol = machine_->class_of(action);
  const auto before = std::move(reached_);
  reached_.clear();
  for (const auto& [s, weight] : before) {
    const std::span<const OracleMachine::Edge> edges = machine_->edges(s);
    auto edge = std::ranges::lower_bound(edges, symbol, {}, &OracleMachine::Edge::input);
    for (; edge != edges.end() && edge->input == symbol; ++edge) reach(edge->target, weight + edge->weight);
  }
  if (reached_.empty()) {
    reached_ = before;
    return false;
  }
  close();
  return true;
}

}  // namespace dynarc::fst
