#include "check/walks.hpp"

#include <chrono>

#include "base/rng.hpp"
#include "check/gold_trees.hpp"
#include "systems/registry.hpp"

namespace dynarc::check {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Action pick(const std::vector<Action>& actions, Rng& rng) {
  return actions[rng.below(static_cast<int>(actions.size()))];
}

// Walks once, calling optimal(state, out) at every state; random moves at the rate asked for.
template <class System, class Optimal, class Step>
void walk(const System& system, int words, const WalkSpec& spec, Rng& rng, Optimal&& optimal, Step&& step) {
  typename System::State s;
  system.start(s, words);
  for (int i = 0; i < spec.shifted * words && system.legal(s, {Move::shift}); ++i) {
    step(s, Action{Move::shift});
    system.apply(s, {Action{Move::shift}});
  }
  std::vector<Action> best, legal;
  while (!system.is_final(s)) {
    best.clear();
    legal.clear();
    optimal(s, best);
    system.each_legal(s, [&](Action a) { legal.push_back(a); });
    const Action a = best.empty() || rng.uniform() < spec.errors ? pick(legal, rng) : pick(best, rng);
    step(s, a);
    system.apply(s, {a});
  }
}

// Steps cost microseconds, so each is timed by itself.
template <class System>
void time_searches(const System& system, const WalkSpec& spec, WalkReport& report) {
  for (std::size_t g = 0; g < spec.golds.size(); ++g) {
    const Gold gold = Gold::unlabelled(spec.golds[g]);
    Rng rng(spec.seed + g);
    typename System::Costs costs(system, gold, Method::automatic,
                                 spec.limit ? spec.limit : System::Costs::kSearchLimit);
    for (int r = 0; r < spec.repeat; ++r) {
      walk(
          system, gold.words(), spec, rng,
          [&](const StackState& s, std::vector<Action>& best) {
            const auto start = Clock::now();
            try {
              costs.each_optimal(s, [&](Action a) { best.push_back(a); });
            } catch (const SearchLimit&) {
              best.clear();  // the third tier: training would skip this state
            }
            const double taken = seconds_since(start);
            report.oracle_seconds += taken;
            report.microseconds.push_back(static_cast<float>(1e6 * taken));
            report.depth.push_back(s.depth());
            std::int32_t rest = s.buffer_size();
            if constexpr (std::is_same_v<System, Attardi>)
              rest = static_cast<int>(system.reduced_buffer(s, gold).size());
            report.reduced_buffer.push_back(rest);
          },
          [&](const StackState&, Action) { ++report.steps; });
    }
    report.searched += costs.tiers().searched;
    report.tabled += costs.tiers().tabled;
    report.skipped += costs.tiers().skipped;
  }
  report.evaluations = report.microseconds.size();
}

// Steps cost nanoseconds, so whole walks are replayed with and without the oracle.
template <class System>
void time_formulas(const System& system, const WalkSpec& spec, WalkReport& report) {
  std::vector<Gold> golds;
  std::vector<std::vector<Action>> walks(spec.golds.size());
  for (const auto& heads : spec.golds) golds.push_back(Gold::unlabelled(heads));
  for (std::size_t g = 0; g < golds.size(); ++g) {
    Rng rng(spec.seed + g);
    typename System::Costs costs(system, golds[g]);
    typename System::State origin;
    system.start(origin, golds[g].words());
    costs.reset(origin);
    walk(
        system, golds[g].words(), spec, rng,
        [&](const typename System::State& s, std::vector<Action>& best) {
          Cost least = INT64_MAX;
          system.each_legal(s, [&](Action a) {
            const Cost c = costs.cost(s, a);
            if (c < least) best.clear();
            least = std::min(least, c);
            if (c == least) best.push_back(a);
          });
        },
        [&](const typename System::State& s, Action a) {
          costs.advance(s, a);
          walks[g].push_back(a);
        });
  }
  Cost sink = 0;
  typename System::State s;
  const auto start = Clock::now();
  for (int r = 0; r < spec.repeat; ++r)
    for (std::size_t g = 0; g < golds.size(); ++g) {
      typename System::Costs costs(system, golds[g]);
      system.start(s, golds[g].words());
      costs.reset(s);
      for (const Action a : walks[g]) {
        system.each_legal(s, [&](Action legal) {
          sink += costs.cost(s, legal);
          ++report.evaluations;
        });
        costs.advance(s, a);
        system.apply(s, {a});
        ++report.steps;
      }
    }
  const double with_oracle = seconds_since(start);
  const auto again = Clock::now();
  for (int r = 0; r < spec.repeat; ++r)
    for (std::size_t g = 0; g < golds.size(); ++g) {
      system.start(s, golds[g].words());
      for (const Action a : walks[g]) {
        system.each_legal(s, [&](Action legal) { sink += legal.node; });
        system.apply(s, {a});
      }
    }
  report.apply_seconds = seconds_since(again);
  report.oracle_seconds = with_oracle - report.apply_seconds;
  if (sink == INT64_MIN) ++report.steps;  // never so, but keeps the loops from being thrown away
}

}  // namespace

WalkReport time_walks(const WalkSpec& spec) {
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) {
    WalkReport report;
    const System system(spec.options);
    if constexpr (System::kCostKind == CostKind::reduction)
      time_searches(system, spec, report);
    else
      time_formulas(system, spec, report);
    return report;
  });
}

std::vector<Node> random_derivable_tree(const std::string& name, Options options, int words, std::uint64_t seed) {
  return with_system(name, [&]<class System>(std::type_identity<System>) {
    Rng rng(seed);
    return random_output(System(options), words, rng);
  });
}

}  // namespace dynarc::check
