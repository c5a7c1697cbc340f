// Exact costs for any gold tree, where sums of single arcs are not exact: uniform-cost search over
// configurations.
//
// `Bound::unreachable(c)` is the price of the gold arcs that c can no longer reach, each by itself, and
// `Bound::lost(c, t)` by how much it grows. Both telescope along a derivation, and at a final configuration
// unreachable means wrong. Hence (ORACLES 1.7, FEATURES 8.2)
//
//   loss(c) = unreachable(c) + cheapest path from c to a final configuration, `lost` being the price of a
//   step.
//
// Legality may be anything, so this also answers for a single root, partial gold and weights.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/flat_index.hpp"
#include "treebank/gold.hpp"

namespace dynarc {

template <class System, class Bound>
class ExactSearch {
 public:
  using State = typename System::State;

  ExactSearch(const System& system, const Gold& gold, std::size_t limit = kSearchLimit)
      : system_(system), bound_(system, gold), limit_(limit) {
    system_.start(here_, gold.words());
    system_.start(after_, gold.words());
  }

  void reset(const State&) {}
  void advance(const State&, Action) {}

  Cost loss(const State& s) {
    bound_.reset(s);
    const Cost now = bound_.unreachable(s);
    return now + path(s);
  }

  Cost cost(const State& s, Action a) {
    bound_.reset(s);
    const Cost step = bound_.lost(s, a);
    after_ = s;
    system_.apply(after_, {a});
    return step + path(after_) - path(s);
  }

  static constexpr std::size_t kSearchLimit = 2'000'000;

 private:
  struct Shape {
    std::vector<Node> nodes;
    std::size_t hash() const {
      std::uint64_t h = 0x9e3779b97f4a7c15ULL;
      for (const Node x : nodes) {
        h = (h ^ static_cast<std::uint32_t>(x)) * 0xd6e8feb86659fd93ULL;
        h ^= h >> 32;
      }
      return static_cast<std::size_t>(h);
    }
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Memory {
    Shape key;
    Cost length;
  };
  struct Visit {
    Shape key;
    Cost spent;
    std::int32_t parent;
    bool closed;
  };
  struct Todo {
    Cost spent;
    std::int32_t order;
    std::int32_t visit;  // kNone: the end of a path, `parent` is where it ends
    std::int32_t parent;
    bool operator<(const Todo& o) const { return spent != o.spent ? spent > o.spent : order < o.order; }
  };

  // Length of the cheapest path from `start` to the end.
  Cost path(const State& start) {
    Shape key;
    start.shape(key.nodes);
    if (const int known = memory_.find(key); known >= 0) return memory_[known].length;
    visits_.clear();
    todo_.clear();
    std::int32_t order = 0;
    const auto push = [&](Cost spent, std::int32_t visit, std::int32_t parent) {
      todo_.push_back({spent, ++order, visit, parent});
      std::push_heap(todo_.begin(), todo_.end());
    };
    visits_.insert({key, 0, kNone, false});
    push(0, 0, kNone);
    Shape next;
    while (!todo_.empty()) {
      std::pop_heap(todo_.begin(), todo_.end());
      const Todo at = todo_.back();
      todo_.pop_back();
      if (at.visit == kNone) return remember_way(at.parent, at.spent);
      if (visits_[at.visit].closed) continue;
      visits_[at.visit].closed = true;
      if (visits_.size() > limit_)
        throw SearchLimit("the search for the exact cost gave up after " + std::to_string(limit_) +
                          " states; nonprojective=\"formula\" gives the approximate costs at once");
      if (const int known = memory_.find(visits_[at.visit].key); known >= 0) {
        push(at.spent + memory_[known].length, kNone, at.visit);
        continue;
      }
      here_.restore(visits_[at.visit].key.nodes);
      if (system_.is_final(here_)) {
        push(at.spent + bound_.at_end(here_), kNone, at.visit);
        continue;
      }
      bound_.reset(here_);
      const auto go = [&](Action a) {
        const Cost spent = at.spent + bound_.lost(here_, a);
        system_.apply(here_, {a});
        here_.shape(next.nodes);
        system_.undo(here_);
        const auto [visit, fresh] = visits_.insert({next, spent, at.visit, false});
        if (!fresh) {
          if (visits_[visit].closed || visits_[visit].spent <= spent) return;
          visits_[visit].spent = spent;
          visits_[visit].parent = at.visit;
        }
        push(spent, visit, kNone);
      };
      if (const auto safe = bound_.safe(here_))
        go(*safe);
      else
        system_.each_legal(here_, go);
    }
    throw OracleError("no final configuration can be reached from here");
  }

  Cost remember_way(std::int32_t visit, Cost whole) {
    if (memory_.size() > kMemory) memory_.clear();
    for (; visit != kNone; visit = visits_[visit].parent)
      memory_.insert({visits_[visit].key, whole - visits_[visit].spent});
    return whole;
  }

  static constexpr std::size_t kMemory = std::size_t{1} << 18;

  System system_;
  Bound bound_;
  std::size_t limit_;
  State here_, after_;
  FlatIndex<Memory> memory_;
  FlatIndex<Visit> visits_;
  std::vector<Todo> todo_;
};

}  // namespace dynarc
