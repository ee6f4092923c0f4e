#pragma once

#include <functional>
#include <random>

#include "instance_block.h"
#include "poet/problem/problem.h"

namespace poet::testing {

// Calls `check` with the first `count` instances of a block that have a schedule, their objective
// by the oracle, and a generator that is the same in every run; until an instance fails, as one is
// enough to read.
using InstanceCheck =
    std::function<void(const Problem& problem, double cheapest, std::mt19937_64& random)>;
void for_each_solved(const InstanceBlock& block, int count, const InstanceCheck& check);

// From 0 to 1: 53 bits of the engine, since the standard's distributions differ between libraries.
double unit_draw(std::mt19937_64& random);

}  // namespace poet::testing
