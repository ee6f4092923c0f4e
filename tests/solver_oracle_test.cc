// Every exact solver against the oracle, on random instances with every feature that a problem can
// have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/problem_json.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_problem.h"

namespace poet::testing {
namespace {

constexpr double kRounding = 1e-7;  // relative; instances' figures are multiples of 1/8 or coarser
constexpr std::uint64_t kSeedsOfBlock = 250;

std::unique_ptr<Solver> solver_named(std::string_view name) {
  for (const SolverEntry& entry : solver_table())
    if (entry.name == name) return entry.make();
  return nullptr;
}

double tolerance(double value) {
  return kRounding * std::max(1.0, value);
}

double objective_of(const Problem& problem, const Replay& replay) {
  return problem.objective == Objective::Time ? replay.time_s : replay.energy_j;
}

void expect_optimal(const Problem& problem, const SolveReport& report, double cheapest) {
  ASSERT_EQ(report.status, SolveStatus::Optimal);
  ASSERT_TRUE(report.best);
  EXPECT_NEAR(report.objective, cheapest, tolerance(cheapest));
  EXPECT_LE(report.lower_bound, cheapest + tolerance(cheapest));
  const Replay replayed = replay(problem, *report.best);
  ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
  EXPECT_NEAR(objective_of(problem, replayed), cheapest, tolerance(cheapest));
}

// The figures that an infeasible answer may give: what is called proved, and what is called found.
void expect_true_budgets(const Problem& problem, const Infeasibility& answer) {
  if (!answer.least_budget_bytes && !answer.working_budget_bytes) return;
  const std::optional<std::int64_t> least = least_ram_budget(problem);
  if (answer.least_budget_bytes && least) {
    EXPECT_LE(*answer.least_budget_bytes, *least);
  }
  if (answer.working_budget_bytes) {
    ASSERT_TRUE(least);
    EXPECT_GE(*answer.working_budget_bytes, *least);
  }
}

void expect_true_times(const Problem& problem, const Infeasibility& answer) {
  if (!answer.least_time_s && !answer.working_time_s) return;
  Problem quickest = problem;
  quickest.objective = Objective::Time;
  quickest.deadline_s.reset();
  const std::optional<double> least_s = cheapest_objective(quickest);
  if (answer.least_time_s && least_s) {
    EXPECT_LE(*answer.least_time_s, *least_s + tolerance(*least_s));
  }
  if (answer.working_time_s) {
    ASSERT_TRUE(least_s);
    EXPECT_GE(*answer.working_time_s, *least_s - tolerance(*least_s));
  }
}

void expect_infeasible(const Problem& problem, const SolveReport& report) {
  ASSERT_EQ(report.status, SolveStatus::Infeasible);
  EXPECT_FALSE(report.best);
  ASSERT_TRUE(report.infeasibility);
  EXPECT_FALSE(report.infeasibility->reason.empty());
  expect_true_budgets(problem, *report.infeasibility);
  expect_true_times(problem, *report.infeasibility);
}

SolveOptions exactly(const std::string& backend) {
  SolveOptions options;
  options.gap_ratio = 0;
  options.backend = backend;
  return options;
}

void expect_agreement(const Solver& solver, const std::string& backend, const Problem& problem) {
  const std::optional<double> cheapest = cheapest_objective(problem);
  const Result<SolveReport> report = solver.solve(problem, exactly(backend), {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  SCOPED_TRACE(cheapest ? "the oracle found " + std::to_string(*cheapest)
                        : "the oracle found nothing");
  if (cheapest)
    expect_optimal(problem, *report, *cheapest);
  else
    expect_infeasible(problem, *report);
}

// --- every feature, every switch
// ---------------------------------------------------------------------------------

struct Block {
  std::string backend;
  bool paging = true;
  bool rematerialisation = true;
  TimeMode mode = TimeMode::Free;
};

void PrintTo(const Block& block, std::ostream* out) {
  *out << block.backend << (block.paging ? ", paging" : ", no paging")
       << (block.rematerialisation ? ", rematerialisation" : ", no rematerialisation")
       << (block.mode == TimeMode::Free ? ", free" : ", blocking");
}

std::string block_name(const ::testing::TestParamInfo<Block>& test) {
  const Block& block = test.param;
  return block.backend + (block.paging ? "Paging" : "NoPaging") +
         (block.rematerialisation ? "Remat" : "NoRemat") +
         (block.mode == TimeMode::Free ? "Free" : "Blocking");
}

std::vector<Block> every_block() {
  std::vector<Block> blocks;
  for (const BackendEntry& entry : backend_table()) {
    for (const bool paging : {true, false}) {
      for (const bool rematerialisation : {true, false}) {
        for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking})
          blocks.push_back({std::string(entry.name), paging, rematerialisation, mode});
      }
    }
  }
  return blocks;
}

class EventSolver : public ::testing::TestWithParam<Block> {};

TEST_P(EventSolver, AgreesWithTheOracle) {
  const Block& block = GetParam();
  const Result<std::unique_ptr<LinearBackend>> backend = open_backend(block.backend);
  if (!backend.ok()) GTEST_SKIP() << backend.error().message;
  const std::unique_ptr<Solver> solver = solver_named("event");
  ASSERT_TRUE(solver);
  RandomProblemOptions options;
  options.paging = block.paging;
  options.rematerialisation = block.rematerialisation;
  options.time_mode = block.mode;
  for (std::uint64_t seed = 0; seed < kSeedsOfBlock; ++seed) {
    const Problem problem = random_problem(options, seed);
    SCOPED_TRACE(problem_text(problem));
    expect_agreement(*solver, block.backend, problem);
    if (HasFatalFailure() || HasNonfatalFailure()) return;  // one instance is enough to read
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, EventSolver, ::testing::ValuesIn(every_block()), block_name);

// --- against the released formulation
// ----------------------------------------------------------------------------

class ReleasedFormulation : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ReleasedFormulation, IsNeverBetterThanTheEventModel) {
  const std::unique_ptr<Solver> event = solver_named("event");
  const std::unique_ptr<Solver> released = solver_named("released");
  ASSERT_TRUE(event && released);
  RandomProblemOptions options = simple_family();
  options.least_operations = 4;
  options.most_operations = 6;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 50; ++seed) {
    const Problem problem = random_problem(options, seed);
    SCOPED_TRACE(problem_text(problem));
    expect_agreement(*event, "cbc", problem);
    const Result<SolveReport> answer = released->solve(problem, exactly("cbc"), {}, {});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (answer->status == SolveStatus::Infeasible) continue;
    ASSERT_EQ(answer->status, SolveStatus::Optimal);
    ASSERT_TRUE(cheapest && answer->best);
    EXPECT_GE(answer->objective, *cheapest - tolerance(*cheapest));
    const Replay replayed = replay(problem, *answer->best);
    EXPECT_TRUE(replayed.valid()) << replayed.findings.front().message;
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, ReleasedFormulation, ::testing::Values(0, 50, 100, 150));

}  // namespace
}  // namespace poet::testing
