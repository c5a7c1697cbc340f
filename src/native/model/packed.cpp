#include "model/packed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace dynarc {

namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian and copied as they are");

constexpr int kLeastKeyBits = 32;

class BitWriter {
 public:
  void put(std::uint64_t value, int bits) {
    for (; bits > 0; bits -= 8, value >>= 8) put_byte(value & 0xFF, std::min(bits, 8));
  }
  void put_ones(std::uint64_t count) {
    for (; count >= 8; count -= 8) put_byte(0xFF, 8);
    put_byte((1u << count) - 1, static_cast<int>(count));
  }
  std::vector<std::uint8_t> finish() {
    if (filled_ > 0) bytes_.push_back(static_cast<std::uint8_t>(last_));
    return std::move(bytes_);
  }

 private:
  void put_byte(std::uint64_t value, int bits) {
    last_ |= (value & ((1u << bits) - 1)) << filled_;
    filled_ += bits;
    if (filled_ < 8) return;
    bytes_.push_back(static_cast<std::uint8_t>(last_));
    last_ >>= 8;
    filled_ -= 8;
  }

  std::vector<std::uint8_t> bytes_;
  std::uint64_t last_ = 0;
  int filled_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  std::uint64_t get(int bits) {
    if (bits <= kAtOnce && at_ / 8 + sizeof(std::uint64_t) <= bytes_.size()) {
      const std::uint64_t value = next() & ((std::uint64_t{1} << bits) - 1);
      at_ += static_cast<std::size_t>(bits);
      return value;
    }
    std::uint64_t value = 0;
    for (int done = 0; done < bits;) {
      const int room = 8 - static_cast<int>(at_ & 7), taken = std::min(room, bits - done);
      value |= std::uint64_t{byte() >> (at_ & 7) & ((1u << taken) - 1)} << done;
      at_ += static_cast<std::size_t>(taken);
      done += taken;
    }
    return value;
  }
  std::uint64_t get_ones() {
    if (at_ / 8 + sizeof(std::uint64_t) <= bytes_.size())
      if (const int ones = std::countr_one(next()); ones < kAtOnce) {
        at_ += static_cast<std::size_t>(ones) + 1;
        return static_cast<std::uint64_t>(ones);
      }
    std::uint64_t count = 0;
    for (;;) {
      const int room = 8 - static_cast<int>(at_ & 7);
      const int ones = std::min(std::countr_one(byte() >> (at_ & 7)), room);
      at_ += static_cast<std::size_t>(ones);
      count += static_cast<std::uint64_t>(ones);
      if (ones == room) continue;
      ++at_;  // the 0 that ends them
      return count;
    }
  }
  // Only the zeros that fill the last byte are left.
  bool is_at_end() const { return (at_ + 7) / 8 == bytes_.size() && (at_ % 8 == 0 || bytes_.back() >> (at_ % 8) == 0); }

 private:
  // So many bits, or more, are in eight bytes from the one on in which the next bit is.
  static constexpr int kAtOnce = 57;
  std::uint64_t next() const {
    std::uint64_t word;
    std::memcpy(&word, &bytes_[at_ / 8], sizeof(word));
    return word >> (at_ & 7);
  }
  unsigned byte() const {
    if (at_ / 8 >= bytes_.size()) throw ModelFormatError("the keys of the features are cut short");
    return bytes_[at_ / 8];
  }

  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

Key key_mask(int bits) { return bits == 64 ? ~Key{0} : (Key{1} << bits) - 1; }

// Keys are evenly spread, so the gaps between n of them are geometric with mean 2^bits / n, and this many low bits of a
// gap are as good as random.
int low_bits(int bits, std::uint32_t n) { return std::max(0, bits - static_cast<int>(std::bit_width(n))); }

// So many bits, or more, that no two keys become one.
int distinct_bits(const std::vector<Key>& keys, int bits, int most) {
  std::vector<Key> kept(keys.size());
  for (; bits < most; bits = std::min(bits + 8, most)) {
    std::ranges::transform(keys, kept.begin(), [&](Key key) { return key & key_mask(bits); });
    std::ranges::sort(kept);
    if (std::ranges::adjacent_find(kept) == kept.end()) break;
  }
  return bits;
}

}  // namespace

