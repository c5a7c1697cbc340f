#include "model/rows.hpp"

#include <limits>
#include <utility>

#include "base/simd.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define DYNARC_AVX2 1
#endif

namespace dynarc {

namespace {

template <class Weight, class Score>
void add_rows_portable(const Weight* table, std::size_t stride, std::span<const std::uint32_t> rows, std::size_t length,
                       Score* scores) {
  for (std::size_t at = 0; at < length; at += kRowUnit) {
    Score sums[kRowUnit];
    for (std::size_t i = 0; i < kRowUnit; ++i) sums[i] = scores[at + i];
    for (const std::uint32_t row : rows) {
      const Weight* const weights = table + row * stride + at;
      for (std::size_t i = 0; i < kRowUnit; ++i) sums[i] += weights[i];
    }
    for (std::size_t i = 0; i < kRowUnit; ++i) scores[at + i] = sums[i];
  }
}

void add_dual_rows_portable(std::span<const float* const> rows, std::size_t length, const DualRule& rule,
                            float* scores) {
  for (const float* const row : rows)
    for (std::size_t c = 0; c < length; ++c) scores[c] += dual_weight(rule, row[c], row[length + c]);
}

template <class Score>
int first_greatest_portable(const Score* scores, int first, int last) {
  int best = first;
  for (int c = first + 1; c < last; ++c)
    if (scores[c] > scores[best]) best = c;
  return best;
}

#if defined(DYNARC_AVX2)

#define DYNARC_VECTORS __attribute__((target("avx2")))

// The sums of 8 * kVectors classes stay in registers while all rows go by.
template <int kVectors>
DYNARC_VECTORS void add_part(const std::int16_t* table, std::size_t stride, std::span<const std::uint32_t> rows,
                             std::int32_t* scores) {
  __m256i sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scores + 8 * v));
  for (const std::uint32_t row : rows) {
    const std::int16_t* const weights = table + row * stride;
    for (int v = 0; v < kVectors; ++v) {
      const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + 8 * v));
      sums[v] = _mm256_add_epi32(sums[v], _mm256_cvtepi16_epi32(eight));
    }
  }
  for (int v = 0; v < kVectors; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(scores + 8 * v), sums[v]);
}

template <int kVectors>
DYNARC_VECTORS void add_part(const float* table, std::size_t stride, std::span<const std::uint32_t> rows,
                             float* scores) {
  __m256 sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = _mm256_loadu_ps(scores + 8 * v);
  for (const std::uint32_t row : rows) {
    const float* const weights = table + row * stride;
    for (int v = 0; v < kVectors; ++v) sums[v] = _mm256_add_ps(sums[v], _mm256_loadu_ps(weights + 8 * v));
  }
  for (int v = 0; v < kVectors; ++v) _mm256_storeu_ps(scores + 8 * v, sums[v]);
}

template <class Weight, class Score>
DYNARC_VECTORS void add_rows_by_vectors(const Weight* table, std::size_t stride, std::span<const std::uint32_t> rows,
                                        std::size_t length, Score* scores) {
  constexpr int kVectors = static_cast<int>(kRowUnit) / 8;
  std::size_t at = 0;
  for (; at + 2 * kRowUnit <= length; at += 2 * kRowUnit) add_part<2 * kVectors>(table + at, stride, rows, scores + at);
  if (at < length) add_part<kVectors>(table + at, stride, rows, scores + at);
}

DYNARC_VECTORS void add_dual_rows_by_vectors(std::span<const float* const> rows, std::size_t length,
                                             const DualRule& rule, float* scores) {
  const __m256 alpha = _mm256_set1_ps(rule.alpha), rho = _mm256_set1_ps(rule.rho),
               threshold = _mm256_set1_ps(rule.threshold), sign = _mm256_set1_ps(-0.0F), none = _mm256_setzero_ps();
  // Row by row: a row is a stream that the processor sees coming.
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const float* const row = rows[r];
    if (r + 1 < rows.size())
      for (std::size_t c = 0; c < length; c += 16) __builtin_prefetch(rows[r + 1] + c);
    for (std::size_t c = 0; c < length; c += 8) {
      const __m256 sum = _mm256_loadu_ps(row + c);
      const __m256 over = _mm256_max_ps(_mm256_sub_ps(_mm256_andnot_ps(sign, sum), threshold), none);
      if (_mm256_movemask_ps(_mm256_cmp_ps(over, none, _CMP_GT_OQ)) == 0) continue;
      const __m256 squares = _mm256_loadu_ps(row + length + c);
      const __m256 size = _mm256_div_ps(_mm256_mul_ps(alpha, over), _mm256_sqrt_ps(_mm256_add_ps(squares, rho)));
      const __m256 weight = _mm256_or_ps(size, _mm256_and_ps(sign, sum));
      _mm256_storeu_ps(scores + c, _mm256_add_ps(_mm256_loadu_ps(scores + c), weight));
    }
  }
}

