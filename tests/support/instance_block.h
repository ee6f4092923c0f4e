#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "random_problem.h"

namespace poet::testing {

// Random instances under one setting of the switches that a problem has: what a schedule may do,
// and the time mode.
struct InstanceBlock {
  bool paging = true;
  bool rematerialisation = true;
  TimeMode mode = TimeMode::Free;
  std::uint64_t first_seed = 0;
};

// Every setting, in Free and Blocking; each block's seeds begin `seeds_apart` after the last one's.
std::vector<InstanceBlock> every_block(std::uint64_t seeds_before, std::uint64_t seeds_apart);

RandomProblemOptions options_of(const InstanceBlock& block);

// "paging, no rematerialisation, free", and as a part of a test's name: "PagingNoRematFree".
void PrintTo(const InstanceBlock& block, std::ostream* out);
std::string name_of(const InstanceBlock& block);

}  // namespace poet::testing
