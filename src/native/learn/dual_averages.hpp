// Weights by regularised dual averaging with step sizes of their own (AdaGrad-RDA with L1: Duchi et al. 2011, Goldberg
// 2013, ORACLES 10).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/huge_pages.hpp"
#include "learn/row_index.hpp"
#include "learn/weights.hpp"
#include "model/rows.hpp"

namespace dynarc {

// How one class's score should change.
struct Gradient {
  std::uint16_t label;  // the class
  float value;
};

// For each feature and class the sum g of all gradients and the sum G of their squares are kept. The weight is always
// made of them anew, with the number j of updates there are now:
//
//   w = alpha * shrink(g, j * lambda) / sqrt(G + rho),   shrink(g, t) = sign(g) * max(|g| - t, 0)
//
// Every update changes a little what all features say of all classes, so both sums would be kept for every feature that
// was ever seen and every class. But most classes are so unlikely that their gradients are next to nothing. Whoever
// makes gradients leaves those out (`Likelihood`), and a row holds only the classes that have some.
class DualAverages {
 public:
  struct Options {
    double alpha = 1, rho = 0.01, lambda = 0;
  };

  DualAverages(int classes, const Options& options)
      : length_((static_cast<std::size_t>(classes) + 7) / 8 * 8),
        most_(std::clamp<std::size_t>(length_ / 4, kCapacities.front(), kCapacities.back())),
        options_(options),
        change_(length_, 0.0F),
        seen_(length_, 0),
        scores_(length_) {}

  std::uint64_t updates() const { return updates_; }

