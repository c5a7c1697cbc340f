// Weights as a parser uses them: averaged, only those that are not zero, by feature.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_pages.hpp"
#include "features/extractor.hpp"
#include "model/rows.hpp"

namespace dynarc {

using Score = std::int32_t;

// What a parser works with while it scores, one for each thread.
struct Scores {
  std::vector<Score> of_class;                     // as many as a row is long, and some that nobody asks for
  std::vector<std::uint32_t> small, medium, wide;  // the rows that were found; room for all, then how many there are
  std::size_t smalls = 0, mediums = 0, wides = 0;
  bool empty() const { return smalls + mediums + wides == 0; }
};

// Scores are whole numbers, so they do not depend on the order in which weights are added: a weight counts as the
// nearest multiple of `scale`, a power of two by which all of them fit into 16 bits.
class Weights {
 public:
  // Row r holds the weights begin[r]..begin[r+1]-1 of the feature keys[r], of which the low `key_bits` count. Throws
  // ModelFormatError if they do not fit together.
  Weights(std::vector<Key> keys, std::vector<std::uint32_t> begin, std::vector<std::uint16_t> labels,
          std::vector<float> values, int classes, int key_bits = 64);

  int key_bits() const { return key_bits_; }
  float scale() const { return scale_; }
  std::int16_t rounded(float value) const;
  const std::vector<Key>& keys() const { return keys_; }
  const std::vector<std::uint32_t>& begin() const { return begin_; }
  const std::vector<std::uint16_t>& labels() const { return labels_; }
  const std::vector<float>& values() const { return values_; }

  // What the features say of every class, in multiples of `scale`: three steps, between which there should be other
  // work to do. Each asks the memory, where everything is far away, for what the next one needs.
  void ask(std::span<const Key> keys) const {
    for (const Key key : keys) __builtin_prefetch(&slots_[place(key)]);
  }
  // Whether a feature is there, and how wide its row is, nobody can foretell: a processor that has to guess, at a
  // branch, loses more time than it takes to do everything for every case. So there are hardly any branches.
  void find(std::span<const Key> keys, Scores& out) const {
    if (out.wide.size() < keys.size() + 1)
      for (auto* rows : {&out.small, &out.medium, &out.wide}) rows->resize(2 * keys.size() + 1);
    std::uint32_t *small = out.small.data(), *medium = out.medium.data(), *wide = out.wide.data();
    for (const Key key : keys) {
      const Slot* slot = &slots_[place(key)];
      const auto tag = static_cast<std::uint32_t>(key);
      const auto row_if_there = [tag](Slot s) { return s.row | (0u - static_cast<std::uint32_t>(s.tag != tag)); };
      std::uint32_t row = row_if_there(slot[0]) & row_if_there(slot[1]);
      if ((row == kFree) & (slot[0].row != kFree) & (slot[1].row != kFree)) [[unlikely]]
        for (slot += 2; slot->row != kFree && row == kFree; ++slot) row = row_if_there(*slot);
      const std::uint32_t kind = row >> kKindShift, number = row & kNumber;
      *small = *medium = *wide = number;
      small += kind == kSmall;
      medium += kind == kMedium;
      wide += kind == kWide;
      __builtin_prefetch(starts_[kind] + std::size_t{number} * bytes_of_kind_[kind]);
    }
    const auto smalls = static_cast<std::size_t>(small - out.small.data());
    const auto mediums = static_cast<std::size_t>(medium - out.medium.data());
    const auto wides = static_cast<std::size_t>(wide - out.wide.data());
    out.smalls = smalls;
    out.mediums = mediums;
    out.wides = wides;
    for (std::size_t i = 0; i < wides; ++i) {
      const auto* const row = reinterpret_cast<const char*>(&wide_[out.wide[i] * length_]);
      for (std::size_t at = 64; at < length_ * sizeof(std::int16_t); at += 64) __builtin_prefetch(row + at);
    }
  }
  void sum(Scores& out) const {
    out.of_class.assign(length_ + kSpare, 0);
    add(out, out.of_class.data());
  }
  // Adds what was found to `scores`, as many as a row is long and kSpare more.
  void add(const Scores& out, Score* scores) const {
    const auto add_entries = [scores](const Entry* entries, int count) {
      for (int i = 0; i < count; ++i) scores[entries[i].label] += entries[i].weight;
    };
    for (std::size_t i = 0; i < out.smalls; ++i) add_entries(&small_[out.small[i] * kSmallSize], kSmallSize);
    for (std::size_t i = 0; i < out.mediums; ++i) add_entries(&medium_[out.medium[i] * kMediumSize], kMediumSize);
    add_rows(wide_.data(), {out.wide.data(), out.wides}, length_, scores);
  }
  // So many scores are behind those of the classes.
  static constexpr int kSpare = 16;
  void score(std::span<const Key> keys, Scores& out) const {
    ask(keys);
    find(keys, out);
    sum(out);
  }

 private:
  // A slot knows a feature by 32 bits of its key; which slots are looked at depends on all of its bits. No two features
  // of the model are mistaken for each other: `multiplier_` is chosen so. One that is not in it is taken for one that
  // is about once in three billion times, less often than keys of 48 bits are the same.
  struct Slot {
    std::uint32_t tag = 0, row = ~std::uint32_t{0};
  };
  // A row with few classes has always as many entries, for lack of others such that change what nobody asks for. A row
  // of many is kept for all classes.
  struct Entry {
    std::uint16_t label;
    std::int16_t weight;
  };
  static constexpr int kSmallSize = 4, kMediumSize = 8;
  static constexpr std::uint32_t kSmall = 0, kMedium = 1, kWide = 2;  // the two highest bits of `row`: its kind
  static constexpr int kKindShift = 30;
  static constexpr std::uint32_t kNumber = (std::uint32_t{1} << kKindShift) - 1, kFree = ~std::uint32_t{0};

  std::size_t place(Key key) const { return ((key & kept_) * multiplier_) >> shift_; }
  void make_rows();
  bool fill_slots(const std::vector<std::uint32_t>& rows);

  std::vector<Key> keys_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint16_t> labels_;
  std::vector<float> values_;
  float scale_ = 1;
  int key_bits_;
  Key kept_;  // the bits of a key that count

  HugeVector<Slot> slots_;
  HugeVector<Entry> small_, medium_;
  HugeVector<std::int16_t> wide_;
  std::size_t length_ = 0;
  // Of rows by their kind; for the kind of those that are not there, any place.
  std::array<const char*, 4> starts_{};
  std::array<std::size_t, 4> bytes_of_kind_{};
  Key multiplier_ = 0;
  int shift_ = 0;
};

}  // namespace dynarc
