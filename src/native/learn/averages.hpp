// The averages of one table of weights, as those who predict use them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "learn/weights.hpp"
#include "model/weights.hpp"

namespace dynarc {

inline Weights averaged_weights(const TrainingWeights& weights, double moment, int classes) {
  std::vector<Key> keys;
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint16_t> labels;
  std::vector<float> values;
  weights.each_average(std::max(1.0, moment), [&](Key key, int label, double average) {
    const auto value = static_cast<float>(average);
    if (value == 0 || label >= classes) return;
    if (keys.empty() || keys.back() != key) {
      keys.push_back(key);
      begin.push_back(begin.back());
    }
    labels.push_back(static_cast<std::uint16_t>(label));
    values.push_back(value);
    ++begin.back();
  });
  return Weights(std::move(keys), std::move(begin), std::move(labels), std::move(values), std::max(1, classes));
}

}  // namespace dynarc
