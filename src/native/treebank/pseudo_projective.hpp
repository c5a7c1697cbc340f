// The pseudo-projective transformation (Nivre & Nilsson 2005): non-projective arcs are lifted until the tree is
// projective, marks on the labels say what was lifted, and after parsing a search undoes the lifts that the marks name.
//
// Marks are fields beside the label, never part of its name: labels may hold any character.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace dynarc {

// What the marks say. baseline: nothing, so that nothing can be undone. head: of a lifted arc, the label of its
// original head. path: that an arc was lifted, and over which arcs lifts have passed. head_path: both.
enum class Encoding : std::uint8_t { baseline, head, path, head_path };

constexpr bool marks_head(Encoding e) { return e == Encoding::head || e == Encoding::head_path; }
constexpr bool marks_path(Encoding e) { return e == Encoding::path || e == Encoding::head_path; }

// The order in which the search tries the dependents of a node: from left to right (Nivre & Nilsson, spaCy), or the
// nearest to the lifted word first (MaltParser), of two as near the left one.
enum class ChildOrder : std::uint8_t { left_to_right, by_distance };

// The label of an arc with its marks; what a parser for lifted trees predicts.
struct EncodedLabel {
  Label label = kNoLabel;      // as it was
  Label lifted_to = kNoLabel;  // of a lifted arc: the label of the original head, where the encoding says it
  bool lifted = false;         // this arc was lifted ("up")
  bool passed = false;         // a lift has passed over this arc ("down")

  bool plain() const { return !lifted && !passed; }
  friend auto operator<=>(const EncodedLabel&, const EncodedLabel&) = default;
};

// Indexed 0..n, ROOT first; entry 0 is unused.
struct MarkedTree {
  std::vector<Node> heads;
  std::vector<EncodedLabel> labels;
};

// While there is a non-projective arc: takes the shortest, of those the one with the leftmost dependent, and attaches
// its dependent to the head of its head. Throws TreeError unless the heads form a tree without unknown heads, and where
// the encoding needs a label that is not there.
//
// No arc from ROOT is ever lifted (they are projective), so the original head of a lifted arc is always a word and has
// a label. A projective tree comes back as it was.
MarkedTree projectivize(const std::vector<Node>& heads, const std::vector<Label>& labels, Encoding encoding);

// Moves every lifted word to the first fitting node below its present head, top-down, and returns the heads. The marks
// may be anything, as a parser predicts them, and the tree need not be projective: the result is always a tree. Words
// that fit nowhere stay, and are tried a second time when the others have moved. Each takes O(n) at most. Throws
// TreeError as above.
std::vector<Node> deprojectivize(const MarkedTree& tree, Encoding encoding, ChildOrder order);

}  // namespace dynarc
