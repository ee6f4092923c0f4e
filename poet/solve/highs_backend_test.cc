#include "poet/solve/backends.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "poet/solve/linear_backend.h"
#include "tests/support/solver_stub.h"

namespace poet {
namespace {

using testing::SolverStub;

const std::string kStubs = POET_SOLVER_STUBS;

class HighsAdapter : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<LinearBackend>> opened = open_highs({"/nowhere", kStubs});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    backend_ = std::move(opened).value();
    stub_.take_log();
  }

  IntegerAnswer solve(const LinearModel& model, const IntegerLimits& limits = {},
                      const std::vector<double>& start = {}) {
    return backend_->solve(model, limits, start, {}, {});
  }
  void answer_solution(double status, const std::vector<double>& values) {
    stub_.answer("status", {status});
    stub_.answer("primal_solution_status", {2});
    stub_.answer("values", values);
  }

  SolverStub stub_{kStubs + "/libhighs.so"};
  std::unique_ptr<LinearBackend> backend_;
};

// Minimise -5x - 4y + z: 2 <= 2x + 3y <= 4, x + z >= 1, y free in a row without limits.
LinearModel small_model() {
  LinearModel model;
  model.columns = {
      {.cost = -5}, {.cost = -4}, {.cost = 1, .upper = kInfinity, .kind = ColumnKind::Continuous}};
  model.rows = {{.lower = 2, .upper = 4, .terms = {{0, 2}, {1, 3}}},
                {.terms = {{1, 1}}},
                {.lower = 1, .terms = {{0, 1}, {2, 1}}}};
  return model;
}

TEST_F(HighsAdapter, GoesByItsNameAndVersion) {
  EXPECT_EQ(backend_->name(), "highs");
  EXPECT_EQ(backend_->version(), "1.10.0");
}

TEST_F(HighsAdapter, StatesTheModelAndTheLimits) {
  const IntegerLimits limits{.relative_gap = 0.25, .absolute_gap = 0.5, .max_nodes = 70, .seed = 9};
  solve(small_model(), limits, {1, 0, 0});
  EXPECT_EQ(stub_.log(),
            "create\n"
            "setBoolOptionValue output_flag 0\n"
            "setStringOptionValue parallel off\n"
            "setDoubleOptionValue primal_feasibility_tolerance 1e-09\n"
            "setIntOptionValue random_seed 9\n"
            "setDoubleOptionValue mip_rel_gap 0.25\n"
            "setDoubleOptionValue mip_abs_gap 0.5\n"
            "setDoubleOptionValue mip_feasibility_tolerance 1e-09\n"
            "setIntOptionValue mip_max_nodes 70\n"
            "passMip format=2 sense=1 offset=0 cost=[-5 -4 1] lower=[0 0 0] upper=[1 1 inf] "
            "row_lower=[2 -inf 1] row_upper=[4 inf inf] begin=[0 2 3] index=[0 1 1 0 2] "
            "coefficient=[2 3 1 1 1] kind=[1 1 0]\n"
            "setSolution v---\n"
            "setCallback set\n"
            "startCallback 1\n"
            "startCallback 4\n"
            "startCallback 5\n"
            "startCallback 6\n"
            "run\n"
            "destroy\n");
}

TEST_F(HighsAdapter, LimitsNodesToWhatAnIntHolds) {
  solve(small_model());
  EXPECT_NE(stub_.log().find("setIntOptionValue mip_max_nodes 2147483647\n"), std::string::npos);
}

