// Features of anything that can say what it sees as texts: keys of single texts, and of conjunctions of named values.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "features/extractor.hpp"

namespace dynarc {

// Model files hold these keys, so they depend on nothing but the text.
inline Key key_of(std::string_view text) {
  Key key = 0xCBF29CE484222325u;
  for (const char c : text) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  key = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
  return key ^ key >> 29;
}

// Templates over values 0..n-1, each a conjunction of some of them.
class NamedTemplates {
 public:
  NamedTemplates(std::vector<std::vector<int>> templates, int values)
      : templates_(std::move(templates)), hashes_(static_cast<std::size_t>(values)) {}

  int values() const { return static_cast<int>(hashes_.size()); }

  // Adds one key for each template whose values are all there: `has(i)` says so, `text(i)` what it is.
  template <class Has, class Text>
  void add_keys(Has&& has, Text&& text, std::vector<Key>& keys) {
    for (std::size_t i = 0; i < hashes_.size(); ++i) hashes_[i] = has(i) ? key_of(text(i)) | 1 : 0;
    for (std::size_t t = 0; t < templates_.size(); ++t) {
      Key key = 0x2545F4914F6CDD1Du * (t + 1);
      bool whole = true;
      for (const int i : templates_[t]) {
        whole = whole && hashes_[i] != 0;
        key = (key ^ hashes_[i]) * 0x9E3779B97F4A7C15u;
        key ^= key >> 32;
      }
      if (whole) keys.push_back(key);
    }
  }

 private:
  std::vector<std::vector<int>> templates_;
  std::vector<Key> hashes_;
};

}  // namespace dynarc
