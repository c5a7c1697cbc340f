// Weights while they are learned: for each feature the classes it has ever spoken for or against.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/huge_pages.hpp"
#include "learn/row_index.hpp"
#include "model/rows.hpp"
#include "model/weights.hpp"

namespace dynarc {

// A feature is touched by few classes, so its row holds only those; from an eighth of all classes on it holds all.
// Beside each weight is what averaging needs: its changes, each times the moment it came (Daumé's trick): the average
// up to t is weight - sum / t. Scores are sums of narrow rows first, then of wide ones, each in the order of keys.
class TrainingWeights {
 public:
  explicit TrainingWeights(int classes) : length_(row_length(static_cast<std::size_t>(classes))), scores_(length_) {}

  // What the features say of every class. Slots and rows are asked for before they are needed: they are far apart in
  // memory. `places_` is then where the features are.
  const std::vector<float>& score(std::span<const Key> keys) {
    std::ranges::fill(scores_, 0.0f);
    places_.clear();
    narrow_.clear();
    wide_.clear();
    for (const Key key : keys) index_.prefetch(key);
    for (const Key key : keys) {
      const std::uint32_t at = index_.find(key);
      places_.push_back(at);
      if (at == RowIndex::kNowhere) continue;
      const RowSlot& slot = index_[at];
      if (slot.is_wide()) {
        wide_.push_back(slot.begin);
        prefetch_wide(slot.begin);
      } else {
        narrow_.push_back(at);
        __builtin_prefetch(&entries_[slot.begin]);
      }
    }
    for (const std::uint32_t at : narrow_) {
      const RowSlot& slot = index_[at];
      const Entry* const entry = entries_.data() + slot.begin;
      for (std::uint32_t i = 0; i < slot.size; ++i) scores_[entry[i].label] += entry[i].weight;
    }
    add_rows(wide_weights_.data(), wide_, length_, scores_.data());
    return scores_;
  }

  // Of the features that were scored last: `change` for one class, as much against another.
  void update(std::span<const Key> keys, int towards, int against, double change, double moment) {
    if (index_.make_room(keys.size()))
      for (std::size_t i = 0; i < keys.size(); ++i) places_[i] = index_.find(keys[i]);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      RowSlot& slot = index_[places_[i] == RowIndex::kNowhere ? find_or_make(keys[i]) : places_[i]];
      add(slot, towards, change, moment);
      add(slot, against, -change, moment);
    }
  }

  void add(std::span<const Key> keys, int label, double change, double moment) {
    index_.make_room(keys.size());
    for (const Key key : keys) add(index_[find_or_make(key)], label, change, moment);
  }

  // Instead of no weights these, for other numbers of classes. Of keys only the bits that those have count from then
  // on.
  void start_from(const Weights& weights, std::span<const int> classes) {
    index_.keep_bits(weights.key_bits());
    for (std::size_t r = 0; r < weights.keys().size(); ++r) {
      index_.make_room(1);
      RowSlot& slot = index_[find_or_make(weights.keys()[r])];
      for (std::uint32_t i = weights.begin()[r]; i < weights.begin()[r + 1]; ++i) {
        const int label = classes[weights.labels()[i]];
        if (label >= 0) add(slot, label, static_cast<double>(weights.values()[i]), 0);
      }
    }
  }

  void save(ByteWriter& out) const {
    out.put(entries_);
    out.put(wide_weights_);
    out.put(wide_sums_);
    for (const auto& free : free_) out.put(free);
    index_.save(out);
  }
  void restore(ByteReader& in) {
    in.get(entries_);
    in.get(wide_weights_);
    in.get(wide_sums_);
    for (auto& free : free_) in.get(free);
    if (wide_weights_.size() != wide_sums_.size()) in.fail();
    index_.restore(in, [&](const RowSlot& slot) {
      const bool wide = slot.is_wide();
      const std::size_t end = wide ? (slot.begin + std::size_t{1}) * length_ : slot.begin + 2u * slot.capacity;
      if (end > (wide ? wide_weights_.size() : entries_.size()) || (!wide && slot.size > slot.capacity)) return false;
      for (std::uint32_t i = 0; i < slot.size; ++i)
        if (entries_[slot.begin + i].label >= length_) return false;
      return true;
    });
    for (std::size_t size = 0; size < free_.size(); ++size)
      for (const std::uint32_t begin : free_[size])
        if (begin + (std::size_t{2} << size) > entries_.size()) in.fail();
  }

