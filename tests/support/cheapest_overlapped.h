#pragma once

#include <cstdint>
#include <optional>

#include "poet/problem/problem.h"

namespace poet::testing {

// The oracle for transfers beside the processor: exhaustive search over every schedule of the class
// with a clock of its own, for problems of up to about 5 operations without views, in-place marks
// and tensors that may be resident, whose times are multiples of 1/64 s. It shares no code with the
// solvers, the verifier or the other oracle.
struct OverlappedAnswer {
  bool complete = false;                // every schedule was looked at
  std::optional<double> cheapest = {};  // in J or s; none: no schedule of the class is valid
};

// Gives up, incomplete, at more states than `most_states`.
OverlappedAnswer cheapest_overlapped(const Problem& problem, std::int64_t most_states);

}  // namespace poet::testing
