// Fuzzing without libFuzzer, for compilers that only count: replays files and folders, then changes them at random for
// some seconds and keeps what leads to places where no other input has been.
//
//   TARGET [-max_total_time=N] [-seed=N] [-artifact_prefix=TEXT] FILE_OR_FOLDER...
//
// Other options of libFuzzer are passed over.
#include <sanitizer/common_interface_defs.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/rng.hpp"
#include "input.hpp"

namespace {

constexpr std::size_t kPlaces = std::size_t{1} << 18;
constexpr std::size_t kLongest = std::size_t{1} << 14;
constexpr int kSlowest = 60;  // seconds that one input may take
std::array<std::uint8_t, kPlaces> places;
bool found_new;
std::uintptr_t before;
std::string running, crash = "crash";

using Clock = std::chrono::steady_clock;

void run(const std::string& input) {
  running = input;
  before = 0;
  const auto start = Clock::now();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  dynarc::fuzz::must(Clock::now() - start < std::chrono::seconds(kSlowest), "an input takes seconds");
}

void keep_what_runs() { std::ofstream(crash, std::ios::binary) << running; }

std::string changed(const std::vector<std::string>& inputs, dynarc::Rng& rng) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(rng.next() % n); };
  std::string input = inputs[below(inputs.size())];
  for (std::size_t left = 1 + below(4); left > 0; --left) {
    const std::size_t at = below(input.size() + 1);
    const std::string& other = inputs[below(inputs.size())];
    const std::size_t from = below(other.size() + 1), length = below(33);
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] ^= static_cast<char>(1u << below(8));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(rng.next());
        break;
      case 2: input.erase(at, length); break;
      case 3: input.insert(at, other, from, length); break;
      case 4: input.replace(at, length, other, from, length); break;
      case 5: input.insert(at, 1 + length, at < input.size() ? input[at] : '\0'); break;
      default: {
        constexpr std::string_view kWords[] = {"\t", "\n", "\n\n",     "-",    ".1", "0",
                                               "_",  "#",  "\xFF\xFF", "\x7F", "+",  "."};
        input.insert(at, kWords[below(std::size(kWords))]);
      }
    }
  }
  input.resize(std::min(input.size(), kLongest));
  return input;
}

}  // namespace

// Called by what the compiler puts at the start of every block.
extern "C" void __sanitizer_cov_trace_pc() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::uint8_t& place = places[(here ^ before * 31) % kPlaces];
  found_new |= place == 0;
  place = 1;
  before = here;
}

int main(int argc, char** argv) {
  std::vector<std::string> inputs(1);
  long seconds = 0;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value = [&](std::string_view option) {
      return argument.starts_with(option) ? argv[i] + option.size() : nullptr;
    };
    if (const char* number = value("-max_total_time=")) seconds = std::atol(number);
    if (const char* number = value("-seed=")) seed = std::strtoull(number, nullptr, 10);
    if (const char* prefix = value("-artifact_prefix=")) crash = std::string(prefix) + "crash";
    if (argument.starts_with('-')) continue;
    std::vector<std::filesystem::path> files{argument};
    if (std::filesystem::is_directory(argument)) {
      files.clear();
      for (const auto& entry : std::filesystem::directory_iterator(argument)) files.push_back(entry.path());
      std::sort(files.begin(), files.end());
    }
    for (const auto& path : files) {
      std::ifstream file(path, std::ios::binary);
      inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  __sanitizer_set_death_callback(keep_what_runs);
  std::signal(SIGABRT, [](int) { keep_what_runs(); });
  for (const std::string& input : inputs) run(input);
  dynarc::Rng rng(seed);
  std::size_t runs = 0;
  for (const auto end = Clock::now() + std::chrono::seconds(seconds); Clock::now() < end; ++runs) {
    const std::string input = changed(inputs, rng);
    found_new = false;
    run(input);
    if (found_new) inputs.push_back(input);
  }
  std::printf("Done %zu runs\n", runs);
  return 0;
}
