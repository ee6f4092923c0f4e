#include "poet/solve/released_solver.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "poet/solve/released_model.h"

namespace poet {
namespace {

// A chain a -> b -> c, and d that reads a and c. Sizes 6 4 5 1; at 12 bytes a cannot stay while c
// is made from b (6 + 4 + 5) and must come back for d (6 + 5 + 1).
Problem chain() {
  Problem problem;
  const std::vector<std::int64_t> sizes = {6, 4, 5, 1};
  const std::vector<double> costs = {3, 1, 1, 1};
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    problem.tensors.push_back({.name = name,
                               .size_bytes = sizes[i],
                               .page_in_j = 1,
                               .page_out_j = 1.5,
                               .page_in_s = 9,
                               .page_out_s = 9});
    problem.operations.push_back({.name = "make " + name,
                                  .outputs = {TensorId{i}},
                                  .compute_j = costs[i],
                                  .compute_s = costs[i]});
  }
  problem.operations[1].inputs = {TensorId{0}};
  problem.operations[2].inputs = {TensorId{1}};
  problem.operations[3].inputs = {TensorId{0}, TensorId{2}};
  problem.ram_budget_bytes = 12;
  problem.time_mode = TimeMode::Free;
  return problem;
}

SolveReport solve(const Problem& problem) {
  SolveOptions options;
  options.gap_ratio = 0;
  const Result<SolveReport> report = make_released_solver()->solve(problem, options, {}, {});
  EXPECT_TRUE(report.ok()) << report.error().message;
  return report.value();
}

constexpr OperationId kMakeA{0}, kMakeB{1}, kMakeC{2}, kMakeD{3};
constexpr TensorId kA{0}, kB{1}, kC{2}, kD{3};

TEST(ReleasedSolver, PagesWhereThatIsCheapest) {
  const SolveReport report = solve(chain());
  EXPECT_EQ(report.status, SolveStatus::Optimal);
  EXPECT_EQ(report.objective, 6 + 1.5 + 1);
  EXPECT_NEAR(report.lower_bound, 8.5, 1e-6);
  EXPECT_EQ(report.method, "released");
  EXPECT_EQ(report.backend.substr(0, 4), "cbc ");
  ASSERT_TRUE(report.best);
  // Written before b is made; read when c is there and b is gone.
  const std::vector<Action> expected = {
      Compute{kMakeA}, PageOut{kA},     Compute{kMakeB}, Drop{kA}, Compute{kMakeC}, Drop{kB},
      PageIn{kA},      Compute{kMakeD}, Drop{kA},        Drop{kC}, Drop{kD}};
  EXPECT_EQ(report.best->actions, expected);
}

TEST(ReleasedSolver, MakesAgainWithoutPaging) {
  Problem problem = chain();
  problem.paging_allowed = false;
  const SolveReport report = solve(problem);
  EXPECT_EQ(report.status, SolveStatus::Optimal);
  EXPECT_EQ(report.objective, 9);
  const std::vector<Action> expected = {
      Compute{kMakeA}, Compute{kMakeB}, Drop{kA}, Compute{kMakeC}, Drop{kB},
      Compute{kMakeA}, Compute{kMakeD}, Drop{kA}, Drop{kC},        Drop{kD}};
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->actions, expected);
}

TEST(ReleasedSolver, FindsNothingWithoutEitherTechnique) {
  Problem problem = chain();
  problem.paging_allowed = problem.rematerialisation_allowed = false;
  const SolveReport report = solve(problem);
  EXPECT_EQ(report.status, SolveStatus::Infeasible);
  ASSERT_TRUE(report.infeasibility);
  EXPECT_EQ(report.infeasibility->reason,
            "no schedule of the released formulation keeps the RAM budget; the event formulation "
            "may find one");
  EXPECT_EQ(report.evidence, Evidence::None);  // the backend's word
  problem.deadline_s = 100;
  EXPECT_EQ(solve(problem).infeasibility->reason,
            "no schedule of the released formulation keeps the RAM budget and the deadline; the "
            "event formulation may find one");
}

