// Where every node stands and how much gold still hangs on it: the O(1) bookkeeping of ORACLES 1.6.
#pragma once

#include <vector>

#include "systems/stack_state.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

class ArcCounts {
 public:
  explicit ArcCounts(const Gold& gold) : gold_(gold) {}

  void reset(const StackState& s) {
    const std::size_t size = gold_.words() + 1;
    place_.assign(size, Place::gone);
    in_buffer_.assign(size, 0);
    on_stack_.assign(size, 0);
    for (int i = 0; i < s.depth(); ++i) {
      const Node x = s.stack(i);
      place_[x] = Place::stack;
      if (s.headless(x) && gold_.wanted(x) != kNone) on_stack_[gold_.wanted(x)] += gold_.price(x);
    }
    for (int i = 0; i < s.buffer_size(); ++i) {
      const Node x = s.buffer(i);
      place_[x] = Place::buffer;
      if (gold_.wanted(x) != kNone) in_buffer_[gold_.wanted(x)] += gold_.price(x);
    }
  }

 protected:
  enum class Place : std::uint8_t { gone, stack, buffer };

  Place place(Node x) const { return x == kNone ? Place::gone : place_[x]; }
  Cost price_if(bool lost, Node d) const { return lost ? gold_.price(d) : 0; }

  const Gold& gold_;
  std::vector<Place> place_;
  std::vector<Cost> in_buffer_;  // price of the gold dependents of a node that are in the buffer
  std::vector<Cost> on_stack_;   // price of its headless gold dependents on the stack
};

}  // namespace dynarc
