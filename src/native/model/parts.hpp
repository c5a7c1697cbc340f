// Templates by what they look at. What those about one node and its surroundings add to the scores stays the same until
// an arc is made there: it need not be summed up again in every configuration.
#pragma once

#include <vector>

#include "features/templates.hpp"

namespace dynarc {

struct Part {
  std::vector<int> templates;
  int anchor = -1;         // the node by which all others are found; -1 if there is none such
  std::vector<int> inner;  // nodes whose arcs it depends on, each after those by which it is found

  bool is_kept() const { return anchor >= 0; }
};

// The last one has all templates that are in no other. `keeps_order`: what is behind a node in the buffer is always the
// same.
std::vector<Part> parts_of(const Templates& templates, bool keeps_order);

}  // namespace dynarc
