#include "model/lane_plan.hpp"

#include <algorithm>

#include "base/simd.hpp"
#include "model/folding.hpp"

namespace dynarc {

void LanePlan::add_group(Key seed, std::span<const Term> terms) {
  for (const Term& term : terms) {
    const auto known = std::ranges::find(terms_, term.input, &Term::input);
    group_terms_.push_back(static_cast<std::size_t>(known - terms_.begin()));
    if (known == terms_.end()) terms_.push_back(term);
  }
  groups_.push_back({seed, group_terms_.size()});
}

void LanePlan::add_place(std::size_t list, std::uint64_t begin, std::span<const Digit> digits, bool limited) {
  digits_.insert(digits_.end(), digits.begin(), digits.end());
  places_.push_back({list, digits_.size(), begin, limited});
}

void LanePlan::add_feature(Key seed, std::span<const int> inputs) {
  for (const int input : inputs) feature_inputs_.push_back(static_cast<std::size_t>(input));
  features_.push_back({seed, feature_inputs_.size()});
}

// Vectors of the compiler's own: it makes of them what the processor has.
struct LaneRun {
  using Lanes = LanePlan::Lanes;
  using Vector = std::uint64_t __attribute__((vector_size(sizeof(Lanes))));

  [[gnu::always_inline]] static inline const Vector& at(const Lanes& lanes) {
    return reinterpret_cast<const Vector&>(lanes);
  }
  [[gnu::always_inline]] static inline Vector& at(Lanes& lanes) { return reinterpret_cast<Vector&>(lanes); }

  [[gnu::always_inline]] static inline void all(const LanePlan& plan, const Lanes* in, LanePlan::Results& out,
                                                Lanes* weighed) {
    for (std::size_t t = 0; t < plan.terms_.size(); ++t)
      at(weighed[t]) = at(in[plan.terms_[t].input]) * plan.terms_[t].multiplier;
    const std::size_t* term = plan.group_terms_.data();
    Lanes* result = out.groups.data();
    for (const LanePlan::Group& group : plan.groups_) {
      Vector sum = Vector{} + group.seed;
      for (const std::size_t* const end = plan.group_terms_.data() + group.terms_end; term != end; ++term)
        sum += at(weighed[*term]);
      sum = (sum ^ sum >> 32) * FoldPlan::kSpread;
      at(*result++) = (sum ^ sum >> 32) * FoldPlan::kSpread;
    }
    const LanePlan::Digit* digit = plan.digits_.data();
    result = out.places.data();
    for (const LanePlan::Place& place : plan.places_) {
      Vector sum = at(in[place.list]) + place.begin;
      const LanePlan::Digit* const end = plan.digits_.data() + place.digits_end;
      if (!place.limited) {
        for (; digit != end; ++digit) sum += at(in[digit->input]) * digit->unit;
      } else {
        Vector within = ~Vector{};
        for (; digit != end; ++digit) {
          const Vector value = at(in[digit->input]);
          sum += value * digit->unit;
          within &= reinterpret_cast<Vector>(value < digit->limit);
        }
        sum &= within;
      }
      at(*result++) = sum;
    }
    const std::size_t* input = plan.feature_inputs_.data();
    result = out.features.data();
    for (const LanePlan::Feature& feature : plan.features_) {
      Vector key = Vector{} + feature.seed;
      for (const std::size_t* const end = plan.feature_inputs_.data() + feature.inputs_end; input != end; ++input) {
        key = (key ^ at(in[*input])) * Extractor::kMix;
        key ^= key >> 32;
      }
      at(*result++) = key;
    }
  }

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void wide(const LanePlan& plan, const Lanes* in,
                                                                                 LanePlan::Results& out,
                                                                                 Lanes* weighed) {
    all(plan, in, out, weighed);
  }
  __attribute__((target("avx2"))) static void narrow(const LanePlan& plan, const Lanes* in, LanePlan::Results& out,
                                                     Lanes* weighed) {
    all(plan, in, out, weighed);
  }
#else
  static void wide(const LanePlan& plan, const Lanes* in, LanePlan::Results& out, Lanes* weighed) {
    all(plan, in, out, weighed);
  }
  static void narrow(const LanePlan& plan, const Lanes* in, LanePlan::Results& out, Lanes* weighed) {
    all(plan, in, out, weighed);
  }
#endif
};

void LanePlan::run(const std::vector<Lanes>& inputs, Results& out) const {
  out.groups.resize(groups_.size());
  out.places.resize(places_.size());
  out.features.resize(features_.size());
  out.weighed.resize(terms_.size());
  switch (simd()) {
    case Simd::avx512: return LaneRun::wide(*this, inputs.data(), out, out.weighed.data());
    case Simd::avx2: return LaneRun::narrow(*this, inputs.data(), out, out.weighed.data());
    case Simd::portable: return LaneRun::all(*this, inputs.data(), out, out.weighed.data());
  }
}

}  // namespace dynarc
