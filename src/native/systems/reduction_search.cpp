#include "systems/reduction_search.hpp"

#include <algorithm>
#include <string>

#include "base/flat_index.hpp"
#include "base/mask.hpp"

namespace dynarc {
namespace {

template <int W>
class Search final : public ReductionSearch {
 public:
  Search(const Gold& gold, ReductionRules rules, std::size_t limit)
      : rules_(rules), limit_(limit), last_(gold.words()), root_(rules.root_last ? gold.words() : 0) {
    // From here on nodes are positions in the buffer order 0..n, so that the stack is an increasing sequence.
    head_.assign(last_ + 1, kNone);
    price_.assign(last_ + 1, 0);
    dependents_.resize(last_ + 1);
    last_dependent_.assign(last_ + 1, kNone);
    by_front_.resize(last_ + 2);
    for (Node d = 1; d <= gold.words(); ++d) {
      const Node x = position(d);
      if (gold.wanted(d) == kNone) continue;
      const Node h = position(gold.wanted(d));
      head_[x] = h;
      price_[x] = gold.price(d);
      dependents_[h].set(x);
      last_dependent_[h] = std::max(last_dependent_[h], x);
    }
  }

  Cost path(const StackState& s, const Action* a, Cost cutoff) override {
    Key key = key_of(s);
    if (a) act(key, *a);
    return shortest(key, cutoff);
  }

  Cost step(const StackState& s, Action a) override {
    if (a.move == Move::shift) return 0;
    const Key key = key_of(s);
    const Top top = top_of(key);
    const Node x = dependent(top, a.move), head = new_head(top, a.move);
    const bool arc_lost = !orphan(key, x) && head_[x] != head;
    return (arc_lost ? price_[x] : 0) + present_dependents(key, x);
  }

  Cost orphans(const StackState& s) override {
    const Key key = key_of(s);
    Cost sum = 0;
    const auto add = [&](Node x) { sum += head_[x] != kNone && !present(key, head_[x]) ? price_[x] : 0; };
    key.stack.each(add);
    for (Node x = key.front; x <= last_; ++x) add(x);
    return sum;
  }

 private:
  struct Key {
    Mask<W> stack;
    std::int32_t front = 0;  // the buffer is front..n
    std::size_t hash() const { return stack.hash(static_cast<std::uint64_t>(front) + 1); }
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Top {
    Node s0, s1, s2;  // kNone where the stack is shorter
  };
  struct Visit {
    Key key;
    Cost spent;
    std::int32_t parent;
  };
  struct Memory {
    Key key;
    Cost length;
    bool exact;  // else only known to be at least that
  };
  struct Todo {
    Cost estimate;  // no path through here is shorter
    Cost spent;
    std::int32_t order;  // later first among equals: depth first inside a cost
    std::int32_t parent;
    Key key;
    bool operator<(const Todo& o) const { return estimate != o.estimate ? estimate > o.estimate : order < o.order; }
  };

  Node position(Node x) const {
    if (!rules_.root_last) return x;
    return x == kRoot ? last_ : x - 1;
  }

  Key key_of(const StackState& s) const {
    Key key;
    for (int i = 0; i < s.depth(); ++i) key.stack.set(position(s.stack(i)));
    key.front = s.front();
    return key;
  }

  static Top top_of(const Key& k) {
    Top t{kNone, kNone, kNone};
    t.s0 = k.stack.highest_below(k.front);
    if (t.s0 > 0) t.s1 = k.stack.highest_below(t.s0);
    if (t.s1 > 0) t.s2 = k.stack.highest_below(t.s1);
    return t;
  }

  bool present(const Key& k, Node x) const { return x >= k.front || k.stack.test(x); }
  bool orphan(const Key& k, Node x) const { return head_[x] == kNone || !present(k, head_[x]); }
  bool finished(const Key& k, Node x) const {
    return last_dependent_[x] < k.front && !dependents_[x].intersects(k.stack);
  }
  Cost present_dependents(const Key& k, Node x) const {
    Cost sum = 0;
    dependents_[x].each([&](Node d) { sum += present(k, d) ? price_[d] : 0; });
    return sum;
  }

  static Node dependent(const Top& t, Move m) { return m == Move::left ? t.s1 : m == Move::left2 ? t.s2 : t.s0; }
  static Node new_head(const Top& t, Move m) { return m == Move::right ? t.s1 : m == Move::right2 ? t.s2 : t.s0; }

