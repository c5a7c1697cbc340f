// The words every part of the engine speaks: nodes, moves, transitions, arcs, costs, options.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynarc {

using Node = std::int32_t;   // 0 is ROOT wherever it stands, words are 1..n as in CoNLL-U
using Label = std::int32_t;  // index into the inventory kept on the Python side
using Cost = std::int64_t;   // counted in units of the gold tree's prices (1 unless prices are fractions)

inline constexpr Node kRoot = 0;
inline constexpr Node kNone = -1;
inline constexpr Label kNoLabel = -1;

enum class Move : std::uint8_t { shift, left, right, reduce, left2, right2, noarc, swap };
inline constexpr int kMoves = 8;
inline constexpr std::string_view kMoveNames[kMoves] = {"SHIFT", "LEFT",   "RIGHT", "REDUCE",
                                                        "LEFT2", "RIGHT2", "NOARC", "SWAP"};

// What is done, without the label: legality and unlabelled cost depend on nothing else.
struct Action {
  Move move = Move::shift;
  Node node = kNone;  // easy-first only: the word that becomes the head
  friend bool operator==(const Action&, const Action&) = default;
};

struct Transition {
  Action action;
  Label label = kNoLabel;
  friend bool operator==(const Transition&, const Transition&) = default;
};

struct Arc {
  Node head = kNone;
  Node dependent = kNone;
  explicit operator bool() const { return dependent != kNone; }
};

enum class RootPlace : std::uint8_t { first, last };

// What becomes of words that end without a head: they count as wrong, or they become children of ROOT.
enum class Headless : std::uint8_t { forest, attach };

struct Options {
  RootPlace root = RootPlace::first;
  Headless headless = Headless::forest;
  bool single_root = false;
};

// Which of two equally canonical static oracles for arc-eager: reduce only when it is needed to go on
// (Goldberg & Nivre 2012, Algorithm 1), or as soon as the word is finished.
enum class ReduceRule : std::uint8_t { must, can };

// How a dynamic oracle computes: as fits the system and the gold tree, by summing single arcs, by dynamic
// programming, or by search.
enum class Method : std::uint8_t { automatic, formula, table, search };

// What a system's own costs are: sums of single arcs that are exact for the gold trees `exact_for` accepts; such sums
// that are approximate by design, so that they are used unless the search is asked for; or searches and tables, because
// arcs exclude each other.
enum class CostKind : std::uint8_t { formula, approximate, reduction };

// What to do with gold that the formulas are not exact for: search, or use them all the same.
enum class Inexact : std::uint8_t { search, formula };

}  // namespace dynarc
