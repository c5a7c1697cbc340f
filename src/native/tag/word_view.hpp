// What a tagger sees of a word by itself: its text, parts of it and its shape, each as one number.
#pragma once

#include <array>
#include <cstring>
#include <string_view>

#include "features/extractor.hpp"

namespace dynarc {

// Mixes a value into a key; nothing is lost, so keys differ wherever values do, but for the chance of two 64-bit
// numbers being the same.
inline Key mix_key(Key key, std::uint64_t value) {
  key = (key ^ value) * 0x9E3779B97F4A7C15u;
  return key ^ key >> 32;
}

// A text as a number. Model files are made of these, so it stays what it is.
inline Key text_key(std::string_view text) {
  Key key = mix_key(0x8A5CD789635D2DFFu, text.size());
  std::uint64_t bytes = 0;
  for (; text.size() >= sizeof(bytes); text.remove_prefix(sizeof(bytes))) {
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    key = mix_key(key, bytes);
  }
  bytes = 0;
  for (std::size_t i = 0; i < text.size(); ++i) bytes |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  return mix_key(key, bytes);
}

struct WordView {
  static constexpr int kPrefixes = 4, kSuffixes = 5;

  Key form = 0, lower = 0, shape = 0;
  std::array<Key, kPrefixes> prefix{};  // of 1, 2 ... characters, in lower case
  std::array<Key, kSuffixes> suffix{};
};

// Of a text of valid UTF-8.
WordView view_word(std::string_view form);
// Of the word that is not there, before the first and after the last.
WordView view_nothing();

}  // namespace dynarc