  void act(Key& k, Action a) const {
    if (a.move == Move::shift)
      k.stack.set(k.front++);
    else
      k.stack.clear(dependent(top_of(k), a.move));
  }

  bool may_shift(const Key& k, const Top& t) const {
    if (k.front > last_) return false;
    return !(rules_.single_root && rules_.root_last && k.front == last_) || (t.s0 != kNone && t.s1 == kNone);
  }
  // With ROOT first and a single root, ROOT takes the last word only.
  bool may_take(const Key& k, const Top& t, Node head) const {
    return head != kNone &&
           !(rules_.single_root && !rules_.root_last && head == root_ && (k.front <= last_ || t.s2 != kNone));
  }
  bool may_remove(const Key& k, const Top& t, Node x) const {
    if (x == kNone || x == root_ || t.s1 == kNone) return false;
    if (x != t.s0) return x == t.s1 || rules_.two;
    return may_take(k, t, t.s1) || (rules_.two && may_take(k, t, t.s2));
  }
  bool available(const Key& k, const Top& t, Node x) const {
    if (x != t.s0) return head_[x] == t.s0;
    return (head_[x] == t.s1 || (rules_.two && t.s2 != kNone && head_[x] == t.s2)) && may_take(k, t, head_[x]);
  }

  // Takes safe moves until none is left. Returns the top of the result.
  Top settle(Key& k) const {
    for (;;) {
      const Top t = top_of(k);
      bool moved = false;
      for (const Node x : {t.s0, t.s1, t.s2}) {
        if (!may_remove(k, t, x) || !finished(k, x)) continue;
        if (head_[x] != kNone && present(k, head_[x]) && !available(k, t, x)) continue;
        k.stack.clear(x);
        moved = true;
        break;
      }
      if (!moved) return t;
    }
  }
  bool is_final(const Key& k, const Top& t) const { return k.front > last_ && t.s0 == root_ && t.s1 == kNone; }

  // True if nothing more need be lost from `k`, which is settled. Only safe moves and shifts are free, so one pass
  // decides it, and the same for every configuration on the way.
  bool free_of_loss(Key k) {
    way_.assign(1, k);
    for (;;) {
      if (k.front > last_ || !may_shift(k, top_of(k))) {
        if (!is_final(k, top_of(k))) return false;
        break;
      }
      k.stack.set(k.front++);
      settle(k);
      if (const int known = memory_.find(k); known >= 0) {
        if (memory_[known].length != 0) return false;
        break;
      }
      way_.push_back(k);
    }
    for (const Key& key : way_) remember(key, 0, true);
    return true;
  }

  Cost shortest(Key start, Cost cutoff) {
    if (cutoff < 0) return 0;  // any path is longer than that
    settle(start);
    if (const int known = memory_.find(start); known >= 0) {
      const Memory& m = memory_[known];
      if (m.exact || m.length > cutoff) return m.length;
    } else {
      if (free_of_loss(start)) return 0;
      remember(start, 1, false);
      if (cutoff == 0) return 1;
    }

    look_ahead(start.front);
    for (std::size_t v = 0; v < visits_.size(); ++v) by_front_[visits_[static_cast<int>(v)].key.front].clear();
    visits_.clear();
    todo_.clear();
    todo_.push_back({tail_[start.front], 0, 0, -1, start});
    std::size_t work = 0;
    std::int32_t order = 0;
    Cost best = kNoCutoff;  // to the end, or to a configuration whose length is remembered
    std::int32_t best_visit = -1;
    while (!todo_.empty() && todo_.front().estimate < best) {
      std::pop_heap(todo_.begin(), todo_.end());
      Todo at = todo_.back();
      todo_.pop_back();
      if (at.estimate > cutoff) return remember(start, at.estimate, false);
      // Follow the free shifts here; every alternative costs something and goes back to the heap.
      for (;;) {
        const Top t = settle(at.key);
        if (dominated(at.key, at.spent)) break;
        const auto [visit, fresh] = visits_.insert({at.key, at.spent, at.parent});
        if (fresh) {
          by_front_[at.key.front].push_back(visit);
        } else {
          visits_[visit].spent = at.spent;
          visits_[visit].parent = at.parent;
        }
        const int known = memory_.find(at.key);
        const bool at_end = is_final(at.key, t);
        if (at_end || (known >= 0 && memory_[known].exact)) {
          if (const Cost whole = at.spent + (at_end ? 0 : memory_[known].length); whole < best) {
            best = whole;
            best_visit = visit;
          }
          break;
        }
        if (++work > limit_)
          throw SearchLimit("the search for the exact cost gave up after " + std::to_string(limit_) + " states");
        for (const Node x : {t.s2, t.s1, t.s0}) {
          if (!may_remove(at.key, t, x)) continue;
          const bool arc_lost = !orphan(at.key, x) && !available(at.key, t, x);
          const Cost spent = at.spent + (arc_lost ? price_[x] : 0) + present_dependents(at.key, x);
          const Cost estimate = std::max(at.estimate, spent + tail_[at.key.front]);
          if (estimate >= best) continue;
          Key next = at.key;
          next.stack.clear(x);
          todo_.push_back({estimate, spent, ++order, visit, next});
          std::push_heap(todo_.begin(), todo_.end());
        }
        if (!may_shift(at.key, t)) break;
        at.key.stack.set(at.key.front++);
        at.parent = visit;
      }
    }
    if (best == kNoCutoff) throw OracleError("no final configuration can be reached from here");
    // Every configuration on the way lies on its own shortest path.
    for (std::int32_t v = best_visit; v >= 0; v = visits_[v].parent)
      remember(visits_[v].key, best - visits_[v].spent, true);
    return best;
  }

