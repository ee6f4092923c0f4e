#pragma once

#include <cstdint>
#include <optional>

#include "poet/problem/problem.h"

namespace poet::testing {

// What a random problem may contain; everything that docs/model/problem.md §1 knows, unless it is
// switched off. Operations without inputs, outputs that nobody reads, and free operations are
// always possible.
struct RandomProblemOptions {
  int least_operations = 3;
  int most_operations = 7;  // 8 is the most that the oracle is for
  bool several_outputs = true;
  bool views = true;
  bool storage_homes = true;
  bool rom_homes = true;
  bool resident_homes = true;
  bool choosable_residents = true;  // homes in storage that may be kept in RAM
  bool updates = true;
  bool once = true;
  bool in_place = true;
  bool workspace = true;
  bool written_bytes = true;  // by operations that are executed once
  bool zero_sizes = true;
  bool idle_power = true;
  bool deadlines = true;
  bool storage_limits = true;  // capacity and write budget
  bool time_objective = true;
  // Drawn where not given.
  std::optional<bool> paging;
  std::optional<bool> rematerialisation;
  std::optional<TimeMode> time_mode;  // Free or Blocking when drawn
};

// What the released formulation can say (docs/model/released.md §1.3): made tensors, one output
// each, free time.
RandomProblemOptions simple_family();

// A well-formed problem, the same on every machine for the same options and seed. Costs and times
// are multiples of 1/8, so that sums of them are exact and a deadline can be met to the bit. The
// RAM budget lies between slightly below the largest working set and the plain peak; budgets and
// deadlines may be impossible to meet.
Problem random_problem(const RandomProblemOptions& options, std::uint64_t seed);

}  // namespace poet::testing