TEST_F(HighsAdapter, ReadsAnOptimum) {
  answer_solution(7, {1.0000000001, 0, 0});
  stub_.answer("mip_dual_bound", {-5.25});
  stub_.answer("mip_node_count", {12});
  stub_.answer("simplex_iteration_count", {34});
  const IntegerAnswer answer = solve(small_model());
  EXPECT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_EQ(answer.values, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(answer.objective, -5);  // of the rounded values
  EXPECT_EQ(answer.bound, -5.25);
  EXPECT_EQ(answer.nodes, 12);
  EXPECT_EQ(answer.iterations, 34);
}

TEST_F(HighsAdapter, TakesTheObjectiveOfALinearProgramAsItsBound) {
  LinearModel model = small_model();
  for (LinearColumn& column : model.columns) column.kind = ColumnKind::Continuous;
  answer_solution(7, {1, 0, 0});
  EXPECT_EQ(solve(model).bound, -5);
}

struct StatusCase {
  const char* name;
  double status;
  double solution_status;
  LinearStatus expected;
  double expected_bound;
};

class HighsStatus : public HighsAdapter, public ::testing::WithParamInterface<StatusCase> {};

TEST_P(HighsStatus, BecomesOurs) {
  stub_.answer("status", {GetParam().status});
  stub_.answer("primal_solution_status", {GetParam().solution_status});
  stub_.answer("values", {1, 0, 0});
  stub_.answer("mip_dual_bound", {-7});
  const IntegerAnswer answer = solve(small_model());
  EXPECT_EQ(answer.status, GetParam().expected);
  EXPECT_EQ(answer.bound, GetParam().expected_bound);
}

INSTANTIATE_TEST_SUITE_P(
    All, HighsStatus,
    ::testing::Values(StatusCase{"NotSet", 0, 0, LinearStatus::Unknown, -7},
                      StatusCase{"SolveError", 4, 0, LinearStatus::Unknown, -7},
                      StatusCase{"Optimal", 7, 2, LinearStatus::Optimal, -7},
                      StatusCase{"Infeasible", 8, 0, LinearStatus::Infeasible, kInfinity},
                      StatusCase{"Unbounded", 10, 0, LinearStatus::Unbounded, -kInfinity},
                      StatusCase{"TimeLimitWithSolution", 13, 2, LinearStatus::Feasible, -7},
                      StatusCase{"TimeLimit", 13, 1, LinearStatus::Unknown, -7},
                      StatusCase{"IterationLimit", 14, 0, LinearStatus::Unknown, -7},
                      StatusCase{"NodeLimitWithSolution", 16, 2, LinearStatus::Feasible, -7},
                      StatusCase{"Interrupted", 17, 2, LinearStatus::Feasible, -7}),
    [](const auto& test) { return test.param.name; });

TEST_F(HighsAdapter, AsksAgainWhenPresolveLeavesOpenWhichItIs) {
  stub_.answer("status", {9});
  stub_.answer("status2", {10});
  EXPECT_EQ(solve(small_model()).status, LinearStatus::Unbounded);
  const std::string log = stub_.log();
  EXPECT_EQ(log.substr(log.find("run\n")),
            "run\nsetStringOptionValue presolve off\nrun\nsetStringOptionValue presolve choose\n"
            "destroy\n");
}

TEST_F(HighsAdapter, DoesNotBelieveASolutionThatBreaksARow) {
  answer_solution(7, {1, 1, 0});
  const IntegerAnswer answer = solve(small_model());
  EXPECT_EQ(answer.status, LinearStatus::Unknown);
  EXPECT_TRUE(answer.values.empty());
}

TEST_F(HighsAdapter, TakesAnOptimumAtTheCutoffForNone) {
  answer_solution(7, {1, 0, 0});
  EXPECT_EQ(solve(small_model(), {.cutoff = -5}).status, LinearStatus::Infeasible);
}

TEST_F(HighsAdapter, DoesNotCallAStartOptimalThatHighsDenies) {
  stub_.answer("status", {8});
  EXPECT_EQ(solve(small_model(), {}, {1, 0, 0}).status, LinearStatus::Feasible);
}

TEST_F(HighsAdapter, KnowsNothingAfterAnyError) {
  for (const char* function :
       {"Highs_setBoolOptionValue", "Highs_setDoubleOptionValue", "Highs_setStringOptionValue",
        "Highs_setCallback", "Highs_startCallback", "Highs_run"}) {
    SCOPED_TRACE(function);
    stub_.take_log();
    stub_.answer("status", {8});
    stub_.fail(function, -1);
    EXPECT_EQ(solve(small_model()).status, LinearStatus::Unknown);
    EXPECT_EQ(backend_->relax(small_model())->solve({}).status, LinearStatus::Unknown);
  }
}

TEST_F(HighsAdapter, TakesAWarningForNoError) {
  answer_solution(7, {1, 0, 0});
  stub_.fail("Highs_passMip", 1);
  EXPECT_EQ(solve(small_model()).status, LinearStatus::Optimal);
}

TEST_F(HighsAdapter, TellsOfProgressAndIncumbents) {
  stub_.answer("mip_primal_bound", {-5});
  stub_.answer("mip_dual_bound", {-6});
  stub_.answer("mip_node_count", {3});
  stub_.answer("mip_solution", {1, 0, 0});
  std::vector<IntegerProgress> reports;
  std::vector<double> incumbents;
  IntegerCallbacks callbacks;
  callbacks.progress = [&](const IntegerProgress& progress) { reports.push_back(progress); };
  callbacks.incumbent = [&](double objective, const std::vector<double>& values) {
    incumbents.push_back(objective);
    EXPECT_EQ(values, (std::vector<double>{1, 0, 0}));
  };
  backend_->solve(small_model(), {}, {}, {}, callbacks);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].incumbent, -5);
  EXPECT_EQ(reports[1].bound, -6);
  EXPECT_EQ(reports[1].nodes, 3);
  EXPECT_EQ(incumbents, std::vector<double>{-5});
}

