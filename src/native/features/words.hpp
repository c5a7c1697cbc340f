// The words of sentences as numbers: one vocabulary per attribute, one row of numbers per sentence and attribute.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "features/templates.hpp"
#include "treebank/document.hpp"

namespace dynarc {

using Value = std::uint32_t;
inline constexpr Value kNullValue = 0;     // there is no such node
inline constexpr Value kRootValue = 1;     // the node is ROOT
inline constexpr Value kUnknownValue = 2;  // the text was not seen in training, or too seldom
inline constexpr Value kFirstValue = 3;

struct TextHash {
  using is_transparent = void;
  // Eight bytes at a time. Nothing that is stored depends on it.
  std::size_t operator()(std::string_view text) const {
    std::uint64_t hash = text.size() * 0x9E3779B97F4A7C15u;
    const auto mix = [&](std::uint64_t bytes) {
      hash = (hash ^ bytes) * 0xD6E8FEB86659FD93u;
      hash ^= hash >> 32;
    };
    std::uint64_t bytes = 0;
    for (; text.size() >= sizeof(bytes); text.remove_prefix(sizeof(bytes))) {
      std::memcpy(&bytes, text.data(), sizeof(bytes));
      mix(bytes);
    }
    bytes = 0;
    std::memcpy(&bytes, text.data(), text.size());
    mix(bytes);
    return hash;
  }
};

// Texts and their numbers, in the order in which they were added.
class Vocabulary {
 public:
  Value add(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(text)];
    if (slot.value != 0) return slot.value;
    texts_.emplace_back(text);
    slot = {static_cast<std::uint32_t>(TextHash{}(text)), static_cast<Value>(kFirstValue + texts_.size() - 1)};
    return slot.value;
  }
  Value find(std::string_view text) const {
    if (slots_.empty()) return kUnknownValue;
    const Value value = slots_[place(text)].value;
    return value == 0 ? kUnknownValue : value;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    Value value = 0;  // of a free one
  };

  // Where a text is, or would be.
  std::size_t place(std::string_view text) const {
    const std::size_t hash = TextHash{}(text), mask = slots_.size() - 1;
    for (std::size_t i = hash >> 32 & mask;; i = (i + 1) & mask) {
      const Slot slot = slots_[i];
      if (slot.value == 0) return i;
      if (slot.hash == static_cast<std::uint32_t>(hash) && texts_[slot.value - kFirstValue] == text) return i;
    }
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), {});
    for (std::size_t i = 0; i < texts_.size(); ++i)
      slots_[place(texts_[i])] = {static_cast<std::uint32_t>(TextHash{}(texts_[i])),
                                  static_cast<Value>(kFirstValue + i)};
  }

  std::vector<std::string> texts_;
  std::vector<Slot> slots_;
};

// What templates see of a sentence: for each attribute in use a row of values, ROOT at 0 and words from 1.
class EncodedSentence {
 public:
  int words() const { return words_; }
  // Also of the node that is not there: kNullValue.
  Value value(int slot, Node node) const { return values_[place(slot, node)]; }
  // The values of an attribute, by node.
  const Value* row(int slot) const { return values_.data() + place(slot, 0); }
  // The tree that an earlier pass found, if there was one.
  bool guided() const { return !guide_heads_.empty(); }
  void set_guide(std::vector<Node> heads, std::vector<Label> labels);  // 0..n each
  Node guide_head(Node node) const { return guided() && node > kRoot ? guide_heads_[node] : kNone; }
  Label guide_label(Node node) const { return guided() && node > kRoot ? guide_labels_[node] : kNoLabel; }
  // The outermost dependent on one side, or none.
  Node guide_first(Node node) const { return guided() ? guide_first_[node] : kNone; }
  Node guide_last(Node node) const { return guided() ? guide_last_[node] : kNone; }

  // The same for words of which all is the same, and the chance of two 64-bit numbers apart for no others. Also of
  // ROOT, and of the node that is not there.
  std::uint64_t word_key(Node node) const {
    std::uint64_t key = 0x2545F4914F6CDD1Du;
    const auto mix = [&key](std::uint64_t value) {
      key = (key ^ value) * 0xD6E8FEB86659FD93u;
      key ^= key >> 32;
    };
    for (std::size_t i = place(0, node); i < values_.size(); i += static_cast<std::size_t>(words_ + 2)) mix(values_[i]);
    if (node != kNone)
      for (auto [at, end] = features(node); at != end; ++at) mix(*at);
    mix(0);
    return key * 0xD6E8FEB86659FD93u;
  }

  // The same words from right to left.
  void reverse();

  // The single features of a node.
  std::pair<const Value*, const Value*> features(Node node) const {
    return {features_.data() + feature_begin_[node], features_.data() + feature_begin_[node + 1]};
  }

 private:
  friend class WordEncoder;

  std::size_t place(int slot, Node node) const { return static_cast<std::size_t>(slot * (words_ + 2) + node - kNone); }

  int words_ = 0;
  std::vector<Value> values_;
  std::vector<Value> features_;
  std::vector<std::uint32_t> feature_begin_;
  std::vector<Node> guide_heads_, guide_first_, guide_last_;
  std::vector<Label> guide_labels_;
};

// A tree of the same words from right to left; 0..n.
template <class T>
void reverse_words(std::vector<T>& values) {
  std::reverse(values.begin() + 1, values.end());
}
void reverse_tree(std::vector<Node>& heads, std::vector<Label>& labels);

class WordEncoder {
 public:
  // Attributes that no template uses are not encoded; `tag` always is. `tag_column` is UPOS or XPOS.
  WordEncoder(const Templates& templates, Column tag_column);

  // Takes up every text of the document, words of sentences first..last-1.
  void learn(const Document& document, const std::vector<std::size_t>& sentences, int min_count);

  void encode(const Document& document, std::size_t sentence, EncodedSentence& out) const;

  // Where an attribute stands in encoded sentences; -1 if it does not.
  int slot(Attribute attribute) const { return slot_[static_cast<std::size_t>(attribute)]; }

  // For model files: the texts of an attribute, in the order of their values.
  const std::vector<std::string>& texts(Attribute attribute) const {
    return vocabulary_[static_cast<std::size_t>(attribute)].texts();
  }
  Value find(Attribute attribute, std::string_view text) const {
    return vocabulary_[static_cast<std::size_t>(attribute)].find(text);
  }
  std::string spell(Attribute attribute, Value value) const;
  void set_texts(Attribute attribute, const std::vector<std::string>& texts);

 private:
  std::string_view text(const Document::Cells& cells, Attribute attribute, std::string& storage) const;

  // The values of attributes that are made of forms, by form and slot; made when they are first needed.
  struct Derived {
    std::once_flag once;
    std::vector<Value> values;
  };
  const std::vector<Value>& derived_values() const;

  Column tag_column_;
  std::array<int, kWordAttributes> slot_{};
  int slots_ = 0;
  bool single_features_ = false;
  std::array<Vocabulary, kWordAttributes> vocabulary_;
  std::vector<std::pair<Attribute, int>> of_forms_, of_others_;  // attributes in use, with their slots
  std::shared_ptr<Derived> derived_ = std::make_shared<Derived>();
};

}  // namespace dynarc
