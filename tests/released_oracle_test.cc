#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "poet/solve/released_solver.h"
#include "poet/verify/replay.h"
#include "tests/support/cheapest.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_problem.h"
#include "tests/support/released_oracle.h"

namespace poet {
namespace {

SolveReport solve_released(const Problem& problem) {
  SolveOptions options;
  options.gap_ratio = 0;
  Result<SolveReport> report = make_released_solver()->solve(problem, options, {}, {});
  EXPECT_TRUE(report.ok()) << report.error().message;
  return std::move(report).value();
}

testing::RandomProblemOptions family(int least, int most) {
  testing::RandomProblemOptions options = testing::simple_family();
  options.least_operations = least;
  options.most_operations = most;
  return options;
}

TEST(ReleasedOracle, AgreesWithTryingEveryMatrix) {
  int solvable = 0;
  for (std::uint64_t seed = 0; seed < testing::random_cases(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = testing::random_problem(family(2, 4), seed);
    const std::optional<double> least = testing::least_released_energy_j(problem);
    const SolveReport report = solve_released(problem);
    EXPECT_EQ(report.status, least ? SolveStatus::Optimal : SolveStatus::Infeasible);
    if (!least) continue;
    ++solvable;
    // The schedule leaves out what the matrices do in vain, which an optimum does only for nothing.
    EXPECT_NEAR(report.objective, *least, 1e-7);
    EXPECT_LE(report.lower_bound, *least + 1e-7);
  }
  EXPECT_GT(solvable, testing::random_cases(200) * 3 / 10);
}

TEST(ReleasedOracle, IsNeverBelowTheBestScheduleAndAlwaysValid) {
  // The first that is worse comes late: sanitizers look at half.
  constexpr std::uint64_t kSeeds = testing::kUnderSanitizers ? 200 : 400;
  int worse = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Problem problem = testing::random_problem(family(3, 7), seed);
    const SolveReport report = solve_released(problem);
    const std::optional<double> cheapest = testing::cheapest_objective(problem);
    if (report.status == SolveStatus::Infeasible) continue;
    ASSERT_EQ(report.status, SolveStatus::Optimal);
    ASSERT_TRUE(cheapest);
    EXPECT_GE(report.objective, *cheapest - 1e-7);
    worse += report.objective > *cheapest + 1e-7;
    const Replay replayed = replay(problem, *report.best);
    EXPECT_TRUE(replayed.valid()) << replayed.findings.front().message;
    EXPECT_NEAR(replayed.energy_j, report.objective, 1e-9);
  }
  EXPECT_GT(worse, 0);
}

}  // namespace
}  // namespace poet
