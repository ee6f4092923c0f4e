#pragma once

#include <cstdint>

#include "poet/problem/problem.h"

namespace poet::testing {

// A random problem as devices and networks have them, and worse: every feature of random_problem()
// in any combination, with
//  - sizes from 1 byte to 2^40 beside each other, or alike but for a few bytes;
//  - decimal times and costs, whose sums depend on the order in which they are added, costs of
//    1 to 10^12 beside each other, and many zeros;
//  - limits that a schedule meets with equality: RAM, storage and writes to the byte, the deadline
//    as the sum of its times in some order; or one byte less.
// Small enough for the oracle, and the same on every machine for the same seed.
Problem rich_problem(std::uint64_t seed);

}  // namespace poet::testing
