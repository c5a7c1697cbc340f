// Packed weights: what is packed comes out again, and whatever else is unpacked is refused or is a set of weights.
#include "model/packed.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/rng.hpp"

using namespace dynarc;

namespace {

constexpr int kClasses = 9;

using Table = std::map<Key, std::map<int, float>>;

Weights random_weights(Rng& rng, std::size_t rows, Key mask) {
  std::vector<Key> keys;
  while (keys.size() < rows) {
    const Key key = rng.next() & mask;
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  std::vector<std::uint32_t> begin(1, 0);
  std::vector<std::uint16_t> labels;
  std::vector<float> values;
  for (std::size_t r = 0; r < rows; ++r) {
    // Downwards: packing has to sort them.
    for (int c = kClasses; c-- > 0;)
      if (rng.next() % 3 == 0) {
        labels.push_back(static_cast<std::uint16_t>(c));
        values.push_back((static_cast<float>(rng.next() % 20000) - 10000.5F) / 100);
      }
    begin.push_back(static_cast<std::uint32_t>(labels.size()));
  }
  return Weights(std::move(keys), std::move(begin), std::move(labels), std::move(values), kClasses);
}

Table table_of(const Weights& weights, Key mask) {
  Table out;
  for (std::size_t r = 0; r < weights.keys().size(); ++r)
    for (std::uint32_t i = weights.begin()[r]; i < weights.begin()[r + 1]; ++i)
      out[weights.keys()[r] & mask][weights.labels()[i]] = weights.values()[i];
  return out;
}

Key mask_of(int bits) { return bits == 64 ? ~Key{0} : (Key{1} << bits) - 1; }

void there_and_back() {
  Rng rng(1);
  for (const std::size_t rows : {0, 1, 2, 3, 40, 500})
    for (const int bits : {32, 39, 48, 63, 64}) {
      const Weights weights = random_weights(rng, rows, ~Key{0});
      const PackedWeights packed = pack(weights, {bits, 0, false});
      assert(packed.key_bits >= bits);
      const Weights again = unpack(packed, kClasses);
      assert(again.key_bits() == packed.key_bits);
      const Key mask = mask_of(packed.key_bits);
      assert(table_of(again, mask) == table_of(weights, mask));

      const PackedWeights coarse = pack(weights, {bits, 0, true});
      Table wanted = table_of(weights, mask), found = table_of(unpack(coarse, kClasses), mask);
      for (auto& [key, row] : wanted)
        for (auto& [label, value] : row) assert(std::abs(found[key][label] - value) <= coarse.scale / 2);
    }
}

// The least and the greatest key, and keys that differ in high bits only.
void keys_at_the_ends() {
  const auto weights = [](std::vector<Key> keys) {
    std::vector<std::uint32_t> begin;
    for (std::uint32_t i = 0; i <= keys.size(); ++i) begin.push_back(i);
    const std::size_t n = keys.size();
    return Weights(std::move(keys), std::move(begin), std::vector<std::uint16_t>(n, 3), std::vector<float>(n, 1),
                   kClasses);
  };
  for (const std::vector<Key>& keys :
       {std::vector<Key>{0, ~Key{0}}, {~Key{0}}, {0}, {~Key{0} - 1, ~Key{0}}, {0, 1, 2}, {Key{1} << 63, Key{1} << 62}})
    for (const int bits : {32, 48, 64}) {
      const PackedWeights packed = pack(weights(keys), {bits, 0, false});
      assert(unpack(packed, kClasses).keys().size() == keys.size());
      assert(table_of(unpack(packed, kClasses), ~Key{0}) == table_of(weights(keys), mask_of(packed.key_bits)));
    }
  assert(pack(weights({Key{1} << 63, Key{1} << 62}), {32, 0, false}).key_bits == 64);
}

template <class T>
void damage(Rng& rng, std::vector<T>& values) {
  if (values.empty()) return;
  const std::size_t at = rng.next() % values.size();
  switch (rng.next() % 4) {
    case 0: values.erase(values.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), values[at]); break;
    case 2: reinterpret_cast<unsigned char*>(&values[at])[0] ^= static_cast<unsigned char>(1u << rng.next() % 8); break;
    default: std::fill_n(reinterpret_cast<unsigned char*>(&values[at]), sizeof(T), 0xFF); break;
  }
}

void damaged() {
  Rng rng(2);
  int refused = 0, taken = 0;
  for (int round = 0; round < 4000; ++round) {
    const Weights weights = random_weights(rng, 1 + rng.next() % 30, ~Key{0});
    PackedWeights packed = pack(weights, {round % 2 == 0 ? 64 : 33, 0, round % 3 == 0});
    switch (rng.next() % 6) {
      case 0: damage(rng, packed.rows_of_size); break;
      case 1: damage(rng, packed.classes); break;
      case 2: damage(rng, packed.values); break;
      case 3: damage(rng, packed.quantised); break;
      case 4: packed.key_bits = static_cast<int>(rng.next() % 70); break;
      default: damage(rng, packed.keys); break;
    }
    try {
      const Weights found = unpack(packed, kClasses);
      Scores scores;
      found.score(found.keys(), scores);
      assert(scores.smalls + scores.mediums + scores.wides == found.keys().size());
      ++taken;
    } catch (const ModelFormatError&) {
      ++refused;
    }
  }
  assert(refused > 1000 && taken > 100);
}

// Keys that differ in high bits only, or in a few: each is found, or the model is refused; neither takes long.
void keys_made_to_collide() {
  constexpr std::uint32_t kRows = 20000;
  for (const int shift : {0, 20, 32, 40, 44}) {
    std::vector<Key> keys;
    std::vector<std::uint32_t> begin(1, 0);
    for (std::uint32_t r = 0; r < kRows; ++r) {
      keys.push_back(Key{r} << shift);
      begin.push_back(r + 1);
    }
    try {
      const Weights weights(keys, std::move(begin), std::vector<std::uint16_t>(kRows), std::vector<float>(kRows, 1), 1);
      Scores scores;
      weights.score(keys, scores);
      assert(scores.smalls == kRows);
    } catch (const ModelFormatError&) {
    }
  }
}

}  // namespace

int main() {
  there_and_back();
  keys_at_the_ends();
  damaged();
  keys_made_to_collide();
}
