// Work on many sentences by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dynarc {

// Calls `run` in so many threads. Of errors the first that happens is thrown, when all have ended.
template <class Run>
void in_threads(int threads, Run&& run) {
  std::exception_ptr error;
  std::mutex mutex;
  const auto guarded = [&] {
    try {
      run();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(guarded);
  guarded();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

// Calls work(i) for first..last-1, where each thread has a `work` of its own that `make_work()` gives it; `batch` of
// them, one after the other, are done by the same thread.
template <class MakeWork>
void in_parallel(std::size_t first, std::size_t last, int threads, MakeWork&& make_work, std::size_t batch = 16) {
  std::atomic<std::size_t> next{first};
  in_threads(threads, [&] {
    auto work = make_work();
    for (std::size_t from = next.fetch_add(batch); from < last; from = next.fetch_add(batch))
      for (std::size_t i = from; i < std::min(from + batch, last); ++i) work(i);
  });
}

}  // namespace dynarc