PackedWeights pack(const Weights& weights, const PackOptions& options) {
  if (options.key_bits < kLeastKeyBits || options.key_bits > 64)
    throw ConfigError("32 to 64 bits of a key can be kept, not " + std::to_string(options.key_bits));
  if (!(options.prune >= 0)) throw ConfigError("weights are pruned below a number that is not negative");
  PackedWeights out;
  if (options.quantised) out.scale = weights.scale();
  const auto stored = [&](float value) { return options.quantised ? weights.rounded(value) : std::int16_t{0}; };
  const auto is_kept = [&](float value) {
    return std::abs(static_cast<double>(value)) >= options.prune &&
           (options.quantised ? stored(value) != 0 : value != 0);
  };

  const std::vector<std::uint32_t>& begin = weights.begin();
  std::vector<std::uint32_t> order;  // rows that keep a weight
  std::vector<std::uint32_t> sizes(weights.keys().size());
  std::vector<Key> keys;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    for (std::uint32_t i = begin[r]; i < begin[r + 1]; ++i) sizes[r] += is_kept(weights.values()[i]);
    if (sizes[r] == 0) continue;
    order.push_back(static_cast<std::uint32_t>(r));
    keys.push_back(weights.keys()[r]);
    if (out.rows_of_size.size() < sizes[r]) out.rows_of_size.resize(sizes[r]);
    ++out.rows_of_size[sizes[r] - 1];
  }
  // A model that was loaded with truncated keys has no more bits to give.
  out.key_bits = distinct_bits(keys, std::min(options.key_bits, weights.key_bits()), weights.key_bits());
  const Key mask = key_mask(out.key_bits);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : (weights.keys()[a] & mask) < (weights.keys()[b] & mask);
  });

  BitWriter bits;
  std::vector<std::pair<std::uint16_t, float>> row;
  std::uint32_t size = 0;
  int low = 0;
  Key next = 0;  // the least key that can come
  for (const std::uint32_t r : order) {
    if (sizes[r] != size) {
      size = sizes[r];
      low = low_bits(out.key_bits, out.rows_of_size[size - 1]);
      next = 0;
    }
    const Key key = weights.keys()[r] & mask, gap = key - next;
    bits.put_ones(gap >> low);
    bits.put(0, 1);
    bits.put(gap & key_mask(low), low);
    next = key + 1;

    row.clear();
    for (std::uint32_t i = begin[r]; i < begin[r + 1]; ++i)
      if (is_kept(weights.values()[i])) row.emplace_back(weights.labels()[i], weights.values()[i]);
    std::ranges::sort(row, {}, &std::pair<std::uint16_t, float>::first);
    for (const auto& [label, value] : row) {
      out.classes.push_back(label);
      if (options.quantised)
        out.quantised.push_back(stored(value));
      else
        out.values.push_back(value);
    }
  }
  out.keys = bits.finish();
  return out;
}

Weights unpack(PackedWeights packed, int classes) {
  if (packed.key_bits < kLeastKeyBits || packed.key_bits > 64)
    throw ModelFormatError("keys of features have 32 to 64 bits, not " + std::to_string(packed.key_bits));
  const bool quantised = packed.scale != 0;
  int exponent = 0;
  if (quantised && (!std::isnormal(packed.scale) || std::frexp(packed.scale, &exponent) != 0.5F))
    throw ModelFormatError("the scale of the weights is not a power of two");
  const std::size_t count = packed.classes.size();
  if (count != (quantised ? packed.quantised.size() : packed.values.size()) ||
      count > std::numeric_limits<std::uint32_t>::max())
    throw ModelFormatError("the arrays of weights do not fit together");
  // Each row has a weight, so rows are no more than weights: what is reserved is in proportion to what was given.
  std::uint64_t rows = 0, needed = 0;
  for (std::size_t s = 0; s < packed.rows_of_size.size(); ++s) {
    rows += packed.rows_of_size[s];
    needed += packed.rows_of_size[s] * std::uint64_t{s + 1};
    if (needed > count) break;
  }
  if (needed != count || (!packed.rows_of_size.empty() && packed.rows_of_size.back() == 0))
    throw ModelFormatError("there are not as many weights as the rows have");

  std::vector<Key> keys;
  std::vector<std::uint32_t> begin(1, 0);
  keys.reserve(rows);
  begin.reserve(rows + 1);
  BitReader bits(packed.keys);
  const Key mask = key_mask(packed.key_bits);
  for (std::size_t s = packed.rows_of_size.size(); s-- > 0;) {
    const std::uint32_t n = packed.rows_of_size[s];
    const int low = low_bits(packed.key_bits, n);
    Key next = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t high = bits.get_ones();
      if (high > mask >> low) throw ModelFormatError("the keys of the features are not in order");
      const Key gap = high << low | bits.get(low), left = mask - next;
      // next is 0 again when the last key was the greatest there is.
      if ((i > 0 && next == 0) || next > mask || gap > left)
        throw ModelFormatError("the keys of the features are not in order");
      keys.push_back(next + gap);
      next += gap + 1;
      const std::uint32_t first = begin.back(), end = first + static_cast<std::uint32_t>(s + 1);
      for (std::uint32_t w = first + 1; w < end; ++w)
        if (packed.classes[w - 1] >= packed.classes[w])
          throw ModelFormatError("the classes of a feature are not in order");
      begin.push_back(end);
    }
  }
  if (!bits.is_at_end()) throw ModelFormatError("there are more keys than features");
  packed.keys = {};

  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = quantised ? static_cast<float>(packed.quantised[i]) * packed.scale : packed.values[i];
    if (!std::isfinite(values[i])) throw ModelFormatError("a weight is not a number");
  }
  packed.values = {};
  packed.quantised = {};
  return Weights(std::move(keys), std::move(begin), std::move(packed.classes), std::move(values), classes,
                 packed.key_bits);
}

}  // namespace dynarc
