#pragma once

#include <cstdint>
#include <functional>

namespace poet {

// work(0) ... work(count - 1), each once, on up to `threads` threads, this one among them; returns
// when all have ended. In which order and on which thread is left open: what `work` does for one
// number may not depend on another, and may not throw.
void run_side_by_side(std::int64_t count, int threads,
                      const std::function<void(std::int64_t)>& work);

}  // namespace poet
