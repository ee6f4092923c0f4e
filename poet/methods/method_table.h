#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "poet/solve/solver.h"

namespace poet {

// A published way to plan a training step, with where it is from. A method says `Unsupported` of
// problems that it cannot speak of. Its SolveReport has a schedule only where the method's own
// schedule keeps every limit; `over_limits` is what it would do otherwise.
struct MethodEntry {
  std::string_view name = {};
  std::string_view what = {};    // one line for help and tables
  std::string_view source = {};  // authors, year, venue
  std::unique_ptr<Solver> (*make)() = nullptr;
  bool begins_with_a_schedule = false;  // takes SolveOptions::start
  bool bounds_the_class = false;        // its lower_bound holds for every schedule of the class
  bool pages = true;                    // its schedules may
  bool recomputes = true;
  bool slow = false;  // takes minutes where the others take seconds: sweeps must name it
};

// In the order in which tables show them: the plainest first, POET last.
const std::vector<MethodEntry>& method_table();

// The one that proves: POET itself.
const MethodEntry& exact_method();

}  // namespace poet
