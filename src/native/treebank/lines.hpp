// Lines, and where the TABs in them are, found many bytes at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dynarc {

// Places in the first 128 bytes of a line, as bits.
struct Places {
  std::uint64_t low = 0, high = 0;

  bool any() const { return (low | high) != 0; }
  int first() const { return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high); }
  void drop_first() {
    high &= high - (low == 0);
    low &= low - 1;
  }
  void add(std::size_t place) { (place < 64 ? low : high) |= std::uint64_t{1} << (place % 64); }
};
inline constexpr std::size_t kPlaces = 128;

struct Line {
  const char* begin;
  const char* end;   // of its text: neither \n nor \r\n belongs to it
  const char* next;  // the line after it, or the end of all
  Places tabs;       // if it is not a long one
  bool is_long;      // it has no room in 128 bytes

  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // The next line; false if there is none.
  bool next(Line& line) {
    if (at_ == end_) return false;
    line.begin = at_;
    line.is_long = false;
    if (static_cast<std::size_t>(end_ - at_) >= kPlaces) {
      const Marks marks = find(at_);
      if (marks.newlines != 0) {
        line.tabs = {marks.tabs & below(marks.newlines), 0};
        finish(line, at_ + std::countr_zero(marks.newlines));
        return true;
      }
      const Marks more = find(at_ + 64);
      if (more.newlines != 0) {
        line.tabs = {marks.tabs, more.tabs & below(more.newlines)};
        finish(line, at_ + 64 + std::countr_zero(more.newlines));
        return true;
      }
    }
    slow(line);
    return true;
  }

 private:
  struct Marks {
    std::uint64_t tabs, newlines;
  };

  // The places before the first of those given.
  static std::uint64_t below(std::uint64_t places) { return (places & -places) - 1; }

  static Marks find(const char* p) {
    Marks marks{0, 0};
#if defined(__SSE2__)
    const __m128i tab = _mm_set1_epi8('\t'), newline = _mm_set1_epi8('\n');
    const auto bits = [](__m128i mask) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(mask)));
    };
    for (int k = 0; k < 64; k += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + k));
      marks.tabs |= bits(_mm_cmpeq_epi8(bytes, tab)) << k;
      marks.newlines |= bits(_mm_cmpeq_epi8(bytes, newline)) << k;
    }
#else
    for (int k = 0; k < 64; ++k) {
      marks.tabs |= std::uint64_t{p[k] == '\t'} << k;
      marks.newlines |= std::uint64_t{p[k] == '\n'} << k;
    }
#endif
    return marks;
  }

  // At the end of all, and where a line does not end within its places.
  void slow(Line& line) {
    const auto* newline = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    finish(line, newline ? newline : end_);
    line.tabs = {};
    line.is_long = line.size() >= kPlaces;  // its end has a place too
    if (line.is_long) return;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line.begin[i] == '\t') line.tabs.add(i);
  }

  void finish(Line& line, const char* end) {
    at_ = line.next = end == end_ ? end : end + 1;
    line.end = end != line.begin && end[-1] == '\r' ? end - 1 : end;
  }

  const char* at_;
  const char* end_;
};

}  // namespace dynarc
