// Families of gold trees for exhaustive and sampled checks.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "treebank/gold.hpp"

namespace dynarc::check {

inline bool is_tree(const std::vector<Node>& heads) {
  try {
    check_heads(heads);
  } catch (const TreeError&) {
    return false;
  }
  return true;
}

// Every tree of n words, or with `partial` every tree with some heads left unknown. heads[0] is kNone.
template <class F>
void each_tree(int words, bool partial, F&& f) {
  std::vector<Node> heads(words + 1, partial ? kNone : kRoot);
  heads[kRoot] = kNone;
  for (;;) {
    if (is_tree(heads)) f(heads);
    int d = words;
    while (d >= 1 && heads[d] == words) heads[d--] = partial ? kNone : kRoot;
    if (d < 1) return;
    ++heads[d];
  }
}

// A random tree, any shape: heads are drawn until they form one.
inline std::vector<Node> random_tree(int words, Rng& rng) {
  std::vector<Node> heads(words + 1);
  do {
    heads[kRoot] = kNone;
    for (Node d = 1; d <= words; ++d) heads[d] = rng.below(words + 1);
  } while (!is_tree(heads));
  return heads;
}

// The tree that a system builds by random moves: derivable by definition.
template <class System>
std::vector<Node> random_output(const System& system, int words, Rng& rng) {
  typename System::State s;
  system.start(s, words);
  std::vector<Action> actions;
  while (!system.is_final(s)) {
    actions.clear();
    system.each_legal(s, [&](Action a) { actions.push_back(a); });
    system.apply(s, {actions[rng.below(static_cast<int>(actions.size()))]});
  }
  std::vector<Node> heads;
  system.finish(s, heads);
  for (std::size_t d = 1; d < heads.size(); ++d)
    if (heads[d] == kNone) heads[d] = kRoot;
  return heads;
}

}  // namespace dynarc::check
