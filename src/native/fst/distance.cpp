#include "fst/distance.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>

#include "base/error.hpp"

namespace dynarc::fst {
namespace {

using Entry = std::pair<Weight, StateId>;
using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

// Arcs as distances need them, also backwards.
struct Edges {
  struct Edge {
    StateId target;
    Weight weight;
  };
  std::vector<std::uint32_t> begin;
  std::vector<Edge> edges;

  Edges(const Automaton& automaton, bool reverse) : begin(static_cast<std::size_t>(automaton.states()) + 1, 0) {
    const StateId count = automaton.states();
    edges.resize(automaton.arc_count());
    for (StateId s = 0; s < count; ++s)
      for (const Arc& arc : automaton.arcs(s)) ++begin[(reverse ? arc.target : s) + 1];
    for (StateId s = 0; s < count; ++s) begin[s + 1] += begin[s];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (StateId s = 0; s < count; ++s)
      for (const Arc& arc : automaton.arcs(s))
        edges[next[reverse ? arc.target : s]++] = {reverse ? s : arc.target, arc.weight};
  }
  std::span<const Edge> of(StateId s) const { return {edges.data() + begin[s], edges.data() + begin[s + 1]}; }
};

void dijkstra(const Edges& edges, std::vector<Weight>& distance) {
  Heap heap;
  for (StateId s = 0; s < static_cast<StateId>(distance.size()); ++s)
    if (distance[s] != kInfinity) heap.emplace(distance[s], s);
  while (!heap.empty()) {
    const auto [d, s] = heap.top();
    heap.pop();
    if (d > distance[s]) continue;
    for (const auto& [target, weight] : edges.of(s))
      if (d + weight < distance[target]) {
        distance[target] = d + weight;
        heap.emplace(distance[target], target);
      }
  }
}

void bellman_ford(const Edges& edges, std::vector<Weight>& distance) {
  const auto count = static_cast<StateId>(distance.size());
  std::deque<StateId> queue;
  std::vector<char> waiting(distance.size(), 0);
  std::vector<StateId> length(distance.size(), 0);  // arcs of the lightest path known
  for (StateId s = 0; s < count; ++s)
    if (distance[s] != kInfinity) {
      queue.push_back(s);
      waiting[s] = 1;
    }
  while (!queue.empty()) {
    const StateId s = queue.front();
    queue.pop_front();
    waiting[s] = 0;
    for (const auto& [target, weight] : edges.of(s)) {
      if (distance[s] + weight >= distance[target]) continue;
      distance[target] = distance[s] + weight;
      length[target] = length[s] + 1;
      if (length[target] > count)
        throw AutomatonError("there is a cycle of negative weight through state " + std::to_string(target) +
                             ": the least weight of a path is not defined");
      if (!waiting[target]) queue.push_back(target);
      waiting[target] = 1;
    }
  }
}

}  // namespace

std::vector<Weight> shortest_distance(const Automaton& automaton, bool reverse) {
  automaton.check_start();
  std::vector<Weight> distance(static_cast<std::size_t>(automaton.states()), kInfinity);
  if (reverse)
    distance = automaton.final_weights();
  else
    distance[automaton.start()] = 0;
  const Edges edges(automaton, reverse);
  // Final weights below zero are no obstacle to Dijkstra's algorithm: they are where it begins.
  if (automaton.has_negative_weights())
    bellman_ford(edges, distance);
  else
    dijkstra(edges, distance);
  return distance;
}

Path shortest_path(Machine& machine) {
  struct Way {
    Weight weight = kInfinity;
    StateId before = kNoState;
    Arc arc{};
  };
  constexpr StateId kEnd = -2;  // after every final state
  constexpr auto kNotNegative = "a lazy composition must not have negative weights: compose eagerly";
  std::unordered_map<StateId, Way> ways;
  Heap heap;
  ways[machine.start()].weight = 0;
  heap.emplace(0, machine.start());
  while (!heap.empty()) {
    const auto [d, s] = heap.top();
    heap.pop();
    if (d > ways[s].weight) continue;
    if (s == kEnd) break;
    const auto reach = [&](StateId target, Weight weight, const Arc& arc) {
      Way& way = ways[target];
      if (d + weight >= way.weight) return;
      way = {d + weight, s, arc};
      heap.emplace(way.weight, target);
    };
    for (const Arc& arc : machine.arcs(s)) {
      if (arc.weight < 0) throw AutomatonError(kNotNegative);
      reach(arc.target, arc.weight, arc);
    }
    const Weight weight = machine.final_weight(s);
    if (weight < 0) throw AutomatonError(kNotNegative);
    if (weight != kInfinity) reach(kEnd, weight, {});
  }
  Path path;
  if (!ways.contains(kEnd)) return path;
  path.weight = ways[kEnd].weight;
  for (StateId s = ways[kEnd].before; ways[s].before != kNoState; s = ways[s].before) path.arcs.push_back(ways[s].arc);
  std::ranges::reverse(path.arcs);
  return path;
}

Path shortest_path(const Automaton& automaton) {
  automaton.check_start();
  const bool ends_below = std::ranges::any_of(automaton.final_weights(), [](Weight weight) { return weight < 0; });
  if (!automaton.has_negative_weights() && !ends_below) {
    Whole whole(automaton);
    return shortest_path(whole);
  }
  // Over the arcs that lie on lightest paths, the fewest to an end: cycles of weight 0 are among them.
  const std::vector<Weight> rest = shortest_distance(automaton, true);
  Path path;
  if (rest[automaton.start()] == kInfinity) return path;
  path.weight = rest[automaton.start()];
  std::vector<std::pair<StateId, const Arc*>> came(rest.size(), {kNoState, nullptr});
  std::deque<StateId> queue{automaton.start()};
  came[automaton.start()].first = automaton.start();
  StateId s = automaton.start();
  for (; automaton.final_weight(s) != rest[s]; s = queue.front()) {
    for (const Arc& arc : automaton.arcs(s))
      if (came[arc.target].first == kNoState && rest[arc.target] + arc.weight == rest[s]) {
        came[arc.target] = {s, &arc};
        queue.push_back(arc.target);
      }
    queue.pop_front();
  }
  for (; came[s].second != nullptr; s = came[s].first) path.arcs.push_back(*came[s].second);
  std::ranges::reverse(path.arcs);
  return path;
}

}  // namespace dynarc::fst
