// What more RAM and time are said to save at most (marginal_values.h) against the oracle: on random
// instances with every feature that a problem can have, no optimum with more is below the bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/solve/marginal_values.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kMarginalRounding = 1e-6;  // relative
constexpr int kMarginalInstances = random_cases(1500);

void expect_not_below(const Problem& larger, double bound) {
  const std::optional<double> cheapest = cheapest_objective(larger);
  ASSERT_TRUE(cheapest);  // more never makes it impossible
  EXPECT_GE(*cheapest, bound - kMarginalRounding * std::max(1.0, std::abs(*cheapest)));
}

// Few of the deadlines that random_problem() draws bind.
Problem with_tight_deadline(Problem problem, std::uint64_t seed) {
  if (seed % 3 != 0)
    problem.deadline_s = unavoidable(problem).time_s + 0.125 * static_cast<double>(seed % 16);
  if (seed % 5 != 0) problem.objective = Objective::Energy;
  return problem;
}

TEST(MarginalValues, BoundEveryProblemWithMoreRamOrTime) {
  int count = 0, priced = 0, timed = 0;
  for (std::uint64_t seed = 12'000'000; count < kMarginalInstances; ++seed) {
    const Problem problem = with_tight_deadline(random_problem({}, seed), seed);
    const std::optional<Schedule> schedule = cheapest_schedule(problem);
    if (!schedule) continue;
    ++count;
    const ShownOnFailure shown(problem, seed);
    SolveOptions options;
    options.few_events = seed % 2 == 0 ? 250 : 0;
    if (seed % 4 == 1) options.large_stages = 0;
    options.first_depth = 1;
    const Result<MarginalValues> values = marginal_values(problem, *schedule, options, {});
    ASSERT_TRUE(values.ok());
    ASSERT_GE(values->per_byte, 0);
    ASSERT_GE(values->per_second, 0);
    if (values->per_byte > 0) ++priced;
    for (const std::int64_t more_bytes : {0, 1, 4, 1000}) {
      Problem larger = problem;
      larger.ram_budget_bytes += more_bytes;
      expect_not_below(larger, values->bound_with(more_bytes, 0));
    }
    if (problem.deadline_s) {
      if (values->per_second > 0) ++timed;
      for (const double more_s : {0.125, 1.0}) {
        Problem larger = problem;
        *larger.deadline_s += more_s;
        expect_not_below(larger, values->bound_with(0, more_s));
      }
    }
    if (HasFailure()) return;
  }
  // Enough of them put a price on something for this to mean anything.
  EXPECT_GT(priced, kMarginalInstances / 20);
  EXPECT_GT(timed, kMarginalInstances / 100);
}

}  // namespace
}  // namespace poet::testing
