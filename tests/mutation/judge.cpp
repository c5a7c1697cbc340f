// Compares the oracles of one system with brute force and prints what differs. The mutation test compiles it again and
// again, each time with one term of one formula changed.
#include "check/compare.hpp"
#include "standard.hpp"
#include HEADER

using namespace dynarc;

namespace {

void print(const check::Report& r) {
  std::printf("%llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(r.costs),
              static_cast<unsigned long long>(r.wrong_losses), static_cast<unsigned long long>(r.wrong_costs),
              static_cast<unsigned long long>(r.wrong_sets), static_cast<unsigned long long>(r.unknown));
}

template <class System>
void judge(Options options) {
  const System system(options);
  const auto run = [&](auto&& change) {
    check::Spec spec;
    spec.options = options;
    spec.threads = 1;
    change(spec);
    print(check::exhaustive(system, spec));
  };
  // With everything pinned by price, labels and unknown heads, n <= 3 sees every term; n = 4 the rarer ones.
  for (int words = 2; words <= 4; ++words) {
    run([&](check::Spec& s) { s.words = words; });
    if (words <= 3) run([&](check::Spec& s) { s.words = words, s.partial = true, s.weights = 3; });
    if constexpr (System::kCostKind == CostKind::reduction) {
      if (!(system.reduction_rules().two && options.single_root))
        run([&](check::Spec& s) { s.words = words, s.method = Method::table, s.golds = check::Golds::derivable; });
    } else {
      if (words <= 3) run([&](check::Spec& s) { s.words = words, s.method = Method::search; });
      run([&](check::Spec& s) { s.words = words, s.method = Method::formula, s.weights = 2; });
    }
  }
  // Labels on both sides, on transitions only, on gold trees only.
  run([&](check::Spec& s) { s.words = 2, s.labels = 2, s.unit = 2; });
  run([&](check::Spec& s) { s.words = 2, s.labels = 2, s.gold_labels = 0; });
  run([&](check::Spec& s) { s.words = 2, s.labels = 0, s.gold_labels = 2; });
  // Some conditions of Algorithm 1 matter only where several subtrees of the buffer interleave.
  if constexpr (System::kCostKind == CostKind::reduction)
    if (!options.single_root) {
      check::Spec spec;
      spec.threads = 1;
      spec.words = 7;
      spec.samples = 60;
      spec.method = Method::table;
      spec.golds = check::Golds::derivable;
      print(check::sampled(system, spec));
    }
}

}  // namespace

int main() {
  for (const RootPlace root : {RootPlace::first, RootPlace::last})
    for (const Headless headless : {Headless::forest, Headless::attach})
      for (const bool single_root : {false, true}) {
        if (headless == Headless::attach && !SYSTEM::kLeavesHeadless) continue;
        try {
          judge<SYSTEM>({root, headless, single_root});
        } catch (const ConfigError&) {
        }
      }
}
