// Weights as a model file holds them: the same numbers in less room, or fewer and coarser ones if that is asked for.
//
// Rows are in order of their size (most weights first) and, among those of one size, of their key. So sizes need not be
// stored, only how many rows have each; keys are stored as the gaps between them; and the features that fire most,
// which have the most weights, lie together in memory. Classes rise within a row. Neither order changes a score: a row
// has one weight for each class, and rows are added in the order of the templates.
#pragma once

#include <cstdint>
#include <vector>

#include "model/weights.hpp"

namespace dynarc {

struct PackOptions {
  // Of 64 bits of a key, how many are kept. A feature that has no row is taken for one that has with probability
  // rows / 2^key_bits, at 48 bits and a million rows one in 280 million. More are kept if two rows would be the same.
  int key_bits = 64;
  double prune = 0;        // weights nearer to 0 than this are left out
  bool quantised = false;  // 16 bits for a weight
};

struct PackedWeights {
  int key_bits = 64;
  std::vector<std::uint32_t> rows_of_size;  // [s]: how many rows have s + 1 weights
  std::vector<std::uint8_t> keys;           // Golomb-Rice codes of the gaps, one run for each size
  std::vector<std::uint16_t> classes;
  // One of the two. A power of two as scale makes every product, and every sum of a few hundred of them, exact: a
  // quantised model gives the same scores wherever it is loaded and in whatever order they are added.
  std::vector<float> values;
  std::vector<std::int16_t> quantised;
  float scale = 0;  // 0: not quantised
};

PackedWeights pack(const Weights& weights, const PackOptions& options);

// Throws ModelFormatError at whatever pack() could not have made. Needs memory in proportion to what is given.
Weights unpack(PackedWeights packed, int classes);

}  // namespace dynarc
