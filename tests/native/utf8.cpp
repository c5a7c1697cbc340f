// Every sequence of up to four bytes that could matter, at every place around the borders of blocks: the vector code
// and the portable code agree, and the portable code agrees with the definition.
#include "base/utf8.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace dynarc;

namespace {

// The definition (RFC 3629), one character at a time, by ranges of bytes.
bool valid(const std::string& s) {
  const auto at = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0; };
  const auto in = [&](std::size_t i, int low, int high) { return at(i) >= low && at(i) <= high; };
  for (std::size_t i = 0; i < s.size();) {
    if (at(i) < 0x80)
      i += 1;
    else if (in(i, 0xC2, 0xDF) && in(i + 1, 0x80, 0xBF))
      i += 2;
    else if ((at(i) == 0xE0 && in(i + 1, 0xA0, 0xBF) && in(i + 2, 0x80, 0xBF)) ||
             ((in(i, 0xE1, 0xEC) || in(i, 0xEE, 0xEF)) && in(i + 1, 0x80, 0xBF) && in(i + 2, 0x80, 0xBF)) ||
             (at(i) == 0xED && in(i + 1, 0x80, 0x9F) && in(i + 2, 0x80, 0xBF)))
      i += 3;
    else if (((at(i) == 0xF0 && in(i + 1, 0x90, 0xBF)) || (in(i, 0xF1, 0xF3) && in(i + 1, 0x80, 0xBF)) ||
              (at(i) == 0xF4 && in(i + 1, 0x80, 0x8F))) &&
             in(i + 2, 0x80, 0xBF) && in(i + 3, 0x80, 0xBF))
      i += 4;
    else
      return false;
  }
  return true;
}

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  // One byte of every class that any rule tells apart.
  const int classes[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                         0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF};
  long checked = 0;
  for (const int a : classes)
    for (const int b : classes)
      for (const int c : classes)
        for (const int d : classes) {
          const char four[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), static_cast<char>(d)};
          const std::string s(four, 4);
          const bool right = valid(s);
          const std::size_t found = utf8::find_invalid_portable(s);
          require((found == s.size()) == right, "portable " + std::to_string(checked));
          require(valid(s.substr(0, found)), "the part before the invalid byte is valid");
          for (const std::size_t before : {27u, 28u, 29u, 30u, 31u, 32u}) {
            const std::string text = std::string(before, 'x') + s + std::string(before % 3 ? 40 : 0, 'y');
            require(utf8::find_invalid_vector(text) == utf8::find_invalid_portable(text), "vector");
          }
          ++checked;
        }
  // Four bytes of any kind, so that no class above was thought too wide.
  std::uint64_t random = 1;
  for (int i = 0; i < 2000000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::string text(64 + i % 40, '\xC3');
    for (std::size_t k = 1; k < text.size(); k += 2) text[k] = '\xA9';
    if (text.size() % 2) text.back() = 'x';
    const std::size_t at = (random >> 20) % (text.size() - 3);
    for (int k = 0; k < 3; ++k) text[at + k] = static_cast<char>(random >> (32 + 8 * k));
    require(utf8::find_invalid_vector(text) == utf8::find_invalid_portable(text), "vector, random");
    require((utf8::find_invalid_portable(text) == text.size()) == valid(text), "portable, random");
  }
  std::printf("%ld sequences\n", checked);
}
