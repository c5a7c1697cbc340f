// Which vectors of the processor are used. Results do not depend on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynarc {

enum class Simd : std::int8_t { portable, avx2, avx512 };

// The best that the processor has, unless DYNARC_SIMD names another; ConfigError if it has none of that name.
Simd chosen_simd();

// By its name, or "auto" for the above. For tests: others may be parsing meanwhile, but none may have to use both.
void use_simd(std::string_view name);
std::string_view name_of(Simd simd);

namespace simd_detail {
inline std::atomic<std::int8_t> level{-1};  // not chosen yet
}
inline Simd simd() {
  const std::int8_t level = simd_detail::level.load(std::memory_order_relaxed);
  return level >= 0 ? static_cast<Simd>(level) : chosen_simd();
}

}  // namespace dynarc