TEST_F(HighsAdapter, StopsARunWhenAsked) {
  int looks = 0;
  Stop stop;
  stop.elapsed_s = [&] { return static_cast<double>(++looks); };
  stop.limit_s = 2;  // after the look before the run
  stub_.answer("status", {17});
  EXPECT_EQ(backend_->solve(small_model(), {}, {}, stop, {}).status, LinearStatus::Unknown);
  const std::string log = stub_.log();
  EXPECT_EQ(log.substr(log.find("run\n")), "run\ninterrupted\ndestroy\n");
}

TEST_F(HighsAdapter, DoesNotRunWhenAlreadyAskedToStop) {
  Stop stop;
  stop.limit_s = 0;
  EXPECT_EQ(backend_->solve(small_model(), {}, {1, 0, 0}, stop, {}).status, LinearStatus::Feasible);
  EXPECT_EQ(backend_->relax(small_model())->solve(stop).status, LinearStatus::Unknown);
  EXPECT_EQ(stub_.log().find("run\n"), std::string::npos);
}

TEST_F(HighsAdapter, ReadsARelaxation) {
  stub_.answer("status", {7});
  stub_.answer("values", {0.5, 1, 0.5});
  stub_.answer("duals", {-2.5, 0, 1});
  stub_.answer("objective_function_value", {-6});
  stub_.answer("simplex_iteration_count", {4});
  const RelaxationAnswer answer = backend_->relax(small_model())->solve({});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_EQ(answer.objective, -6);
  EXPECT_EQ(answer.values, (std::vector<double>{0.5, 1, 0.5}));
  EXPECT_EQ(answer.row_duals, (std::vector<double>{-2.5, 0, 1}));
  EXPECT_EQ(answer.iterations, 4);
}

TEST_F(HighsAdapter, AddsColumnsRowsAndBoundsToARelaxation) {
  const std::unique_ptr<Relaxation> relaxation = backend_->relax(small_model());
  stub_.take_log();
  relaxation->add_columns({{.cost = 2}}, {{{0, 7.0}, {2, 9.0}}});
  relaxation->add_rows({{.lower = 3, .upper = 3, .terms = {{3, 2}}}});
  relaxation->set_column_bounds(3, 0.5, kInfinity);
  EXPECT_EQ(stub_.log(),
            "addCols cost=[2] lower=[0] upper=[1] begin=[0] row=[0 2] coefficient=[7 9]\n"
            "addRows lower=[3] upper=[3] begin=[0] column=[3] coefficient=[2]\n"
            "changeColBounds 3 0.5 inf\n");
}

TEST(OpenHighs, RefusesLargeIndices) {
  const SolverStub stub(kStubs + "/libhighs.so");
  stub.answer("sizeof", {8});
  const Result<std::unique_ptr<LinearBackend>> opened = open_highs({kStubs});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(to_string(opened.error()),
            "this HiGHS library is built with 64-bit indices; one with 32-bit indices is needed");
}

TEST(OpenHighs, NamesAFunctionThatTheLibraryLacks) {
  const std::string directory = kStubs + "/old";
  const Result<std::unique_ptr<LinearBackend>> opened = open_highs({directory});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(to_string(opened.error()), "this version of HiGHS is not supported: " + directory +
                                           "/libhighs.so has no function Highs_run");
}

}  // namespace
}  // namespace poet