  // Calls f(key, class, weight) for every weight, averaged up to `moment`, feature by feature.
  template <class F>
  void each_average(double moment, F&& f) const {
    const auto average = [&](float weight, double sum) { return static_cast<double>(weight) - sum / moment; };
    for (const RowSlot& slot : index_.slots()) {
      if (slot.is_wide()) {
        for (std::size_t c = 0; c < length_; ++c) {
          const std::size_t at = slot.begin * length_ + c;
          f(slot.key, static_cast<int>(c), average(wide_weights_[at], wide_sums_[at]));
        }
      } else {
        for (std::uint32_t i = 0; i < slot.size; ++i) {
          const Entry& entry = entries_[slot.begin + i];
          f(slot.key, static_cast<int>(entry.label), average(entry.weight, sums_of(slot)[i]));
        }
      }
    }
  }

 private:
  // The entries of a row are followed by as many sums, of which scoring needs none.
  struct Entry {
    float weight;
    std::uint32_t label;  // the class
  };
  static_assert(sizeof(Entry) == sizeof(double));

  double* sums_of(const RowSlot& slot) {
    return reinterpret_cast<double*>(entries_.data() + slot.begin + slot.capacity);
  }
  const double* sums_of(const RowSlot& slot) const {
    return reinterpret_cast<const double*>(entries_.data() + slot.begin + slot.capacity);
  }

  void prefetch_wide(std::uint32_t row) const {
    const auto* const line = reinterpret_cast<const char*>(&wide_weights_[row * length_]);
    for (std::size_t at = 0; at < length_ * sizeof(float); at += 64) __builtin_prefetch(line + at);
  }

  std::uint32_t find_or_make(Key key) {
    return index_.find_or_make(key, [&] { return std::pair(allocate(kLeast), kLeast); });
  }

  void add(RowSlot& slot, int label, double change, double moment) {
    if (!slot.is_wide()) {
      Entry* const entry = entries_.data() + slot.begin;
      std::uint16_t i = 0;
      while (i < slot.size && entry[i].label != static_cast<std::uint32_t>(label)) ++i;
      if (i < slot.capacity) {
        if (i == slot.size) {
          entry[i] = {0, static_cast<std::uint32_t>(label)};
          sums_of(slot)[i] = 0;
          ++slot.size;
        }
        entry[i].weight += static_cast<float>(change);
        sums_of(slot)[i] += change * moment;
        return;
      }
      widen(slot);
      add(slot, label, change, moment);
      return;
    }
    const std::size_t at = slot.begin * length_ + static_cast<std::size_t>(label);
    wide_weights_[at] += static_cast<float>(change);
    wide_sums_[at] += change * moment;
  }

  // Room for so many entries and their sums.
  std::uint32_t allocate(std::uint16_t capacity) {
    auto& free = free_[static_cast<std::size_t>(std::countr_zero(capacity))];
    if (!free.empty()) {
      const std::uint32_t begin = free.back();
      free.pop_back();
      return begin;
    }
    const auto begin = static_cast<std::uint32_t>(entries_.size());
    entries_.resize(entries_.size() + 2u * capacity);
    return begin;
  }

  // Room for twice as many classes, or for all.
  void widen(RowSlot& slot) {
    const RowSlot old = slot;
    if (8u * old.size >= length_) {
      slot.begin = static_cast<std::uint32_t>(wide_weights_.size() / length_);
      slot.size = 0;
      slot.capacity = RowSlot::kWide;
      wide_weights_.resize(wide_weights_.size() + length_);
      wide_sums_.resize(wide_weights_.size());
      for (std::uint16_t i = 0; i < old.size; ++i) {
        const Entry entry = entries_[old.begin + i];
        wide_weights_[slot.begin * length_ + entry.label] = entry.weight;
        wide_sums_[slot.begin * length_ + entry.label] = sums_of(old)[i];
      }
    } else {
      slot.capacity = static_cast<std::uint16_t>(2 * old.capacity);
      slot.begin = allocate(slot.capacity);
      std::copy_n(entries_.data() + old.begin, old.size, entries_.data() + slot.begin);
      std::copy_n(sums_of(old), old.size, sums_of(slot));
    }
    free_[static_cast<std::size_t>(std::countr_zero(old.capacity))].push_back(old.begin);
  }

  static constexpr std::uint16_t kLeast = 2;

  std::size_t length_;  // of a wide row
  RowIndex index_;
  HugeVector<Entry> entries_;
  HugeVector<float> wide_weights_;
  HugeVector<double> wide_sums_;
  std::array<std::vector<std::uint32_t>, 16> free_;

  // Of what was scored last.
  std::vector<float> scores_;
  std::vector<std::uint32_t> places_, narrow_, wide_;
};

}  // namespace dynarc
