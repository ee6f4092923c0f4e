// The published methods against the oracle, on random instances with every feature that a problem
// can have: the exact ones with one technique find what is best with it, and no method finds a
// schedule of the class below the cheapest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "poet/methods/method_table.h"
#include "poet/methods/restricted.h"
#include "poet/problem/problem.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

constexpr double kMethodRounding = 1e-9;  // relative
constexpr int kMethodInstances = random_cases(200);

SolveOptions exactly() {
  SolveOptions options;
  options.gap_ratio = options.total_gap_ratio = 0;
  return options;
}

RandomProblemOptions with_both() {
  RandomProblemOptions options;
  options.paging = options.rematerialisation = true;
  return options;
}

RandomProblemOptions for_energy() {
  RandomProblemOptions options = with_both();
  options.time_objective = false;
  return options;
}

double margin(double value) {
  return 1e-7 * std::max(1.0, std::abs(value));
}

// What the method makes of `problem` is what the oracle makes of `asked`, by the figure `of`.
void expect_best(const Solver& method, const Problem& problem, const Problem& asked,
                 double Replay::*of) {
  const std::optional<double> cheapest = cheapest_objective(asked);
  const Result<SolveReport> solved = method.solve(problem, exactly(), {}, {});
  ASSERT_TRUE(solved.ok());
  ASSERT_EQ(cheapest.has_value(), solved->status != SolveStatus::Infeasible);
  if (!cheapest) return;
  // Checkmate may miss a deadline that it does not know of.
  const std::optional<Schedule>& schedule = solved->best ? solved->best : solved->over_limits;
  ASSERT_TRUE(schedule.has_value());
  EXPECT_NEAR(replay(problem, *schedule).*of, *cheapest, margin(*cheapest));
  EXPECT_TRUE(solved->best_of_its_kind);
}

TEST(Restricted, CheckmateFindsTheLeastTimeThatRecomputingCan) {
  for (std::uint64_t seed = 1; seed <= kMethodInstances; ++seed) {
    const Problem problem = random_problem(with_both(), seed);
    const ShownOnFailure shown(problem, seed);
    Problem asked = problem;
    asked.paging_allowed = false;
    asked.objective = Objective::Time;
    asked.deadline_s.reset();
    expect_best(*make_checkmate(), problem, asked, &Replay::time_s);
  }
}

TEST(Restricted, PagingAloneFindsTheLeastEnergyWithoutRecomputing) {
  for (std::uint64_t seed = 1; seed <= kMethodInstances; ++seed) {
    const Problem problem = random_problem(for_energy(), seed);
    const ShownOnFailure shown(problem, seed);
    Problem asked = problem;
    asked.rematerialisation_allowed = false;
    expect_best(*make_paging_alone(), problem, asked, &Replay::energy_j);
  }
}

TEST(Restricted, RematerialisationAloneFindsTheLeastEnergyWithoutPaging) {
  for (std::uint64_t seed = 1; seed <= kMethodInstances; ++seed) {
    const Problem problem = random_problem(for_energy(), seed);
    const ShownOnFailure shown(problem, seed);
    Problem asked = problem;
    asked.paging_allowed = false;
    expect_best(*make_rematerialisation_alone(), problem, asked, &Replay::energy_j);
  }
}

TEST(EveryMethod, IsNotBelowTheCheapestOfTheClass) {
  int judged = 0;
  for (std::uint64_t seed = 1; seed <= kMethodInstances; ++seed) {
    Problem problem = random_problem({}, seed);
    for (std::size_t v = problem.operations.size() / 2; v < problem.operations.size(); ++v)
      problem.operations[v].backward = true;
    const std::optional<double> cheapest = cheapest_objective(problem);
    for (const MethodEntry& method : method_table()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(method.name));
      const Result<SolveReport> solved = method.make()->solve(problem, exactly(), {}, {});
      if (!solved.ok() || !solved->best) continue;
      if (!from_schedule(problem, make_step(problem), *solved->best)) continue;  // not of the class
      ++judged;
      ASSERT_TRUE(cheapest.has_value());
      EXPECT_GE(solved->objective,
                *cheapest - kMethodRounding * std::max(1.0, std::abs(*cheapest)));
    }
  }
  EXPECT_GT(judged, 10 * kMethodInstances / 4);
}

}  // namespace
}  // namespace poet::testing