// With as much as its working set takes, paging alone has a schedule by the event formulation.
TEST(ReleasedSolver, NamesNoBudgetThatWorksForAnotherClass) {
  Problem problem = chain();
  problem.ram_budget_bytes = 5;
  const SolveReport report = solve(problem);
  EXPECT_EQ(report.status, SolveStatus::Infeasible);
  EXPECT_EQ(report.evidence, Evidence::Arithmetic);
  ASSERT_TRUE(report.infeasibility);
  EXPECT_EQ(report.infeasibility->working_budget_bytes, std::nullopt);
  EXPECT_EQ(report.infeasibility->reason,
            "operation 'make d' alone needs 12 bytes of RAM for its inputs, outputs and workspace, "
            "and the budget is 5 bytes; no budget below 12 bytes works");
}

TEST(ReleasedSolver, NamesNoDeadlineThatWorksForAnotherClass) {
  Problem problem = chain();
  problem.deadline_s = 1;
  const SolveReport report = solve(problem);
  EXPECT_EQ(report.evidence, Evidence::Arithmetic);
  ASSERT_TRUE(report.infeasibility);
  EXPECT_EQ(report.infeasibility->working_time_s, std::nullopt);
  EXPECT_EQ(report.infeasibility->reason,
            "one execution of every operation takes 6 s, and the deadline is 1 s; no deadline "
            "below 6 s works");
}

TEST(ReleasedSolver, SumsProveWhatCostsNoMore) {
  Problem problem = chain();
  problem.ram_budget_bytes = 100;
  EXPECT_EQ(solve(problem).evidence, Evidence::Arithmetic);
  EXPECT_EQ(solve(chain()).evidence, Evidence::Backend);
}

TEST(ReleasedSolver, CountsComputationAloneAgainstTheDeadline) {
  Problem problem = chain();
  problem.deadline_s = 8.9;  // making a again takes 9
  problem.paging_allowed = true;
  problem.tensors[0].page_in_j = 50;
  EXPECT_EQ(solve(problem).objective, 6 + 1.5 + 50);
  problem.deadline_s = 9;
  EXPECT_EQ(solve(problem).objective, 9);
}

TEST(ReleasedSolver, NamesTheOperationWhoseWorkingSetIsTooLarge) {
  Problem problem = chain();
  problem.ram_budget_bytes = 11;
  const SolveReport report = solve(problem);
  EXPECT_EQ(report.status, SolveStatus::Infeasible);
  ASSERT_TRUE(report.infeasibility);
  EXPECT_EQ(report.infeasibility->operation, kMakeD);
}

TEST(ReleasedSolver, MinimisesTimeWhereThatIsAsked) {
  Problem problem = chain();
  problem.objective = Objective::Time;
  const SolveReport report = solve(problem);
  EXPECT_EQ(report.objective, 6);  // transfers take none
}

TEST(ReleasedSolver, GivesBackNothingWhenAlreadyAskedToStop) {
  Stop stop;
  stop.limit_s = 0;
  const Result<SolveReport> report = make_released_solver()->solve(chain(), {}, stop, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->status, SolveStatus::Unknown);
  EXPECT_EQ(report->lower_bound, 6);
}

TEST(ReleasedSolver, ReportsProgressInTheProblemsUnit) {
  int reports = 0;
  const ProgressSink sink = [&](const SolveProgress& progress) {
    ++reports;
    EXPECT_GE(progress.incumbent.value_or(9), 8.5 - 1e-6);
    EXPECT_LE(progress.bound.value_or(0), 8.5 + 1e-6);
  };
  ASSERT_TRUE(make_released_solver()->solve(chain(), {}, {}, sink).ok());
  EXPECT_GE(reports, 1);
}

