// How to learn: which oracle, which update, and where to go after it.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace dynarc {

// One sequence (easy-first: the gold arcs whose dependent is finished); the best moves of any state.
enum class OracleKind : std::uint8_t { fixed, dynamic };

enum class Learner : std::uint8_t { perceptron, passive_aggressive, adagrad_rda };

// FEATURES 9.3. Where the prediction is wrong, after the update: go on with the best of the oracle's moves or with any
// of them; or, from epoch k + 1 on and with probability p, with the wrong prediction. Easy-first stays where it is
// instead of going on with the best.
struct Exploration {
  bool random_best = false;  // any of the oracle's moves, not the one that scores best
  int after_epoch = 0;       // k
  double probability = 0;    // p; 0 never explores
  bool sample = false;       // go on with any legal move, each as often as it is likely, instead of with the prediction
};

// Of adagrad-rda: see DualAverages.
inline constexpr double kLeastGradient = 1e-4;

struct LearnOptions {
  OracleKind oracle = OracleKind::dynamic;
  Learner learner = Learner::perceptron;
  Exploration explore;
  ReduceRule reduce = ReduceRule::must;
  double aggressiveness = 0.1;               // C of the passive-aggressive update
  bool cost_sensitive = true;                // its margin grows with the cost
  bool max_loss = false;                     // it updates against the worst violator, not against the prediction
  double alpha = 1, rho = 0.01, lambda = 0;  // of adagrad-rda: step size, what squares start from, L1
  bool legal_only = false;                   // illegal classes do not compete with the others in its likelihood
  double least_gradient = kLeastGradient;    // what is nearer to 0 is taken for 0
  double price_unit = 1;                     // what a price of 1 is in the units of the trees' prices
  std::uint64_t seed = 1;
  bool canonical =
      false;  // learns the static oracle's move where that is one of the best, not the one that scores best
};

struct EpochReport {
  std::uint64_t sentences = 0, words = 0;
  std::uint64_t states = 0;  // that were scored
  std::uint64_t updates = 0;
  std::uint64_t explored = 0;  // where the next move was a wrong one
  std::uint64_t off_path = 0;  // that were reached by wrong moves
  std::uint64_t skipped = 0;   // states whose costs were not found within the limit
  std::uint64_t given_up = 0;  // sentences left there, or, in easy-first, after too many updates
};

}  // namespace dynarc
