// UTF-8: is it valid, and how many characters are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dynarc {

// The first byte that is not part of a valid character; the size if all is well.
inline std::size_t find_invalid_utf8(std::string_view text) {
  const auto* s = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t n = text.size();
  std::size_t i = 0;
  while (i < n) {
    if (s[i] < 0x80) {
      ++i;
      while (i + 8 <= n) {  // ASCII, eight at a time
        std::uint64_t word;
        std::memcpy(&word, s + i, 8);
        if (word & 0x8080808080808080u) break;
        i += 8;
      }
      continue;
    }
    // Length by the first byte; the least value for that length rules out overlong forms.
    int more;
    std::uint32_t value, least;
    if (s[i] >= 0xC2 && s[i] <= 0xDF) {
      more = 1, value = s[i] & 0x1Fu, least = 0x80;
    } else if ((s[i] & 0xF0) == 0xE0) {
      more = 2, value = s[i] & 0x0Fu, least = 0x800;
    } else if (s[i] >= 0xF0 && s[i] <= 0xF4) {
      more = 3, value = s[i] & 0x07u, least = 0x10000;
    } else {
      return i;
    }
    if (n - i <= static_cast<std::size_t>(more)) return i;
    for (int k = 1; k <= more; ++k) {
      if ((s[i + k] & 0xC0) != 0x80) return i;
      value = value << 6 | (s[i + k] & 0x3Fu);
    }
    if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return i;
    i += more + 1;
  }
  return n;
}

// Bytes that do not continue a character: for valid text, the number of characters.
inline std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace dynarc
