// Probabilities of what a parser chooses between: softmax over the legal classes of sharpness * score. As logs, so that
// they can be multiplied for a whole derivation.
//
// A label without a class of its own has the probability of the class that stands for it, times that of the label among
// the rest, by the second table. So the probabilities of all legal moves and labels add up to 1.
//
// In all functions `factor` takes scores of a table to what is exponentiated: sharpness * Weights::scale().
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "parse/choices.hpp"

namespace dynarc {

// log(exp(a) + exp(b) + ..) without overflow. `each` calls what it is given for every value; of none it is -infinity.
template <class Each>
double log_sum(Each&& each) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  double most = kNothing, sum = 0;
  each([&](double value) { most = std::max(most, value); });
  if (most == kNothing) return kNothing;
  each([&](double value) { sum += std::exp(value - most); });
  return most + std::log(sum);
}

// The log of the probability of a class is factor * its score, less this.
template <class Number>
double log_sum_of_legal(std::span<const Choice> choices, std::span<const Number> scores, double factor) {
  return log_sum([&](auto&& add) {
    for (const Choice& choice : choices)
      for (int c = choice.first; c < choice.last; ++c) add(factor * static_cast<double>(scores[c]));
  });
}

// The log of the probability of a label among the rest of a move is factor * its score, less this. `scores` are those
// of the second table.
template <class Number>
double log_sum_of_rest(const Classes& classes, Move move, Arc arc, std::span<const Number> scores, double factor) {
  const auto [from, to] = classes.labels().of(arc.head == kRoot);
  return log_sum([&, from = from, to = to](auto&& add) {
    for (Label label = from; label < to; ++label)
      if (classes.in_rest(move, label)) add(factor * static_cast<double>(scores[classes.rest_class(move, label)]));
  });
}

// The logs of the probabilities of all legal classes, of one choice after the other.
template <class Number>
std::vector<double> log_probabilities(std::span<const Choice> choices, std::span<const Number> scores, double factor) {
  const double all = log_sum_of_legal(choices, scores, factor);
  std::vector<double> out;
  for (const Choice& choice : choices)
    for (int c = choice.first; c < choice.last; ++c) out.push_back(factor * static_cast<double>(scores[c]) - all);
  return out;
}

}  // namespace dynarc
