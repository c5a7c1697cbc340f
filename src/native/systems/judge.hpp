// Whose costs are asked of what a parser does.
#pragma once

#include <type_traits>

#include "systems/covington.hpp"

namespace dynarc {

// Covington with a single root gives every word that is left a head in the end, the right one often enough, but no
// label: a parser that must label its arcs has to build them, so for its judge such words count as lost.
template <class System>
System judge_of(const System& system) {
  if constexpr (std::is_same_v<System, Covington>) {
    Options options = system.options();
    options.single_root = false;
    return System(options);
  } else {
    return system;
  }
}

}  // namespace dynarc
