#pragma once

#include <cstdint>

#include "poet/problem/problem.h"

namespace poet::testing {

// Shows a random instance and its seed when an expectation fails while this lives. A SCOPED_TRACE
// would make the text of every instance: under the sanitizers that takes longer than the oracle.
class ShownOnFailure {
 public:
  ShownOnFailure(const Problem& problem, std::uint64_t seed);
  ShownOnFailure(const ShownOnFailure&) = delete;
  ShownOnFailure& operator=(const ShownOnFailure&) = delete;
  ~ShownOnFailure();

 private:
  const Problem& problem_;
  std::uint64_t seed_;
  int failures_before_;
};

}  // namespace poet::testing
