// Fixed arcs against plain enumeration: every partial tree, every way through the moves that are allowed.
#include "parse/fixed_arcs.hpp"

#include <cassert>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "check/gold_trees.hpp"
#include "walk.hpp"

using namespace dynarc;

namespace {

using Heads = std::vector<Node>;

// The trees of all ways to the end, `moves(s)` being the moves that may be taken; counts the dead ends.
template <class System, class Moves>
std::set<Heads> outputs(const System& system, int words, Moves&& moves, int& dead_ends) {
  std::set<Heads> found, seen;
  typename System::State start;
  system.start(start, words);
  std::vector<typename System::State> todo{start};
  while (!todo.empty()) {
    auto s = std::move(todo.back());
    todo.pop_back();
    Heads key;
    s.shape(key);
    key.insert(key.end(), s.heads().begin(), s.heads().end());
    if (!seen.insert(key).second) continue;
    if (system.is_final(s)) {
      Heads heads;
      system.finish(s, heads);
      for (Node d = 1; d <= words; ++d)
        if (heads[d] == kNone) heads[d] = kRoot;  // as parsers do it
      found.insert(heads);
      continue;
    }
    const std::vector<Action> actions = moves(s);
    dead_ends += actions.empty();
    for (const Action a : actions) {
      todo.push_back(s);
      system.apply(todo.back(), {a});
    }
  }
  return found;
}

bool contains(const Heads& tree, const Heads& part) {
  for (std::size_t d = 1; d < part.size(); ++d)
    if (part[d] != kNone && part[d] != tree[d]) return false;
  return true;
}

template <class System>
void compare(const System& system, int words) {
  int dead_ends = 0, wrong = 0, missing = 0, parts = 0, impossible = 0;
  const auto all = outputs(system, words, [&](const auto& s) { return test::legal_actions(system, s); }, dead_ends);
  assert(dead_ends == 0);
  check::each_tree(words, true, [&](const Heads& part) {
    ++parts;
    std::set<Heads> wanted;
    for (const Heads& tree : all)
      if (contains(tree, part)) wanted.insert(tree);
    FixedArcs<System> fixed(system, part);
    typename System::State start;
    system.start(start, words);
    const bool possible = fixed.start(start);
    assert(possible == !wanted.empty());
    if (!possible) {
      ++impossible;
      return;
    }
    const auto found = outputs(
        system, words,
        [&](auto& s) {
          fixed.start(s);
          return fixed.allowed(s);
        },
        dead_ends);
    for (const Heads& tree : found) wrong += !contains(tree, part);
    for (const Heads& tree : wanted) missing += !found.contains(tree);
  });
  const Options& o = system.options();
  std::printf("%-16s %s %s %-6s %d words: %d parts, %d impossible, %d dead ends, %d wrong trees, %d trees missing\n",
              System::kName, o.root == RootPlace::last ? "last " : "first",
              o.headless == Headless::attach ? "attach" : "forest", o.single_root ? "single" : "", words, parts,
              impossible, dead_ends, wrong, missing);
  // A tree that is never built is a restriction without need, but no error: where words are swapped, they are so only
  // for the sake of fixed arcs.
  assert(dead_ends == 0 && wrong == 0);
  assert(missing == 0 || System::kName == std::string(ArcHybridSwap::kName));
}

}  // namespace

int main() {
  // Five words take ten seconds without the sanitizers, and find nothing more.
  test::each_configured_system([](const auto& system) {
    for (int words = 1; words <= 4; ++words) compare(system, words);
  });
}
