#pragma once

namespace poet {

// Says where and what, and aborts: reaching it is a bug in POET, never bad input.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace poet

#define POET_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::poet::check_failed(#condition, __FILE__, __LINE__))