DYNARC_VECTORS int first_greatest_by_vectors(const std::int32_t* scores, int first, int last) {
  if (last - first < 8) return first_greatest_portable(scores, first, last);
  const auto eight = [&](int c)
                         DYNARC_VECTORS { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scores + c)); };
  __m256i most = eight(last - 8);
  for (int c = first; c + 8 < last; c += 8) most = _mm256_max_epi32(most, eight(c));
  most = _mm256_max_epi32(most, _mm256_permute2x128_si256(most, most, 1));
  most = _mm256_max_epi32(most, _mm256_shuffle_epi32(most, 0x4E));
  most = _mm256_max_epi32(most, _mm256_shuffle_epi32(most, 0xB1));
  for (int c = first;; c = c + 16 <= last ? c + 8 : last - 8) {
    const int found = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(eight(c), most)));
    if (found != 0) return c + __builtin_ctz(static_cast<unsigned>(found));
  }
}

DYNARC_VECTORS int first_greatest_by_vectors(const float* scores, int first, int last) {
  if (last - first < 8) return first_greatest_portable(scores, first, last);
  __m256 most = _mm256_loadu_ps(scores + last - 8);
  for (int c = first; c + 8 < last; c += 8) most = _mm256_max_ps(most, _mm256_loadu_ps(scores + c));
  most = _mm256_max_ps(most, _mm256_permute2f128_ps(most, most, 1));
  most = _mm256_max_ps(most, _mm256_permute_ps(most, 0x4E));
  most = _mm256_max_ps(most, _mm256_permute_ps(most, 0xB1));
  for (int c = first;; c = c + 16 <= last ? c + 8 : last - 8) {
    const int found = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + c), most, _CMP_EQ_OQ));
    if (found != 0) return c + __builtin_ctz(static_cast<unsigned>(found));
  }
}

#define DYNARC_WIDE_VECTORS __attribute__((target("avx512f,avx512bw")))

// The same, 16 * kVectors classes at a time.
template <int kVectors>
DYNARC_WIDE_VECTORS void add_wide_part(const std::int16_t* table, std::size_t stride,
                                       std::span<const std::uint32_t> rows, std::int32_t* scores) {
  __m512i sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = _mm512_loadu_si512(scores + 16 * v);
  for (const std::uint32_t row : rows) {
    const std::int16_t* const weights = table + row * stride;
    for (int v = 0; v < kVectors; ++v) {
      const __m256i sixteen = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 16 * v));
      sums[v] = _mm512_add_epi32(sums[v], _mm512_maskz_cvtepi16_epi32(0xFFFF, sixteen));
    }
  }
  for (int v = 0; v < kVectors; ++v) _mm512_storeu_si512(scores + 16 * v, sums[v]);
}

template <int kVectors>
DYNARC_WIDE_VECTORS void add_wide_part(const float* table, std::size_t stride, std::span<const std::uint32_t> rows,
                                       float* scores) {
  __m512 sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = _mm512_loadu_ps(scores + 16 * v);
  for (const std::uint32_t row : rows) {
    const float* const weights = table + row * stride;
    for (int v = 0; v < kVectors; ++v) sums[v] = _mm512_add_ps(sums[v], _mm512_loadu_ps(weights + 16 * v));
  }
  for (int v = 0; v < kVectors; ++v) _mm512_storeu_ps(scores + 16 * v, sums[v]);
}

template <class Weight, class Score>
DYNARC_WIDE_VECTORS void add_rows_by_wide_vectors(const Weight* table, std::size_t stride,
                                                  std::span<const std::uint32_t> rows, std::size_t length,
                                                  Score* scores) {
  constexpr int kVectors = static_cast<int>(kRowUnit) / 16;
  std::size_t at = 0;
  for (; at + 4 * kRowUnit <= length; at += 4 * kRowUnit)
    add_wide_part<4 * kVectors>(table + at, stride, rows, scores + at);
  for (; at + 2 * kRowUnit <= length; at += 2 * kRowUnit)
    add_wide_part<2 * kVectors>(table + at, stride, rows, scores + at);
  if (at < length) add_wide_part<kVectors>(table + at, stride, rows, scores + at);
}

