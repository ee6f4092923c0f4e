#pragma once

#include <optional>
#include <string>

#include "poet/ask/method_run.h"
#include "poet/problem/problem.h"

namespace poet {

// What POET says of a problem, next to which a method's answer is held.
struct PoetSays {
  MethodRun run = {};
  std::optional<double> bound = {};  // on every schedule of the class, in the objective's unit
  double rounding_ratio = 0;         // of POET's objective: what is nearer is no difference
};

// Whether a schedule costs less than the bound. Of one in the class it is a bug: the bound is
// false.
bool is_below_the_bound(const Problem& problem, const MethodRun& run, const PoetSays& poet);

// One clause about a schedule that costs less than POET's, or than the bound, which only those
// outside the class can: a reader of the figures would stumble over it. Nothing about others.
std::optional<std::string> finding_of(const Problem& problem, const MethodRun& run,
                                      const PoetSays& poet);

}  // namespace poet
