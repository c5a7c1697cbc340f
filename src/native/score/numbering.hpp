// Numbers for texts, in the order in which they are first seen: equal text, equal number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/flat_index.hpp"

namespace dynarc::score {

using Number = std::uint32_t;

// The texts are not copied: whoever owns them must outlive the numbering.
class Numbering {
 public:
  Number of(std::string_view text) { return static_cast<Number>(index_.insert({{text, hash_of(text)}}).first); }
  std::size_t size() const { return index_.size(); }
  std::string_view text(Number number) const { return index_[static_cast<int>(number)].key.text; }

 private:
  struct Key {
    std::string_view text;
    std::size_t value;

    std::size_t hash() const { return value; }
    friend bool operator==(const Key& a, const Key& b) { return a.value == b.value && a.text == b.text; }
  };
  struct Entry {
    Key key;
  };

  // Eight bytes at a time, mixed as in base/rng.hpp.
  static std::size_t hash_of(std::string_view text) {
    std::uint64_t h = text.size() * 0x9e3779b97f4a7c15ULL;
    const auto mix = [&h](std::uint64_t word) {
      h = (h ^ word) * 0xbf58476d1ce4e5b9ULL;
      h ^= h >> 29;
    };
    std::uint64_t word = 0;
    for (; text.size() >= 8; text.remove_prefix(8)) {
      std::memcpy(&word, text.data(), 8);
      mix(word);
    }
    word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    mix(word);
    return static_cast<std::size_t>(h ^ (h >> 32));
  }

  FlatIndex<Entry> index_;
};

}  // namespace dynarc::score
