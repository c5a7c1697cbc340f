// Weights as learners give them, one after the other, as a table.
#pragma once

#include <algorithm>
#include <vector>

#include "model/weights.hpp"

namespace dynarc {

class CollectedWeights {
 public:
  void add(Key key, int label, double value) {
    if (value != 0) all_.push_back({key, static_cast<std::uint16_t>(label), value});
  }
  // Needed unless weights came row by row, each class once.
  void sort() {
    std::ranges::stable_sort(all_, {}, [](const Weight& w) { return std::pair(w.key, w.label); });
  }

  // The sums of weights of one feature and class, divided by `runs`. A row whose weights are all zero is left out.
  Weights table(int classes, double runs = 1) const {
    std::vector<Key> keys;
    std::vector<std::uint32_t> begin(1, 0);
    std::vector<std::uint16_t> labels;
    std::vector<float> values;
    for (std::size_t i = 0; i < all_.size();) {
      const auto [key, label, first] = all_[i];
      double sum = first;
      for (++i; i < all_.size() && all_[i].key == key && all_[i].label == label; ++i) sum += all_[i].value;
      const auto value = static_cast<float>(sum / runs);
      if (value == 0) continue;
      if (keys.empty() || key != keys.back()) {
        if (!keys.empty()) begin.push_back(static_cast<std::uint32_t>(labels.size()));
        keys.push_back(key);
      }
      labels.push_back(label);
      values.push_back(value);
    }
    if (!keys.empty()) begin.push_back(static_cast<std::uint32_t>(labels.size()));
    return Weights(std::move(keys), std::move(begin), std::move(labels), std::move(values), classes);
  }

 private:
  struct Weight {
    Key key;
    std::uint16_t label;
    double value;
  };
  std::vector<Weight> all_;
};

}  // namespace dynarc
