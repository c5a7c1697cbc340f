// Weights while they are learned: for each feature the classes it has ever spoken for or against.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/extractor.hpp"

namespace dynarc {

// A feature is touched by few classes, so its row holds only those. `sum` is what averaging needs: the weight's
// changes, each times the moment it came (Daumé's trick): the average up to t is weight - sum / t.
class TrainingWeights {
 public:
  struct Entry {
    double sum;
    float weight;
    std::uint32_t label;  // the class
  };

  TrainingWeights() { grow(std::size_t{1} << 16); }

  // Adds to `scores` what the features say. Slots are asked for before they are needed: they are far apart in memory.
  void score(std::span<const Key> keys, std::span<float> scores) {
    classes_ = scores.size();
    found_.clear();
    for (const Key key : keys) __builtin_prefetch(&slots_[key & mask_]);
    for (const Key key : keys) {
      const std::uint32_t row = find(key);
      if (row == kNoRow) continue;
      found_.push_back(row);
      __builtin_prefetch(&rows_[row]);
    }
    for (const std::uint32_t row : found_) {
      const Row r = rows_[row];
      if (r.size == kWide)
        __builtin_prefetch(wide_weights_.data() + r.begin);
      else
        __builtin_prefetch(entries_.data() + r.begin);
    }
    for (const std::uint32_t row : found_) {
      const Row r = rows_[row];
      if (r.size == kWide) {
        add_wide(wide_weights_.data() + r.begin, scores);
        continue;
      }
      const Entry* entry = entries_.data() + r.begin;
      for (std::uint32_t i = 0; i < r.size; ++i) scores[entry[i].label] += entry[i].weight;
    }
  }

  void add(std::span<const Key> keys, int label, double change, double moment) {
    for (const Key key : keys) add(key, label, change, moment);
  }

  std::size_t rows() const { return rows_.size(); }

  // Calls f(key, class, weight) for every weight, averaged up to `moment`, in an order that is always the same.
  template <class F>
  void each_average(double moment, F&& f) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row row = rows_[r];
      const std::size_t size = row.size == kWide ? classes_ : row.size;
      for (std::size_t i = 0; i < size; ++i) {
        const Entry entry = row.size == kWide ? Entry{wide_sums_[row.begin + i], wide_weights_[row.begin + i],
                                                      static_cast<std::uint32_t>(i)}
                                              : entries_[row.begin + i];
        f(keys_[r], static_cast<int>(entry.label), static_cast<double>(entry.weight) - entry.sum / moment);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  struct Slot {
    Key key;
    std::uint32_t row;
  };
  static constexpr std::uint32_t kWide = ~std::uint32_t{0};
  struct Row {
    std::uint32_t begin, size, capacity;  // of a wide one, where it begins in the wide arrays, and kWide
  };

  static void add_wide(const float* row, std::span<float> scores) {
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] += row[c];
  }

  std::uint32_t find(Key key) const {
    for (std::size_t i = key & mask_;; i = (i + 1) & mask_) {
      if (slots_[i].row == kNoRow) return kNoRow;
      if (slots_[i].key == key) return slots_[i].row;
    }
  }

  void add(Key key, int label, double change, double moment) {
    std::uint32_t row = find(key);
    if (row == kNoRow) row = make_row(key);
    Row& r = rows_[row];
    if (r.size == kWide) {
      wide_weights_[r.begin + static_cast<std::size_t>(label)] += static_cast<float>(change);
      wide_sums_[r.begin + static_cast<std::size_t>(label)] += change * moment;
      return;
    }
    Entry* entry = entries_.data() + r.begin;
    std::uint32_t i = 0;
    while (i < r.size && entry[i].label != static_cast<std::uint32_t>(label)) ++i;
    if (i == r.size) {
      if (r.size == r.capacity) {
        widen(r);
        if (r.size == kWide) {
          add(key, label, change, moment);
          return;
        }
      }
      entry = entries_.data() + r.begin;
      entry[i] = {0, 0, static_cast<std::uint32_t>(label)};
      ++r.size;
    }
    entry[i].weight += static_cast<float>(change);
    entry[i].sum += change * moment;
  }

  std::uint32_t make_row(Key key) {
    if (rows_.size() * 2 >= slots_.size()) grow(slots_.size() * 2);
    const auto row = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({allocate(2), 0, 2});
    keys_.push_back(key);
    insert(key, row);
    return row;
  }

  void insert(Key key, std::uint32_t row) {
    std::size_t i = key & mask_;
    while (slots_[i].row != kNoRow) i = (i + 1) & mask_;
    slots_[i] = {key, row};
  }

  void grow(std::size_t size) {
    slots_.assign(size, {0, kNoRow});
    mask_ = size - 1;
    for (std::size_t r = 0; r < rows_.size(); ++r) insert(keys_[r], static_cast<std::uint32_t>(r));
  }

  std::uint32_t allocate(std::uint32_t capacity) {
    auto& free = free_[static_cast<std::size_t>(std::countr_zero(capacity))];
    if (!free.empty()) {
      const std::uint32_t begin = free.back();
      free.pop_back();
      return begin;
    }
    const auto begin = static_cast<std::uint32_t>(entries_.size());
    entries_.resize(entries_.size() + capacity);
    return begin;
  }

  // Room for twice as many classes, or, from an eighth of all on, for all.
  void widen(Row& r) {
    const std::uint32_t old = r.begin;
    if (8 * r.size >= classes_) {
      const auto begin = static_cast<std::uint32_t>(wide_weights_.size());
      wide_weights_.resize(wide_weights_.size() + classes_);
      wide_sums_.resize(wide_weights_.size());
      for (std::uint32_t i = 0; i < r.size; ++i) {
        const Entry& entry = entries_[old + i];
        wide_weights_[begin + entry.label] = entry.weight;
        wide_sums_[begin + entry.label] = entry.sum;
      }
      free_[static_cast<std::size_t>(std::countr_zero(r.capacity))].push_back(old);
      r = {begin, kWide, 0};
      return;
    }
    const std::uint32_t begin = allocate(2 * r.capacity);
    std::copy_n(entries_.begin() + old, r.size, entries_.begin() + begin);
    free_[static_cast<std::size_t>(std::countr_zero(r.capacity))].push_back(old);
    r.begin = begin;
    r.capacity *= 2;
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::vector<Row> rows_;
  std::vector<Key> keys_;
  std::vector<Entry> entries_;
  std::vector<float> wide_weights_;
  std::vector<double> wide_sums_;
  std::size_t classes_ = 0;
  std::array<std::vector<std::uint32_t>, 32> free_;
  std::vector<std::uint32_t> found_;
};

}  // namespace dynarc
