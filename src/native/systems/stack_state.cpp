#include "systems/stack_state.hpp"

#include <algorithm>

#include "treebank/gold.hpp"

namespace dynarc {

void StackState::adopt(const Layout& given, RootPlace root, bool swaps) {
  const int n = static_cast<int>(given.head.size()) - 1;
  check_heads(given.head);
  start(n, root);
  swaps_ = swaps;
  const auto name = [](Node x) { return x == kRoot ? std::string("ROOT (0)") : "word " + std::to_string(x); };
  std::vector<char> place(n + 1, 0);
  const auto put = [&](Node x, char where, const char* what) {
    if (x < 0 || x > n)
      throw TreeError("the " + std::string(what) + " holds " + std::to_string(x) + ", but nodes are 0 (ROOT) to " +
                      std::to_string(n));
    if (place[x]) throw TreeError(name(x) + " stands twice in this configuration");
    place[x] = where;
  };
  for (const Node x : given.stack) put(x, 's', "stack");
  for (const Node x : given.buffer) put(x, 'b', "buffer");

  front_ = n + 1 - static_cast<int>(given.buffer.size());
  if (swaps) {
    if (given.buffer.empty() || given.buffer.back() != kRoot) throw TreeError("ROOT (0) must stand last in the buffer");
    // What left the buffer for good comes first; its order can no longer matter.
    int next = 0;
    for (Node x = 1; x <= n; ++x)
      if (place[x] != 'b') order_[next++] = x;
    std::copy(given.buffer.begin(), given.buffer.end(), order_.begin() + front_);
  } else {
    for (std::size_t i = 0; i < given.buffer.size(); ++i)
      if (order_[front_ + i] != given.buffer[i])
        throw TreeError("the buffer must be the rest of the sentence in order: expected " + name(order_[front_ + i]) +
                        ", found " + name(given.buffer[i]));
    std::vector<int> position(n + 1);
    for (int i = 0; i <= n; ++i) position[order_[i]] = i;
    for (std::size_t i = 1; i < given.stack.size(); ++i)
      if (position[given.stack[i - 1]] >= position[given.stack[i]])
        throw TreeError("the stack must be in sentence order: " + name(given.stack[i - 1]) + " stands below " +
                        name(given.stack[i]));
  }
  if (!place[kRoot]) throw TreeError("ROOT (0) is neither on the stack nor in the buffer");
  for (Node d = 1; d <= n; ++d) {
    if (!place[d] && given.head[d] == kNone)
      throw TreeError("word " + std::to_string(d) + " is neither on the stack nor in the buffer, but has no head");
    if (place[d] == 'b' && given.head[d] != kNone)
      throw TreeError("word " + std::to_string(d) + " is in the buffer, but has a head already");
  }
  stack_ = given.stack;
  take_arcs(given);
}

}  // namespace dynarc