TEST(ReleasedSolver, RefusesABackendThatDoesNotExist) {
  SolveOptions options;
  options.backend = "cplex";
  const Result<SolveReport> report = make_released_solver()->solve(chain(), options, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(to_string(report.error()),
            "unknown solver backend 'cplex' (known: cbc, highs, gurobi)");
}

// Stage 1 begins with a in RAM, writes it, makes b; stage 2 makes c; a is read for stage 3.
SolvedMatrices paging_matrices() {
  SolvedMatrices matrices(4);
  for (std::int32_t t = 0; t < 4; ++t) matrices.runs.set(t, t, true);
  matrices.in_ram.set(1, 0, true);
  matrices.page_out.set(1, 0, true);
  matrices.stored.set(2, 0, true);
  matrices.in_ram.set(2, 1, true);
  matrices.page_in.set(2, 0, true);
  matrices.in_ram.set(3, 0, true);
  matrices.in_ram.set(3, 2, true);
  return matrices;
}

TEST(ReleasedSchedule, DropsWhatNeitherTheStageNorTheNextNeeds) {
  const std::optional<Schedule> schedule = released_schedule(chain(), paging_matrices());
  ASSERT_TRUE(schedule);
  const std::vector<Action> expected = {
      Compute{kMakeA}, PageOut{kA},     Compute{kMakeB}, Drop{kA}, Compute{kMakeC}, Drop{kB},
      PageIn{kA},      Compute{kMakeD}, Drop{kA},        Drop{kC}, Drop{kD}};
  EXPECT_EQ(schedule->actions, expected);
}

TEST(ReleasedSchedule, LeavesOutWhatIsDoneInVain) {
  SolvedMatrices matrices = paging_matrices();
  matrices.runs.set(1, 0, true);     // a is in RAM
  matrices.page_in.set(1, 0, true);  // nothing keeps it
  const std::optional<Schedule> schedule = released_schedule(chain(), matrices);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->actions, released_schedule(chain(), paging_matrices())->actions);
}

TEST(ReleasedSchedule, RefusesAnInputThatIsNotThere) {
  SolvedMatrices matrices = paging_matrices();
  matrices.in_ram.set(2, 1, false);
  EXPECT_FALSE(released_schedule(chain(), matrices));
}

TEST(ReleasedSchedule, RefusesAReadWithoutACopy) {
  SolvedMatrices matrices = paging_matrices();
  matrices.page_out.set(1, 0, false);
  EXPECT_FALSE(released_schedule(chain(), matrices));
}

TEST(ReleasedSchedule, RefusesMoreRamThanTheBudget) {
  Problem problem = chain();
  problem.ram_budget_bytes = 11;
  EXPECT_FALSE(released_schedule(problem, paging_matrices()));
}

// Two operations: R[1,0], S_ram[1,0] and M_out, M_in, S_sd nowhere; Free[1,(0,0)] has no edge, so
// U[0,0], U[1,0], U[1,1] are all the rest.
TEST(ReleasedModel, CreatesNoColumnForWhatIsKnown) {
  Problem problem = chain();
  problem.operations.resize(2);
  problem.tensors.resize(2);
  const ReleasedModel model = make_released_model(problem);
  EXPECT_EQ(model.linear.columns.size(), 5u);
  EXPECT_TRUE(model.runs[1][0] && model.in_ram[1][0]);
  EXPECT_FALSE(model.page_out[1][0] || model.page_in[1][0] || model.stored[1][0]);
  EXPECT_EQ(model.constant_cost, 4);
  // R[1,1] <= R[1,0] + S_ram[1,0], and one for each U.
  EXPECT_EQ(model.linear.rows.size(), 4u);
}

TEST(ReleasedModel, StatesBytesInTheirCommonUnit) {
  Problem problem = chain();
  for (Tensor& tensor : problem.tensors) tensor.size_bytes *= 1000;
  problem.ram_budget_bytes = 12'999;
  const ReleasedModel model = make_released_model(problem);
  for (const LinearColumn& column : model.linear.columns)
    if (column.kind == ColumnKind::Continuous) {
      EXPECT_EQ(column.upper, 12);
    }
}

