// The likelihood of choosing well: log P(Y) = log sum over Y of e^s - log sum over all of e^s, where Y is what the
// oracle would do (Goldberg 2013, ORACLES 10).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/exponential.hpp"

namespace dynarc {

class Likelihood {
 public:
  // Something that competes with the others: its score, whether it is one of Y.
  void start() { scores_.clear(), wanted_.clear(); }
  void add(float score, bool wanted) {
    scores_.push_back(score);
    wanted_.push_back(static_cast<char>(wanted));
  }

  // d log P(Y) / d s of each, in their order: the share in Y, if it is one of them, less the share in all.
  std::span<const double> gradient() {
    double most = -std::numeric_limits<double>::infinity(), most_wanted = most;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      most = std::max(most, static_cast<double>(scores_[i]));
      if (wanted_[i]) most_wanted = std::max(most_wanted, static_cast<double>(scores_[i]));
    }
    gradient_.resize(scores_.size());
    double all = 0, of_wanted = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) all += gradient_[i] = exponential(scores_[i] - most);
    for (std::size_t i = 0; i < scores_.size(); ++i)
      if (wanted_[i]) of_wanted += exponential(scores_[i] - most_wanted);
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const double in_wanted = wanted_[i] ? exponential(scores_[i] - most_wanted) / of_wanted : 0;
      gradient_[i] = in_wanted - gradient_[i] / all;
    }
    return gradient_;
  }

 private:
  std::vector<float> scores_;
  std::vector<char> wanted_;
  std::vector<double> gradient_;
};

}  // namespace dynarc
