#include "model/word_folding.hpp"

#include <algorithm>
#include <optional>

namespace dynarc {

namespace {

constexpr std::uint64_t kFewValues = 64;       // of a word's attribute that need not be of one word
constexpr std::size_t kMostCombinations = 64;  // of values for which there is a row each
constexpr std::size_t kMostMerged = 64;        // the same, of groups put together
constexpr std::size_t kMostWords = 1 << 16;

// How many values an atom has that are worth a row each: 0..n-1. Nothing if there may be too many.
std::optional<std::uint64_t> few_values(const AtomPlan& atom, const WordEncoder& encoder, const LabelValues& labels,
                                        int valency_cap) {
  if (atom.has_many_values()) return {};
  if (atom.is_function) {
    switch (atom.function) {
      case Function::dist: return 8;
      case Function::head_is: return 3;
      case Function::guide_arc: return 4;
      case Function::guide_side: return 7;
      case Function::guide_reach: return 5;
      default: return {};
    }
  }
  if (static_cast<int>(atom.attribute) < kWordAttributes) {
    const std::uint64_t values = kFirstValue + encoder.texts(atom.attribute).size();
    return values <= kFewValues ? std::optional(values) : std::nullopt;
  }
  switch (atom.attribute) {
    case Attribute::deprel:
    case Attribute::guide_deprel: {
      std::uint64_t most = 0;
      for (Label label = 0; label < labels.count; ++label) most = std::max(most, labels.value(label));
      return most < kFewValues ? std::optional(most + 1) : std::nullopt;
    }
    case Attribute::valency_left:
    case Attribute::valency_right: return valency_cap + 2;
    case Attribute::labels_left:
    case Attribute::labels_right: return 2;  // no node; no labels
    case Attribute::has_head:
    case Attribute::leaf: return 3;
    default: return {};
  }
}

bool is_of_word(const AtomPlan& atom) {
  return !atom.is_function &&
         (static_cast<int>(atom.attribute) < kWordAttributes || atom.attribute == Attribute::adposition);
}

}  // namespace

WordFoldPlan::WordFoldPlan(const Templates& templates, const WordEncoder& encoder, const LabelValues& labels,
                           int valency_cap) {
  for (const AtomPlan& atom : templates.atoms())
    large_.push_back(is_of_word(atom) && !few_values(atom, encoder, labels, valency_cap));
  for (std::size_t t = 0; t < templates.templates().size(); ++t) {
    folds_.push_back(false);
    const auto values = [&](int a) { return few_values(templates.atoms()[a], encoder, labels, valency_cap); };
    // The word: the one node with an attribute of many values.
    int node = -1;
    bool one = true;
    for (const int a : templates.templates()[t].atoms) {
      const AtomPlan& atom = templates.atoms()[a];
      if (!is_large(a)) continue;
      one &= node < 0 || node == atom.node;
      node = atom.node;
    }
    if (node < 0 || !one) continue;
    Group group{node, {static_cast<int>(t)}, {}};
    for (const int a : templates.templates()[t].atoms) {
      const AtomPlan& atom = templates.atoms()[a];
      if (is_of_word(atom) && atom.node == node) continue;
      const std::optional<std::uint64_t> count = values(a);
      one &= count.has_value();
      const bool labels = atom.attribute == Attribute::labels_left || atom.attribute == Attribute::labels_right;
      group.digits.push_back({a, count.value_or(1), atom.is_function || !labels});
      group.size *= count.value_or(1);
      one &= group.size <= kMostCombinations;  // asked each time: the product of all may be too large for a number
    }
    if (!one) continue;
    const auto has_many = [&](int a) { return templates.atoms()[a].has_many_values(); };
    if (!std::ranges::all_of(group.digits, &Digit::complete) &&
        std::ranges::any_of(templates.templates()[t].atoms, has_many))
      continue;
    folds_[t] = true;
    std::ranges::sort(group.digits, {}, &Digit::atom);
    const auto same = std::ranges::find_if(groups_, [&](const Group& other) {
      return other.node == group.node && std::ranges::equal(other.digits, group.digits, {}, &Digit::atom, &Digit::atom);
    });
    if (same != groups_.end())
      same->templates.push_back(static_cast<int>(t));
    else
      groups_.push_back(std::move(group));
  }
  merge();
  std::ranges::stable_sort(groups_, {}, &Group::node);
  for (Group& group : groups_) {
    group.begin = size_;
    size_ += group.size;
  }
}

// Groups of a word become one where that has not too many combinations, and all are foreseen.
void WordFoldPlan::merge() {
  const auto complete = [](const Group& group) { return std::ranges::all_of(group.digits, &Digit::complete); };
  const auto both = [](const Group& a, const Group& b) {
    Group out{a.node, a.templates, a.digits};
    out.templates.insert(out.templates.end(), b.templates.begin(), b.templates.end());
    for (const Digit& digit : b.digits)
      if (std::ranges::find(out.digits, digit.atom, &Digit::atom) == out.digits.end()) out.digits.push_back(digit);
    for (const Digit& digit : out.digits) out.size *= digit.values;
    return out;
  };
  while (true) {
    std::size_t into = 0, from = 0, least = kMostMerged + 1;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (groups_[i].node != groups_[j].node || !complete(groups_[i]) || !complete(groups_[j])) continue;
        const std::size_t size = both(groups_[i], groups_[j]).size;
        // One that has all digits of the other has no more rows than before.
        const std::size_t weight = size == std::max(groups_[i].size, groups_[j].size) ? 0 : size;
        if (weight < least) into = i, from = j, least = weight;
      }
    if (into == from) return;
    groups_[into] = both(groups_[into], groups_[from]);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(from));
  }
}

FoldedWords::FoldedWords(const WordFoldPlan& plan, std::size_t bytes)
    : size_(std::max<std::size_t>(1, plan.size())),
      most_(std::clamp<std::size_t>(bytes / sizeof(Sum) / size_, 2, kMostWords)),
      numbers_(most_),
      lists_(kNoList + most_ * size_),
      met_(std::size_t{1} << 16) {
  std::fill_n(lists_.data(), kNoList + size_, FoldedRows::kZeros);
}

std::uint32_t FoldedWords::meet(Key key) {
  std::atomic<std::uint8_t>& met = met_[key >> 48];
  if (met.load(std::memory_order_relaxed) < kOften) {
    met.fetch_add(1, std::memory_order_relaxed);
    return kNoList;
  }
  if (used_.load(std::memory_order_relaxed) >= most_) return kNoList;
  const std::size_t number = used_.fetch_add(1, std::memory_order_relaxed);
  if (number >= most_) return kNoList;
  std::fill_n(&lists_[begin(number)], size_, FoldedRows::kNotKept);
  return numbers_.add(key, static_cast<std::uint32_t>(number)) ? begin(number) : kNoList;
}

}  // namespace dynarc