TEST(ReleasedModel, StatesNoCostBelowAThousandth) {
  Problem problem = chain();
  for (Operation& operation : problem.operations) operation.compute_j *= 1e-9;
  for (Tensor& tensor : problem.tensors) tensor.page_in_j = tensor.page_out_j = 1e-11;
  for (const LinearColumn& column : make_released_model(problem).linear.columns)
    EXPECT_TRUE(column.cost == 0 || column.cost >= 0.999e-3) << column.cost;
}

TEST(ReleasedModel, RefusesValuesThatAreNotWhole) {
  const ReleasedModel model = make_released_model(chain());
  std::vector<double> values(model.linear.columns.size(), 0.0);
  values[*model.runs[2][1]] = 1 - 1e-7;
  const std::optional<SolvedMatrices> matrices = released_matrices(model, values);
  ASSERT_TRUE(matrices);
  EXPECT_TRUE(matrices->runs.at(2, 1));
  EXPECT_TRUE(matrices->runs.at(3, 3));
  EXPECT_FALSE(matrices->runs.at(3, 1));
  values[*model.page_out[2][1]] = 0.01;
  EXPECT_FALSE(released_matrices(model, values));
}

struct Unstatable {
  const char* name;
  const char* what;
  void (*change)(Problem& problem);
};

class CheckReleased : public ::testing::TestWithParam<Unstatable> {};

TEST_P(CheckReleased, NamesWhatCannotBeStated) {
  Problem problem = chain();
  EXPECT_FALSE(check_released(problem));
  GetParam().change(problem);
  const Result<SolveReport> report = make_released_solver()->solve(problem, {}, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(to_string(report.error()), "the released formulation cannot state " +
                                           std::string(GetParam().what) +
                                           "; use the event formulation");
}

INSTANTIATE_TEST_SUITE_P(
    Features, CheckReleased,
    ::testing::Values(
        Unstatable{"Outputs", "several outputs (operation 'make b')",
                   [](Problem& p) {
                     p.tensors.push_back({.name = "e", .size_bytes = 1});
                     p.operations[1].outputs.push_back(TensorId{4});
                   }},
        Unstatable{"Views", "views (operation 'make b')",
                   [](Problem& p) { p.operations[1].view = true; }},
        Unstatable{"Workspace", "workspace (operation 'make c')",
                   [](Problem& p) { p.operations[2].workspace_bytes = 1; }},
        Unstatable{"InPlace", "in-place operations (operation 'make c')",
                   [](Problem& p) {
                     p.operations[2].in_place = InPlace{kB, kC};
                   }},
        Unstatable{"Updates", "updates (tensor 'd')",
                   [](Problem& p) { p.tensors[3].updates = kA; }},
        Unstatable{"Storage", "tensors at home in storage (tensor 'e')",
                   [](Problem& p) { p.tensors.push_back({.name = "e", .home = Home::Storage}); }},
        Unstatable{"Rom", "tensors in read-only memory (tensor 'e')",
                   [](Problem& p) { p.tensors.push_back({.name = "e", .home = Home::Rom}); }},
        Unstatable{"Resident", "resident tensors (tensor 'e')",
                   [](Problem& p) { p.tensors.push_back({.name = "e", .home = Home::Resident}); }},
        Unstatable{"Capacity", "a storage capacity",
                   [](Problem& p) { p.storage_capacity_bytes = 9; }},
        Unstatable{"Wear", "a write budget", [](Problem& p) { p.write_budget_bytes = 9; }},
        Unstatable{"Idle", "idle power", [](Problem& p) { p.idle_w = 1; }},
        Unstatable{"Overlap", "overlapped transfers",
                   [](Problem& p) { p.time_mode = TimeMode::Overlapped; }},
        Unstatable{"TransferTime", "the time of transfers",
                   [](Problem& p) {
                     p.time_mode = TimeMode::Blocking;
                     p.deadline_s = 9;
                   }}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace poet
