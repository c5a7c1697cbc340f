// The judge: true losses by trying everything. Knows `legal`, `apply`, `is_final` and `finish` of a system
// and the price of a finished tree, and nothing of any cost function.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "treebank/gold.hpp"

namespace dynarc::check {

// Everything a state says about itself, spelled out here so that no key of a search is trusted.
template <class State>
std::string full_key(const State& s) {
  std::string key;
  const auto put = [&](const auto& nodes) {
    for (const auto x : nodes) key.push_back(static_cast<char>(x + 2));
    key.push_back('\0');
  };
  put(s.stack_nodes());
  put(s.buffer_nodes());
  put(s.heads());
  put(s.labels());
  return key;
}

// The price of a finished tree, straight from the definition.
struct LabelPrice {
  Cost parts = 1, whole = 1;  // a wrong label costs parts/whole of a wrong head
};
inline Cost price_of(const std::vector<Node>& heads, const std::vector<Label>& labels, const Gold& gold,
                     LabelPrice label) {
  Cost sum = 0;
  for (Node d = 1; d <= gold.words(); ++d) {
    if (gold.head(d) == kNone) continue;
    if (heads[d] != gold.head(d))
      sum += gold.price(d);
    else if (labels[d] != kNoLabel && gold.label(d) != kNoLabel && labels[d] != gold.label(d))
      sum += gold.price(d) * label.parts / label.whole;
  }
  return sum;
}

// Every state reachable from the start, each once, and every transition between them.
template <class System>
class StateGraph {
 public:
  using State = typename System::State;
  struct Edge {
    Transition transition;
    int to;
  };
  struct Vertex {
    State state;
    std::vector<Edge> edges;
    bool is_final;
  };

  StateGraph(const System& system, int words, int labels) : system_(system), labels_(labels) {
    State s;
    system.start(s, words);
    visit(s);
  }

  // Successors stand before their predecessors.
  const std::vector<Vertex>& vertices() const { return vertices_; }

  // The true loss of every vertex, by the definition: the least price of a finished tree that can still be
  // reached.
  std::vector<Cost> losses(const Gold& gold, LabelPrice label_price = {}) const {
    std::vector<Cost> loss(vertices_.size());
    std::vector<Node> heads;
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
      const Vertex& at = vertices_[v];
      if (at.is_final) {
        system_.finish(at.state, heads);
        loss[v] = price_of(heads, at.state.labels(), gold, label_price);
        continue;
      }
      loss[v] = INT64_MAX;
      for (const Edge& e : at.edges) loss[v] = std::min(loss[v], loss[e.to]);
    }
    return loss;
  }

 private:
  int visit(State& s) {
    const std::string key = full_key(s);
    if (const auto it = index_.find(key); it != index_.end()) return it->second;
    std::vector<Edge> edges;
    const bool is_final = system_.is_final(s);
    if (!is_final) {
      std::vector<Action> actions;
      system_.each_legal(s, [&](Action a) { actions.push_back(a); });
      for (const Action a : actions) {
        const bool builds = static_cast<bool>(system_.arc(s, a));
        for (Label l = builds && labels_ > 0 ? 0 : kNoLabel; l < (builds ? labels_ : 0); ++l) {
          system_.apply(s, {a, l});
          edges.push_back({{a, l}, visit(s)});
          system_.undo(s);
        }
      }
    }
    const int at = static_cast<int>(vertices_.size());
    vertices_.push_back({s, std::move(edges), is_final});
    index_.emplace(key, at);
    return at;
  }

  System system_;
  int labels_;
  std::vector<Vertex> vertices_;
  std::unordered_map<std::string, int> index_;
};

// True losses of single states of longer sentences: everything that can follow is tried, remembered by what
// legality can see (all heads for Covington, which asks for ancestors; otherwise which words have one).
template <class System>
class Lookahead {
 public:
  using State = typename System::State;
  Lookahead(const System& system, const Gold& gold, bool heads_matter)
      : system_(system), gold_(gold), heads_matter_(heads_matter) {}

  Cost loss(const State& given) {
    State s = given;
    Cost built = 0;
    for (Node d = 1; d <= gold_.words(); ++d)
      if (gold_.head(d) != kNone && !s.headless(d) && s.head(d) != gold_.head(d)) built += gold_.price(d);
    return built + future(s);
  }
  std::size_t seen() const { return memory_.size(); }

 private:
  // Least price of the words that are headless now.
  Cost future(State& s) {
    if (system_.is_final(s)) {
      std::vector<Node> heads;
      system_.finish(s, heads);
      Cost sum = 0;
      for (Node d = 1; d <= gold_.words(); ++d)
        if (s.headless(d) && gold_.head(d) != kNone && heads[d] != gold_.head(d)) sum += gold_.price(d);
      return sum;
    }
    std::string key;
    for (const Node x : s.stack_nodes()) key.push_back(static_cast<char>(x + 2));
    key.push_back('\0');
    for (const Node x : s.buffer_nodes()) key.push_back(static_cast<char>(x + 2));
    key.push_back('\0');
    for (Node d = 1; d <= gold_.words(); ++d)
      key.push_back(heads_matter_ ? static_cast<char>(s.head(d) + 2) : s.headless(d) ? '0' : '1');
    if (const auto it = memory_.find(key); it != memory_.end()) return it->second;
    Cost best = INT64_MAX;
    std::vector<Action> actions;
    system_.each_legal(s, [&](Action a) { actions.push_back(a); });
    for (const Action a : actions) {
      const Arc arc = system_.arc(s, a);
      const Node want = arc ? gold_.head(arc.dependent) : kNone;
      const Cost wrong = arc && want != kNone && want != arc.head ? gold_.price(arc.dependent) : 0;
      system_.apply(s, {a});
      best = std::min(best, wrong + future(s));
      system_.undo(s);
    }
    memory_.emplace(std::move(key), best);
    return best;
  }

  System system_;
  const Gold& gold_;
  bool heads_matter_;
  std::unordered_map<std::string, Cost> memory_;
};

}  // namespace dynarc::check
