// The list of transition systems. A new one is its header and one line here.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "systems/arc_eager.hpp"
#include "systems/arc_hybrid.hpp"
#include "systems/arc_hybrid_swap.hpp"
#include "systems/arc_standard.hpp"
#include "systems/attardi.hpp"
#include "systems/covington.hpp"
#include "systems/easy_first.hpp"

namespace dynarc {

using Systems = std::tuple<  //
    ArcEager,                //
    ArcHybrid,               //
    ArcStandard,             //
    EasyFirst,               //
    Attardi,                 //
    Covington,               //
    ArcHybridSwap>;

// Calls f(std::type_identity<System>{}) for every system.
template <class F, class... All>
void each_system(F&& f, std::tuple<All...>*) {
  (f(std::type_identity<All>{}), ...);
}
template <class F>
void each_system(F&& f) {
  each_system(f, static_cast<Systems*>(nullptr));
}

// Calls f for the system of that name and returns what f returns.
template <class F>
auto with_system(const std::string& name, F&& f) {
  using Result = decltype(f(std::type_identity<ArcEager>{}));
  std::optional<Result> result;
  each_system([&]<class System>(std::type_identity<System> type) {
    if (name == System::kName) result.emplace(f(type));
  });
  if (!result) throw ConfigError("unknown transition system: " + name);
  return *std::move(result);
}

}  // namespace dynarc
