#include "base/simd.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/error.hpp"

namespace dynarc {

namespace {

constexpr std::string_view kNames[] = {"portable", "avx2", "avx512"};

Simd best() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2"))
    return Simd::avx512;
  if (__builtin_cpu_supports("avx2")) return Simd::avx2;
#endif
  return Simd::portable;
}

}  // namespace

std::string_view name_of(Simd simd) { return kNames[static_cast<std::size_t>(simd)]; }

void use_simd(std::string_view name) {
  Simd found = best();
  if (name != "auto" && !name.empty()) {
    std::string there = "auto";
    for (int i = 0; i <= static_cast<int>(best()); ++i) there.append(", ").append(kNames[i]);
    const auto known = std::ranges::find(kNames, name);
    if (known == std::end(kNames) || known - kNames > static_cast<int>(best()))
      throw ConfigError("this processor has no vectors '" + std::string(name) + "' (DYNARC_SIMD may be: " + there +
                        ")");
    found = static_cast<Simd>(known - kNames);
  }
  simd_detail::level.store(static_cast<std::int8_t>(found), std::memory_order_relaxed);
}

Simd chosen_simd() {
  const char* const wanted = std::getenv("DYNARC_SIMD");
  use_simd(wanted == nullptr ? "auto" : wanted);
  return simd();
}

}  // namespace dynarc