  // True if a configuration with the same buffer and no other stack nodes than these was reached at no higher cost:
  // the nodes it lacks are paid for, and without them the rest is closer together.
  bool dominated(const Key& key, Cost spent) {
    for (const std::int32_t v : by_front_[key.front]) {
      const Visit& other = visits_[v];
      if (other.spent <= spent && other.key.stack.within(key.stack)) return true;
    }
    return false;
  }

  // Fills tail_[f] for all f >= front: what the buffer from f on must lose by itself. No configuration with that buffer
  // loses less, because taking the other stack nodes away only brings the rest closer together.
  void look_ahead(Node front) {
    if (tail_.empty()) {
      tail_.assign(last_ + 2, 0);
      known_from_ = last_;  // one node by itself loses nothing
    }
    while (known_from_ > front) {
      const Node f = known_from_ - 1;
      Key alone;
      alone.front = f;
      if (!rules_.root_last && f > root_) alone.stack.set(root_);
      tail_[f] = tail_[f + 1];
      known_from_ = f;  // also ends the recursion: this search asks for f and later only
      if (gave_up_) continue;
      try {
        tail_[f] = shortest(alone, kNoCutoff);
      } catch (const SearchLimit&) {
        gave_up_ = true;  // further left it would be harder still
      }
    }
  }

  Cost remember(const Key& key, Cost length, bool exact) {
    if (memory_.size() > kMemory) memory_.clear();
    const auto [at, fresh] = memory_.insert({key, length, exact});
    if (!fresh && !memory_[at].exact) {
      memory_[at].length = exact ? length : std::max(length, memory_[at].length);
      memory_[at].exact = exact;
    }
    return length;
  }

  static constexpr std::size_t kMemory = std::size_t{1} << 18;

  const ReductionRules rules_;
  const std::size_t limit_;
  const Node last_, root_;
  std::vector<Node> head_, last_dependent_;
  std::vector<Cost> price_;
  std::vector<Mask<W>> dependents_;
  std::vector<Cost> tail_;
  Node known_from_ = 0;  // tail_ is filled from here on
  bool gave_up_ = false;
  FlatIndex<Memory> memory_;
  FlatIndex<Visit> visits_;
  std::vector<std::vector<std::int32_t>> by_front_;  // visits by the front of their buffer
  std::vector<Todo> todo_;
  std::vector<Key> way_;
};

}  // namespace

std::unique_ptr<ReductionSearch> ReductionSearch::make(const Gold& gold, ReductionRules rules, std::size_t limit) {
  const int nodes = gold.words() + 1;
  if (nodes <= 64) return std::make_unique<Search<1>>(gold, rules, limit);
  if (nodes <= 128) return std::make_unique<Search<2>>(gold, rules, limit);
  if (nodes <= 256) return std::make_unique<Search<4>>(gold, rules, limit);
  if (nodes <= 576) return std::make_unique<Search<9>>(gold, rules, limit);
  if (nodes <= 2048) return std::make_unique<Search<32>>(gold, rules, limit);
  throw SearchLimit("sentences of more than " + std::to_string(kMaxWords) + " words have no exact cost in this system");
}

}  // namespace dynarc
