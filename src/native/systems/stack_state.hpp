// The configuration of every system that has a stack and a buffer: arc-eager, arc-hybrid, arc-standard,
// Attardi, SWAP.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "systems/arc_store.hpp"

namespace dynarc {

class StackState : public ArcStore {
 public:
  void start(int words, RootPlace root) {
    order_.resize(words + 1);
    for (int i = 0; i <= words; ++i) order_[i] = root == RootPlace::first ? i : i + 1;
    if (root == RootPlace::last) order_[words] = kRoot;
    front_ = 0;
    stack_.clear();
    clear_arcs(words);
  }

  int depth() const { return static_cast<int>(stack_.size()); }
  Node stack(int i) const { return stack_[stack_.size() - 1 - i]; }  // stack(0) is the top
  Node bottom() const { return stack_.front(); }

  int buffer_size() const { return static_cast<int>(order_.size()) - front_; }
  Node buffer(int i) const { return order_[front_ + i]; }  // buffer(0) is the front
  int front() const { return front_; }

  std::vector<Node> stack_nodes() const { return stack_; }
  std::vector<Node> buffer_nodes() const { return {order_.begin() + front_, order_.end()}; }

  // The building blocks of every action. Each is undone by its namesake below, in reverse order.
  void push_front() { stack_.push_back(order_[front_++]); }
  void pop() { stack_.pop_back(); }
  void remove(int i) { stack_.erase(stack_.end() - 1 - i); }
  void attach(Arc arc, Label label) { set_arc(arc, label); }
  void swap_back() {  // ..s0 | b.. becomes .. | b s0..
    order_[front_ - 1] = order_[front_];
    order_[front_] = stack_.back();
    --front_;
    stack_.pop_back();
  }
  void record(Transition t, Node removed = kNone) { history_.push_back({t, removed}); }

  Step forget() {
    const Step step = history_.back();
    history_.pop_back();
    return step;
  }
  void undo_push_front() {
    order_[--front_] = stack_.back();  // a swap undone before may have left something else there
    stack_.pop_back();
  }
  void undo_pop(Node x) { stack_.push_back(x); }
  void undo_remove(int i, Node x) { stack_.insert(stack_.end() - i, x); }
  void undo_attach(Node d) { drop_arc(d); }
  void undo_swap_back() {
    stack_.push_back(order_[front_ + 1]);
    order_[front_ + 1] = order_[front_];
    ++front_;
  }

  // Equal as configurations: labels and the way there do not count.
  bool same(const StackState& o) const {
    return stack_ == o.stack_ && head_ == o.head_ && buffer_nodes() == o.buffer_nodes();
  }
  // Equal in all that can ever be seen, history included: what undo must restore.
  bool identical(const StackState& o) const { return same(o) && label_ == o.label_ && history_ == o.history_; }

  // What legality can see: stack, buffer, and which stack nodes have a head. Searches use it as their key.
  void shape(std::vector<Node>& out) const {
    out.assign(1, front_);
    for (const Node x : stack_) out.push_back(headless(x) ? x : -2 - x);
    if (swaps_) out.insert(out.end(), order_.begin() + front_, order_.end());
  }
  // The configuration of that shape; heads that legality cannot see are set to ROOT.
  void restore(const std::vector<Node>& shape) {
    front_ = shape[0];
    const std::size_t stack_end = swaps_ ? shape.size() - (order_.size() - front_) : shape.size();
    stack_.clear();
    head_.assign(head_.size(), kRoot);
    for (std::size_t i = 1; i < stack_end; ++i) {
      const bool has_head = shape[i] < 0;
      const Node x = has_head ? -2 - shape[i] : shape[i];
      stack_.push_back(x);
      if (!has_head) head_[x] = kNone;
    }
    for (std::size_t i = stack_end; i < shape.size(); ++i) order_[front_ + i - stack_end] = shape[i];
    for (std::size_t i = front_; i < order_.size(); ++i) head_[order_[i]] = kNone;
    history_.clear();
  }

  // Takes over a configuration given by hand. Checks what every stack system shares: each node stands in one
  // place, the buffer is the rest of the sentence, whatever is gone has a head, ROOT has none, no cycle.
  void adopt(const Layout& given, RootPlace root, bool swaps);

  void allow_swaps() { swaps_ = true; }

 private:
  std::vector<Node> order_;  // the sentence in buffer order; the buffer is order_[front_..]
  int front_ = 0;
  std::vector<Node> stack_;
  bool swaps_ = false;  // the order of the buffer can change, so it belongs to the shape
};

}  // namespace dynarc