  // What the features say of every class. `places_` is then where the features are.
  const std::vector<float>& score(std::span<const Key> keys) {
    std::ranges::fill(scores_, 0.0F);
    if (start_) std::ranges::copy(std::span(start_->score(keys)).first(length_), scores_.begin());
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
        wide_.push_back(wide_row(slot.begin));
      } else {
        narrow_.push_back(at);
        __builtin_prefetch(entry_at(slot.begin));
      }
    }
    const DualRule rule = this->rule();
    for (const std::uint32_t at : narrow_) {
      const RowSlot& slot = index_[at];
      const Entry* const entry = entry_at(slot.begin);
      for (std::uint32_t i = 0; i < slot.size; ++i)
        if (std::abs(entry[i].sum) > rule.threshold) scores_[entry[i].label] += weight_of(rule, entry[i]);
    }
    add_dual_rows(wide_, length_, rule, scores_.data());
    return scores_;
  }

  // Adds to the sums of the features; those that were scored last if so said. All of it is one update as soon as
  // `count_update` is called.
  void add(std::span<const Key> keys, std::span<const Gradient> gradients, bool scored_last) {
    if (gradients.empty()) return;
    if (index_.make_room(keys.size()) || !scored_last) {
      places_.clear();
      for (const Key key : keys) places_.push_back(index_.find(key));
    }
    for (const Gradient& gradient : gradients) change_[gradient.label] = gradient.value;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t place =
          places_[i] == RowIndex::kNowhere ? find_or_make(keys[i], gradients.size()) : places_[i];
      add(index_[place], gradients);
    }
    for (const Gradient& gradient : gradients) change_[gradient.label] = 0;
  }
  void count_update() { ++updates_; }

  // Instead of no weights these: what is learned is how far to go from them.
  void start_from(const Weights& weights, std::span<const int> classes) {
    index_.keep_bits(weights.key_bits());
    start_.emplace(static_cast<int>(length_));
    start_->start_from(weights, classes);
  }

  // Calls f(key, class, weight) for every weight that is not 0; for one and the same twice if this did not start
  // from nothing, the sum is what counts.
  template <class F>
  void each_weight(F&& f) const {
    const DualRule rule = this->rule();
    const auto give = [&](Key key, std::uint32_t label, const Entry& entry) {
      if (std::abs(entry.sum) > rule.threshold)
        f(key, static_cast<int>(label), static_cast<double>(weight_of(rule, entry)));
    };
    for (const RowSlot& slot : index_.slots()) {
      if (slot.is_wide()) {
        const float* const row = wide_row(slot.begin);
        for (std::uint32_t c = 0; c < length_; ++c) give(slot.key, c, {row[c], row[length_ + c], c});
      } else {
        for (std::uint32_t i = 0; i < slot.size; ++i)
          give(slot.key, entry_at(slot.begin)[i].label, entry_at(slot.begin)[i]);
      }
    }
    if (start_) start_->each_average(1, f);
  }
  bool starts_from_weights() const { return start_.has_value(); }

  void save(ByteWriter& out) const {
    out.put(updates_);
    out.put(used_);
    out.put(wide_rows_);
    for (const auto& chunk : entries_) out.put(chunk);
    for (const auto& chunk : wide_sums_) out.put(chunk);
    for (const auto& free : free_) out.put(free);
    index_.save(out);
    out.put(static_cast<char>(start_.has_value()));
    if (start_) start_->save(out);
  }
  void restore(ByteReader& in) {
    in.get(updates_);
    in.get(used_);
    in.get(wide_rows_);
    const auto chunks = [&](auto& all, std::size_t used, std::size_t of_chunk, std::size_t size) {
      all.clear();
      for (std::size_t at = 0; at < used; at += of_chunk) {
        in.get(all.emplace_back());
        if (all.back().size() != size) in.fail();
      }
    };
    chunks(entries_, used_, kChunk, kChunk);
    chunks(wide_sums_, wide_rows_, kWideChunk, kWideChunk * 2 * length_);
    for (auto& free : free_) in.get(free);
    index_.restore(in, [&](const RowSlot& slot) {
      if (slot.is_wide()) return slot.begin < wide_rows_;
      if (slot.begin + std::size_t{slot.capacity} > used_ || slot.size > slot.capacity) return false;
      for (std::uint32_t i = 0; i < slot.size; ++i)
        if (entry_at(slot.begin)[i].label >= length_) return false;
      return true;
    });
    for (std::size_t size = 0; size < free_.size(); ++size)
      for (const std::uint32_t begin : free_[size])
        if (begin + std::size_t{kCapacities[size]} > used_) in.fail();
    char starts = 0;
    in.get(starts);
    start_.reset();
    if (starts != 0) start_.emplace(static_cast<int>(length_)).restore(in);
  }

 private:
  struct Entry {
    float sum = 0, squares = 0;
    std::uint32_t label = 0;  // the class
  };
  // Rooms for entries. A row that outgrows the greatest that it may have becomes a wide one: its sums, then its
  // squares.
  static constexpr std::array<std::uint16_t, 13> kCapacities{2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256};
  // Tables grow by pieces, so that nothing has to be copied, nor to be there twice.
  static constexpr std::size_t kChunk = std::size_t{1} << 19, kWideChunk = std::size_t{1} << 10;

  DualRule rule() const {
    return {static_cast<float>(options_.alpha), static_cast<float>(options_.rho),
            static_cast<float>(static_cast<double>(updates_) * options_.lambda)};
  }
  static float weight_of(const DualRule& rule, const Entry& entry) {
    return dual_weight(rule, entry.sum, entry.squares);
  }

  Entry* entry_at(std::uint32_t begin) { return &entries_[begin / kChunk][begin % kChunk]; }
  const Entry* entry_at(std::uint32_t begin) const { return &entries_[begin / kChunk][begin % kChunk]; }
  const float* wide_row(std::uint32_t row) const {
    return &wide_sums_[row / kWideChunk][row % kWideChunk * 2 * length_];
  }
  float* wide_row(std::uint32_t row) { return &wide_sums_[row / kWideChunk][row % kWideChunk * 2 * length_]; }

  std::uint32_t find_or_make(Key key, std::size_t entries) {
    return index_.find_or_make(key, [&] { return room_for(entries); });
  }

  // Where a row for so many entries begins, and its capacity.
  std::pair<std::uint32_t, std::uint16_t> room_for(std::size_t entries) {
    if (entries > most_) return {make_wide(), RowSlot::kWide};
    std::size_t kind = 0;
    while (kCapacities[kind] < entries) ++kind;
    const std::uint16_t capacity = kCapacities[kind];
    if (auto& free = free_[kind]; !free.empty()) {
      const std::uint32_t begin = free.back();
      free.pop_back();
      return {begin, capacity};
    }
    if (used_ % kChunk + capacity > kChunk) used_ = (used_ / kChunk + 1) * kChunk;
    if (used_ / kChunk == entries_.size()) entries_.emplace_back(kChunk);
    const auto begin = static_cast<std::uint32_t>(used_);
    used_ += capacity;
    return {begin, capacity};
  }
  std::uint32_t make_wide() {
    if (wide_rows_ / kWideChunk == wide_sums_.size()) wide_sums_.emplace_back(kWideChunk * 2 * length_);
    return static_cast<std::uint32_t>(wide_rows_++);
  }

  void add(RowSlot& slot, std::span<const Gradient> gradients) {
    if (!slot.is_wide()) {
      ++stamp_;
      Entry* entry = entry_at(slot.begin);
      std::size_t met = 0;
      for (std::uint32_t i = 0; i < slot.size; ++i) {
        const float change = change_[entry[i].label];
        seen_[entry[i].label] = stamp_;
        if (change == 0) continue;
        ++met;
        entry[i].sum += change;
        entry[i].squares += change * change;
      }
      if (met == gradients.size()) return;
      const std::size_t wanted = slot.size + gradients.size() - met;
      if (wanted > slot.capacity) widen(slot, wanted);
      if (slot.is_wide()) {
        float* const row = wide_row(slot.begin);
        for (const auto& [label, change] : gradients)
          if (seen_[label] != stamp_) add(row, label, change);
        return;
      }
      entry = entry_at(slot.begin);
      for (const auto& [label, change] : gradients)
        if (seen_[label] != stamp_) entry[slot.size++] = {change, change * change, label};
      return;
    }
    float* const row = wide_row(slot.begin);
    for (const auto& [label, change] : gradients) add(row, label, change);
  }
  void add(float* row, std::uint16_t label, float change) {
    row[label] += change;
    row[length_ + label] += change * change;
  }

  void widen(RowSlot& slot, std::size_t wanted) {
    const RowSlot old = slot;
    std::tie(slot.begin, slot.capacity) = room_for(wanted);
    const Entry* const entry = entry_at(old.begin);
    if (slot.is_wide()) {
      float* const row = wide_row(slot.begin);
      for (std::uint32_t i = 0; i < old.size; ++i) {
        row[entry[i].label] = entry[i].sum;
        row[length_ + entry[i].label] = entry[i].squares;
      }
      slot.size = 0;
    } else {
      std::copy_n(entry, old.size, entry_at(slot.begin));
    }
    free_[static_cast<std::size_t>(std::ranges::find(kCapacities, old.capacity) - kCapacities.begin())].push_back(
        old.begin);
  }

  std::size_t length_;  // of a wide row
  std::size_t most_;    // entries of a row that is not wide
  Options options_;
  std::uint64_t updates_ = 0;
  RowIndex index_;
  std::vector<HugeVector<Entry>> entries_;
  std::vector<HugeVector<float>> wide_sums_;
  std::size_t used_ = 0, wide_rows_ = 0;
  std::array<std::vector<std::uint32_t>, kCapacities.size()> free_;
  std::optional<TrainingWeights> start_;

  // Of the update at hand, by class.
  std::vector<float> change_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;

  // Of what was scored last.
  std::vector<float> scores_;
  std::vector<std::uint32_t> places_, narrow_;
  std::vector<const float*> wide_;
};

}  // namespace dynarc
