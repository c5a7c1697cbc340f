// How sentences cross between Python and the engine.
#pragma once

#include <vector>

namespace dynarc {

// Vectors of the engine start with ROOT; Python sees words only.
template <class T>
std::vector<T> words_only(const std::vector<T>& with_root) {
  return {with_root.begin() + 1, with_root.end()};
}
template <class T>
std::vector<T> with_root(const std::vector<T>& words, T root) {
  std::vector<T> all(1, root);
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace dynarc
