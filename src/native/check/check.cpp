#include "check/check.hpp"

#include <algorithm>
#include <set>

#include "check/compare.hpp"
#include "systems/registry.hpp"

namespace dynarc::check {
Report run(const Spec& spec) {
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) {
    const System system(spec.options);
    return spec.samples > 0 ? sampled(system, spec) : exhaustive(system, spec);
  });
}

Decomposition decompose(const Spec& spec) {
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) {
    const System system(spec.options);
    Decomposition result;
    const StateGraph<System> graph(system, spec.words, 0);
    const std::size_t vertices = graph.vertices().size();
    std::vector<Node> heads;

    // alone[v]: bit d * (n + 1) + h is set if some final tree reachable from v holds the arc h -> d.
    using Bits = std::vector<bool>;
    const int n = spec.words, width = (n + 1) * (n + 1);
    std::vector<Bits> alone(vertices, Bits(width, false));
    for (std::size_t v = 0; v < vertices; ++v) {
      const auto& at = graph.vertices()[v];
      if (at.is_final) {
        system.finish(at.state, heads);
        for (Node d = 1; d <= n; ++d)
          if (heads[d] != kNone) alone[v][d * (n + 1) + heads[d]] = true;
      }
      for (const auto& edge : at.edges)
        for (int b = 0; b < width; ++b) alone[v][b] = alone[v][b] || alone[edge.to][b];
    }
    each_tree(n, false, [&](const std::vector<Node>& gold_heads) {
      const Gold gold = Gold::unlabelled(gold_heads);
      if (!wanted(system, gold, spec.golds)) return;
      const std::vector<Cost> truth = graph.losses(gold);
      for (std::size_t v = 0; v < vertices; ++v) {
        ++result.states;
        Cost one_by_one = 0;
        for (Node d = 1; d <= n; ++d) one_by_one += !alone[v][d * (n + 1) + gold.head(d)];
        if (one_by_one == truth[v]) continue;
        ++result.broken;
        const auto& state = graph.vertices()[v].state;
        if (result.first && result.first->derivation.size() <= state.history().size()) continue;
        CounterExample& c = result.first.emplace();
        c.gold = gold.heads();
        c.derivation = moves(state);
        c.expected = truth[v];
        c.got = one_by_one;
      }
    });
    return result;
  });
}

Derivable derivable(const Spec& spec) {
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) {
    const System system(spec.options);
    const StateGraph<System> graph(system, spec.words, 0);
    std::set<std::vector<Node>> outputs;
    Derivable result;
    std::vector<Node> heads;
    for (const auto& at : graph.vertices()) {
      if (!at.is_final) {
        result.dead_ends += at.edges.empty();
        continue;
      }
      system.finish(at.state, heads);
      heads[kRoot] = kNone;
      if (std::find(heads.begin() + 1, heads.end(), kNone) == heads.end()) outputs.insert(heads);
    }
    result.outputs = outputs.size();
    for (const auto& output : outputs) result.multi_root += std::count(output.begin(), output.end(), kRoot) != 1;
    each_tree(spec.words, false, [&](const std::vector<Node>& gold_heads) {
      ++result.trees;
      const Gold gold = Gold::unlabelled(gold_heads);
      for (const ReduceRule rule : {ReduceRule::must, ReduceRule::can}) {
        const bool derived = derive(system, gold, rule).has_value();
        result.derived += derived && rule == ReduceRule::must;
        result.disagreements += derived != outputs.contains(gold.heads());
      }
    });
    return result;
  });
}

}  // namespace dynarc::check
