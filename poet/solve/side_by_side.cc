// Runs independent work on several threads (docs/model/numbers.md §3.2).
#include "poet/solve/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace poet {

void run_side_by_side(std::int64_t count, int threads,
                      const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next = 0;
  const auto take_turns = [&] {
    for (std::int64_t n = next++; n < count; n = next++) work(n);
  };
  std::vector<std::jthread> others;
  const std::int64_t most = std::min<std::int64_t>(threads, count);
  try {
    for (std::int64_t n = 1; n < most; ++n) others.emplace_back(take_turns);
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do it all.
  }
  take_turns();
}

}  // namespace poet
