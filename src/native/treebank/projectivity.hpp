// How far a tree is from being projective: its non-projective arcs and its gaps. An unknown head counts as ROOT here,
// so that parts of a tree can be asked too; everything takes linear time or nearly so, and nothing recurses.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dynarc {

// The nodes of a tree numbered so that every subtree is one range. Vectors are indexed 0..n, ROOT included.
struct Numbering {
  // Throws TreeError unless the heads (kNone = unknown) form a tree.
  explicit Numbering(const std::vector<Node>& heads);

  std::vector<Node> top_down;  // ROOT, then breadth first, dependents of a node from left to right
  std::vector<int> size;       // nodes of the subtree, its top included
  std::vector<int> enter;      // place in a depth-first walk

  bool dominates(Node h, Node x) const { return enter[h] <= enter[x] && enter[x] < enter[h] + size[h]; }
};

// The stretch of words around each node that it dominates without a gap: strictly between left[h] and right[h], which
// are the nearest nodes that h does not dominate, or -1 and n + 1. An arc (h, d) is non-projective, that is, some word
// strictly between h and d is not dominated by h (Nivre & Nilsson 2005), exactly if d lies outside the stretch.
struct Stretches {
  Stretches(const std::vector<Node>& heads, const Numbering& tree);

  std::vector<Node> left, right;

  bool covers(Node h, Node d) const { return left[h] < d && d < right[h]; }
};

// In the order of their dependents. Arcs from ROOT are never among them.
std::vector<Arc> nonprojective_arcs(const std::vector<Node>& heads);

// The gap degree of each node, 0..n: how often its projection, the sorted words that it dominates and itself, is
// interrupted (Bodirsky, Kuhlmann & Möhl 2005; Kuhlmann & Nivre 2006). That of ROOT is 0; that of the tree is the
// greatest, and is 0 exactly for projective trees.
std::vector<int> gap_degrees(const std::vector<Node>& heads);

}  // namespace dynarc
