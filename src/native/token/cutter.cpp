#include "token/cutter.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "learn/averages.hpp"

namespace dynarc {

namespace {

constexpr float kMargin = 1;
constexpr std::size_t kShort = 20;  // characters of a chunk that is known as a whole

// Letters, digits and scripts in classes; other characters stand for themselves.
char32_t kind_of(char32_t c) {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? U'a' : c >= 'A' && c <= 'Z' ? U'A' : c >= '0' && c <= '9' ? U'0' : c;
  if (c < 0xC0 || c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c < 0x2C00) || (c >= 0x3000 && c < 0x3040)) return c;
  if (c >= 0x3040 && c < 0x3100) return U'K';
  if ((c >= 0x3400 && c < 0xA000) || (c >= 0x20000 && c < 0x32000)) return U'H';
  if (c >= 0xAC00 && c < 0xD7B0) return U'G';
  if ((c >= 0xFE30 && c < 0xFE50) || (c >= 0xFF00 && c < 0xFF10) || (c >= 0xFF1A && c < 0xFF21)) return c;
  if (c >= 0xFF10 && c < 0xFF1A) return U'0';
  if (c >= 0x1F000 && c < 0x1FC00) return U'e';
  return lower_character(c) != c ? U'A' : U'a';
}

}  // namespace

void Chunk::set(std::string_view text) {
  characters_.clear();
  kinds_.clear();
  places_.clear();
  const std::string_view all = text;
  while (!text.empty()) {
    places_.push_back(all.size() - text.size());
    const char32_t c = next_character(text);
    characters_.push_back(lower_character(c));
    kinds_.push_back(kind_of(c));
  }
  places_.push_back(all.size());
  whole_ = 0;
  if (characters_.size() <= kShort)
    for (const char32_t c : characters_) whole_ = mix_key(whole_, c);
}

void Chunk::add_keys(int i, int start, std::vector<Key>& keys) const {
  Key number = 0;
  const auto add = [&](std::initializer_list<Key> values) {
    Key key = mix_key(0x3C6EF372FE94F82Bu, ++number);
    for (const Key value : values) key = mix_key(key, value);
    keys.push_back(key);
  };
  const Key a = character(i - 3), b = character(i - 2), c = character(i - 1);  // before the place
  const Key d = character(i), e = character(i + 1), f = character(i + 2);      // after it
  const Key kb = kind(i - 2), kc = kind(i - 1), kd = kind(i), ke = kind(i + 1);
  add({0});
  add({c});
  add({d});
  add({b, c});
  add({c, d});
  add({d, e});
  add({a, b, c});
  add({b, c, d});
  add({c, d, e});
  add({d, e, f});
  add({b, c, d, e});
  add({kc, kd});
  add({kb, kc, kd, ke});
  add({kind(i - 3), kb, kc, kd, ke, kind(i + 2)});
  add({c, kd});
  add({kc, d});
  // The token so far, the rest, and the whole.
  const int length = i - start, rest = size() - i;
  Key token = 1, kinds = 1;
  if (length <= 12) {
    for (int k = start; k < i; ++k) token = mix_key(token, character(k));
    for (int k = start; k < i; ++k)
      if (k == start || kind(k) != kind(k - 1)) kinds = mix_key(kinds, kind(k));
  }
  Key end = 1;
  if (rest <= 6)
    for (int k = i; k < size(); ++k) end = mix_key(end, character(k));
  const auto some = static_cast<Key>(std::min(length, 6));
  add({token});
  add({token, d});
  add({token, end});
  add({kinds, kd, ke});
  add({end});
  add({some, kc, kd});
  add({kinds, end});
  if (whole_ != 0) add({whole_, static_cast<Key>(i)});
}

void Cutter::cut(std::string_view text, Work& work, std::vector<std::uint32_t>& ends) const {
  work.chunk.set(text);
  int start = 0;
  for (int i = 1; i < work.chunk.size(); ++i) {
    work.keys.clear();
    work.chunk.add_keys(i, start, work.keys);
    weights_.score(work.keys, work.scores);
    if (work.scores.of_class[1] <= work.scores.of_class[0] && i - start < kLongestToken) continue;
    ends.push_back(static_cast<std::uint32_t>(work.chunk.place(i)));
    start = i;
  }
  ends.push_back(static_cast<std::uint32_t>(text.size()));
}

void CutterTraining::learn(std::string_view text, std::span<const std::uint32_t> ends, bool explore) {
  chunk_.set(text);
  int start = 0;
  std::size_t next = 0;
  for (int i = 1; i < chunk_.size(); ++i) {
    const auto place = static_cast<std::uint32_t>(chunk_.place(i));
    while (ends[next] < place) ++next;
    const int gold = ends[next] == place;
    keys_.clear();
    chunk_.add_keys(i, start, keys_);
    const std::vector<float>& scores = weights_.score(keys_);
    const int choice = scores[1] > scores[0];
    ++moment_;
    wrong_ += choice != gold;
    // Right by a margin: where all agree, averages of a few early updates must not decide.
    if (scores[static_cast<std::size_t>(gold)] - scores[static_cast<std::size_t>(1 - gold)] < kMargin)
      weights_.update(keys_, gold, 1 - gold, 1, moment_);
    if (explore ? choice : gold) start = i;
  }
}

Cutter CutterTraining::cutter() const { return Cutter(averaged_weights(weights_, moment_, 2)); }

}  // namespace dynarc
