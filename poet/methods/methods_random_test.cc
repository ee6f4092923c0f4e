// Whatever a method answers is a schedule that keeps every limit, on problems with everything in
// them; and none is below what POET proves.

#include <gtest/gtest.h>

#include "poet/methods/method_table.h"
#include "poet/problem/facts.h"
#include "poet/solve/event_choice.h"
#include "poet/verify/random_step.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

constexpr std::uint64_t kSeeds = 60;

// With a backward half, and in turn each time mode, a budget on the way, and a technique missing.
Problem problem_of(std::uint64_t seed) {
  Problem problem = testing::random_step(seed).problem;
  for (std::size_t v = problem.operations.size() / 2; v < problem.operations.size(); ++v)
    problem.operations[v].backward = true;
  const std::int64_t least = largest_working_set(problem).bytes, most = plain_peak_bytes(problem);
  problem.ram_budget_bytes =
      seed % 6 == 5 ? 10 * most : least + static_cast<std::int64_t>(seed % 6) * (most - least) / 4;
  problem.time_mode = static_cast<TimeMode>(seed % 3);
  problem.paging_allowed = seed % 7 != 0;
  problem.rematerialisation_allowed = seed % 11 != 0;
  return problem;
}

class EveryMethod : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryMethod, AnswersWithValidSchedulesOrNotAtAll) {
  const MethodEntry& method = method_table()[GetParam()];
  int answered = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = problem_of(seed);
    const Result<SolveReport> solved = method.make()->solve(problem, {}, {}, {});
    if (!solved.ok()) {
      EXPECT_EQ(solved.error().code, ErrorCode::Unsupported) << solved.error().message;
      continue;
    }
    EXPECT_FALSE(solved->best && solved->over_limits);
    if (solved->over_limits) {
      EXPECT_FALSE(replay(problem, *solved->over_limits).valid());
    }
    if (!solved->best) continue;
    ++answered;
    const Replay replayed = replay(problem, *solved->best);
    EXPECT_TRUE(replayed.valid()) << (replayed.valid() ? "" : replayed.findings[0].message);
    const double objective = objective_of(problem, replayed);
    EXPECT_NEAR(solved->objective, objective, 1e-9 * objective);
  }
  // The released formulation cannot speak of most of what is in these problems.
  if (method.name != "poet-released") {
    EXPECT_GT(answered, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMethod,
                         ::testing::Range(std::size_t{0}, method_table().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& row) {
                           std::string name(method_table()[row.param].name);
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace poet
