// Where tokens end within text that has no spaces: a choice after every character, from left to right.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "learn/weights.hpp"
#include "model/weights.hpp"
#include "tag/word_view.hpp"

namespace dynarc {

// A run of text without spaces, as features see it.
class Chunk {
 public:
  // Throws nothing: the text is valid UTF-8.
  void set(std::string_view text);
  int size() const { return static_cast<int>(characters_.size()); }
  // Where the character i begins, in bytes; of the one after the last, the size.
  std::size_t place(int i) const { return places_[static_cast<std::size_t>(i)]; }
  // What decides whether a token ends before character i (from 1), where the last one began with character `start`.
  void add_keys(int i, int start, std::vector<Key>& keys) const;

 private:
  Key character(int i) const { return i < 0 || i >= size() ? 0 : characters_[static_cast<std::size_t>(i)]; }
  Key kind(int i) const { return i < 0 || i >= size() ? 1 : kinds_[static_cast<std::size_t>(i)]; }

  std::vector<char32_t> characters_;
  std::vector<char32_t> kinds_;
  std::vector<std::size_t> places_;
  Key whole_ = 0;  // the text itself, if it is short
};

// No token is longer, in characters.
inline constexpr int kLongestToken = 1 << 16;

// The numbers of characters before which the tokens of a chunk end.
class Cutter {
 public:
  explicit Cutter(Weights weights) : weights_(std::move(weights)) {}
  const Weights& weights() const { return weights_; }

  struct Work {
    Chunk chunk;
    std::vector<Key> keys;
    Scores scores;
  };
  // Where tokens end, in bytes, the end of the text included.
  void cut(std::string_view text, Work& work, std::vector<std::uint32_t>& ends) const;

 private:
  Weights weights_;
};

class CutterTraining {
 public:
  // Learns from one chunk. `ends` are in bytes, as those of Cutter. `explore`: with the cuts it makes itself.
  void learn(std::string_view text, std::span<const std::uint32_t> ends, bool explore);
  Cutter cutter() const;
  std::uint64_t wrong() const { return wrong_; }

 private:
  TrainingWeights weights_{2};
  Chunk chunk_;
  std::vector<Key> keys_;
  double moment_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace dynarc