DYNARC_WIDE_VECTORS int first_greatest_of_by_wide_vectors(const std::int32_t* scores, ClassSet set) {
  const __m512i least = _mm512_set1_epi32(std::numeric_limits<std::int32_t>::min());
  const auto part = [&](int v) DYNARC_WIDE_VECTORS {
    return static_cast<__mmask16>((v < 4 ? set.low >> 16 * v : set.high >> 16 * (v - 4)) & 0xFFFF);
  };
  __m512i most = least;
  const int vectors = set.high != 0 ? 8 : 4;
  for (int v = 0; v < vectors; ++v)
    if (const __mmask16 mask = part(v); mask != 0)
      most = _mm512_max_epi32(most, _mm512_mask_loadu_epi32(least, mask, scores + 16 * v));
  const __m512i all = _mm512_set1_epi32(_mm512_reduce_max_epi32(most));
  for (int v = 0;; ++v) {
    const __mmask16 mask = part(v);
    if (mask == 0) continue;
    const __mmask16 found = _mm512_mask_cmpeq_epi32_mask(mask, _mm512_maskz_loadu_epi32(mask, scores + 16 * v), all);
    if (found != 0) return 16 * v + __builtin_ctz(found);
  }
}

#else

int first_greatest_of_by_wide_vectors(const std::int32_t*, ClassSet) { return 0; }
template <class Weight, class Score>
void add_rows_by_wide_vectors(const Weight* table, std::size_t stride, std::span<const std::uint32_t> rows,
                              std::size_t length, Score* scores) {
  add_rows_portable(table, stride, rows, length, scores);
}
template <class Weight, class Score>
void add_rows_by_vectors(const Weight* table, std::size_t stride, std::span<const std::uint32_t> rows,
                         std::size_t length, Score* scores) {
  add_rows_portable(table, stride, rows, length, scores);
}
void add_dual_rows_by_vectors(std::span<const float* const> rows, std::size_t length, const DualRule& rule,
                              float* scores) {
  add_dual_rows_portable(rows, length, rule, scores);
}
template <class Score>
int first_greatest_by_vectors(const Score* scores, int first, int last) {
  return first_greatest_portable(scores, first, last);
}

#endif

template <class Weight, class Score>
void add_any_rows(const Weight* table, std::size_t stride, std::span<const std::uint32_t> rows, std::size_t length,
                  Score* scores) {
  switch (simd()) {
    case Simd::avx512: return add_rows_by_wide_vectors(table, stride, rows, length, scores);
    case Simd::avx2: return add_rows_by_vectors(table, stride, rows, length, scores);
    case Simd::portable: return add_rows_portable(table, stride, rows, length, scores);
  }
}

}  // namespace

void add_rows(const std::int16_t* table, std::span<const std::uint32_t> rows, std::size_t length,
              std::int32_t* scores) {
  add_any_rows(table, length, rows, length, scores);
}
void add_rows_at(const char* table, std::size_t unit, std::span<const std::uint32_t> rows, std::size_t length,
                 std::int32_t* scores) {
  add_any_rows(reinterpret_cast<const std::int16_t*>(table), unit / sizeof(std::int16_t), rows, length, scores);
}
void add_rows(const float* table, std::span<const std::uint32_t> rows, std::size_t length, float* scores) {
  add_any_rows(table, length, rows, length, scores);
}
void add_dual_rows(std::span<const float* const> rows, std::size_t length, const DualRule& rule, float* scores) {
  if (simd() != Simd::portable)
    add_dual_rows_by_vectors(rows, length, rule, scores);
  else
    add_dual_rows_portable(rows, length, rule, scores);
}

int first_greatest(const std::int32_t* scores, int first, int last) {
  return simd() != Simd::portable ? first_greatest_by_vectors(scores, first, last)
                                  : first_greatest_portable(scores, first, last);
}
int first_greatest(const float* scores, int first, int last) {
  return simd() != Simd::portable ? first_greatest_by_vectors(scores, first, last)
                                  : first_greatest_portable(scores, first, last);
}

int first_greatest_of(const std::int32_t* scores, ClassSet set) {
  if (simd() == Simd::avx512) return first_greatest_of_by_wide_vectors(scores, set);
  int best = -1;
  for (const auto& [bits, from] : {std::pair{set.low, 0}, std::pair{set.high, 64}})
    for (std::uint64_t left = bits; left != 0; left &= left - 1)
      if (const int c = from + __builtin_ctzll(left); best < 0 || scores[c] > scores[best]) best = c;
  return best;
}

}  // namespace dynarc
