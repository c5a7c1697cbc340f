#include "base/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "base/simd.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define DYNARC_AVX2 1
#include <immintrin.h>
#endif

namespace dynarc {

namespace utf8 {

std::size_t find_invalid_portable(std::string_view text) {
  const auto* s = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t n = text.size();
  std::size_t i = 0;
  while (i < n) {
    if (s[i] < 0x80) {
      ++i;
      while (n - i >= 8) {  // ASCII, eight at a time
        std::uint64_t word;
        std::memcpy(&word, s + i, 8);
        if (word & 0x8080808080808080u) break;
        i += 8;
      }
      continue;
    }
    // Length by the first byte; the least value for that length rules out overlong forms.
    std::size_t more;
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
    if (n - i <= more) return i;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((s[i + k] & 0xC0) != 0x80) return i;
      value = value << 6 | (s[i + k] & 0x3Fu);
    }
    if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return i;
    i += more + 1;
  }
  return n;
}

#if defined(DYNARC_AVX2)

namespace {

// Every error shows in two bytes that follow each other, looked at through three half-bytes; only that the third and
// fourth bytes of a character are there must be seen apart. Keiser & Lemire 2021, "Validating UTF-8 in less than one
// instruction per byte".
enum : std::uint8_t {
  kTooShort = 1 << 0,   // a first byte, not followed by a continuation
  kTooLong = 1 << 1,    // ASCII, followed by one
  kOverlong3 = 1 << 2,  // E0 and then less than A0
  kTooLarge = 1 << 3,   // F4 and then 90 or more, or a first byte above F4
  kSurrogate = 1 << 4,
  kOverlong2 = 1 << 5,    // C0 or C1
  kOverlong4 = 1 << 6,    // F0 and then less than 90
  kTooLarge80 = 1 << 6,   // a first byte above F4 and then less than 90: shares its bit, as the first bytes differ
  kTwoContinue = 1 << 7,  // may be right: two continuations
  kAnyLow = kTooShort | kTooLong | kTwoContinue,
};

__attribute__((target("avx2"))) __m256i table(const std::uint8_t (&sixteen)[16]) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen)));
}

__attribute__((target("avx2"))) __m256i high_half(__m256i bytes) {
  return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
}

// Whether whole blocks of 32 bytes hold an error; what is cut off by the end of the last one is not seen.
__attribute__((target("avx2"))) bool any_invalid(const char* text, std::size_t blocks) {
  constexpr std::uint8_t kFirstHigh[16] = {kTooLong,
                                           kTooLong,
                                           kTooLong,
                                           kTooLong,
                                           kTooLong,
                                           kTooLong,
                                           kTooLong,
                                           kTooLong,
                                           kTwoContinue,
                                           kTwoContinue,
                                           kTwoContinue,
                                           kTwoContinue,
                                           kTooShort | kOverlong2,
                                           kTooShort,
                                           kTooShort | kOverlong3 | kSurrogate,
                                           kTooShort | kTooLarge | kTooLarge80};
  constexpr std::uint8_t kLarge = kAnyLow | kTooLarge | kTooLarge80;
  constexpr std::uint8_t kFirstLow[16] = {kAnyLow | kOverlong2 | kOverlong3 | kOverlong4,
                                          kAnyLow | kOverlong2,
                                          kAnyLow,
                                          kAnyLow,
                                          kAnyLow | kTooLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge,
                                          kLarge | kSurrogate,
                                          kLarge,
                                          kLarge};
  constexpr std::uint8_t kContinues = kTooLong | kOverlong2 | kTwoContinue;
  constexpr std::uint8_t kSecondHigh[16] = {kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kContinues | kOverlong3 | kTooLarge80 | kOverlong4,
                                            kContinues | kOverlong3 | kTooLarge,
                                            kContinues | kSurrogate | kTooLarge,
                                            kContinues | kSurrogate | kTooLarge,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort,
                                            kTooShort};
  const __m256i first_high = table(kFirstHigh), first_low = table(kFirstLow), second_high = table(kSecondHigh);
  const __m256i low_half = _mm256_set1_epi8(0x0F), top = _mm256_set1_epi8(static_cast<char>(0x80));
  __m256i before = _mm256_setzero_si256(), errors = before;
  bool ascii_before = true;
  for (std::size_t b = 0; b < blocks; ++b) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32 * b));
    const bool ascii = _mm256_movemask_epi8(bytes) == 0;
    if (!(ascii && ascii_before)) {
      const __m256i joined = _mm256_permute2x128_si256(before, bytes, 0x21);
      const __m256i back1 = _mm256_alignr_epi8(bytes, joined, 15);
      const __m256i back2 = _mm256_alignr_epi8(bytes, joined, 14);
      const __m256i back3 = _mm256_alignr_epi8(bytes, joined, 13);
      const __m256i found =
          _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first_high, high_half(back1)),
                                            _mm256_shuffle_epi8(first_low, _mm256_and_si256(back1, low_half))),
                           _mm256_shuffle_epi8(second_high, high_half(bytes)));
      // Two continuations in a row are right exactly where a third or fourth byte is due.
      const __m256i third = _mm256_subs_epu8(back2, _mm256_set1_epi8(static_cast<char>(0xE0 - 0x80)));
      const __m256i fourth = _mm256_subs_epu8(back3, _mm256_set1_epi8(static_cast<char>(0xF0 - 0x80)));
      const __m256i due = _mm256_and_si256(_mm256_or_si256(third, fourth), top);
      errors = _mm256_or_si256(errors, _mm256_xor_si256(found, due));
    }
    before = bytes;
    ascii_before = ascii;
  }
  return !_mm256_testz_si256(errors, errors);
}

}  // namespace

std::size_t find_invalid_vector(std::string_view text) {
  if (simd() == Simd::portable) return find_invalid_portable(text);
  const std::size_t blocks = text.size() / 32;
  if (any_invalid(text.data(), blocks)) return find_invalid_portable(text);
  // From the start of the last character, which the block may have cut off.
  std::size_t from = 32 * blocks;
  for (int k = 0; k < 4 && from > 0; ++k) {
    if (static_cast<unsigned char>(text[from - 1]) < 0x80) break;
    --from;
    if (static_cast<unsigned char>(text[from]) >= 0xC0) break;
  }
  return from + find_invalid_portable(text.substr(from));
}

#else

std::size_t find_invalid_vector(std::string_view text) { return find_invalid_portable(text); }

#endif

}  // namespace utf8

std::size_t find_invalid_utf8(std::string_view text) { return utf8::find_invalid_vector(text); }

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace dynarc
