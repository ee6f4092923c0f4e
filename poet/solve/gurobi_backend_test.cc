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

class GurobiAdapter : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<LinearBackend>> opened = open_gurobi({"/nowhere", kStubs});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    backend_ = std::move(opened).value();
  }

  IntegerAnswer solve(const LinearModel& model, const IntegerLimits& limits = {},
                      const std::vector<double>& start = {}) {
    return backend_->solve(model, limits, start, {}, {});
  }

  SolverStub stub_{kStubs + "/libgurobi.so"};
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

std::string lines_with(const std::string& text, const std::string& part) {
  std::string found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (line.find(part) != std::string::npos) found += line;
    begin = end;
  }
  return found;
}

TEST_F(GurobiAdapter, StartsSilently) {
  EXPECT_EQ(stub_.log(), "emptyenv\nsetintparam OutputFlag 0\nstartenv\n");
  EXPECT_EQ(backend_->name(), "gurobi");
  EXPECT_EQ(backend_->version(), "11.0.2");
}

TEST_F(GurobiAdapter, FreesWhatItMade) {
  solve(small_model());
  stub_.take_log();
  backend_.reset();
  EXPECT_EQ(stub_.log(), "freeenv\n");
}

// A range is two constraints, a row without limits is none.
TEST_F(GurobiAdapter, StatesTheModelAndTheLimits) {
  stub_.take_log();
  IntegerLimits limits{.relative_gap = 0.25, .absolute_gap = 0.5, .max_nodes = 70, .seed = 9};
  limits.threads = 2;
  limits.cutoff = 8;
  solve(small_model(), limits, {1, 0, 0});
  EXPECT_EQ(stub_.log(),
            "newmodel poet\n"
            "addvars begin=[0 0 0] row=[] coefficient=[] cost=[-5 -4 1] lower=[0 0 0] "
            "upper=[1 1 1e+100] kind=IIC\n"
            "updatemodel\n"
            "addconstrs begin=[0 2 4] column=[0 1 0 1 0 2] coefficient=[2 3 2 3 1 1] sense=><> "
            "side=[2 4 1]\n"
            "updatemodel\n"
            "setintparam Threads 2\n"
            "setintparam Seed 9\n"
            "setdblparam MIPGap 0.25\n"
            "setdblparam MIPGapAbs 0.5\n"
            "setdblparam IntFeasTol 1e-09\n"
            "setdblparam FeasibilityTol 1e-09\n"
            "setdblparam NodeLimit 70\n"
            "setdblparam Cutoff 8\n"
            "setdblattrarray Start 0 values=[1 0 0]\n"
            "setcallbackfunc set\n"
            "optimize\n"
            "freemodel\n");
}

TEST_F(GurobiAdapter, SetsNoLimitThatWasNotAsked) {
  stub_.take_log();
  solve(small_model());
  EXPECT_EQ(lines_with(stub_.log(), "NodeLimit") + lines_with(stub_.log(), "Cutoff") +
                lines_with(stub_.log(), "Start"),
            "");
}

TEST_F(GurobiAdapter, ReadsAnOptimum) {
  stub_.answer("Status", {2});
  stub_.answer("IsMIP", {1});
  stub_.answer("SolCount", {1});
  stub_.answer("X", {1.0000000001, 0, 0});
  stub_.answer("ObjBound", {-5.25});
  stub_.answer("NodeCount", {12});
  stub_.answer("IterCount", {34});
  const IntegerAnswer answer = solve(small_model());
  EXPECT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_EQ(answer.values, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(answer.objective, -5);  // of the rounded values
  EXPECT_EQ(answer.bound, -5.25);
  EXPECT_EQ(answer.nodes, 12);
  EXPECT_EQ(answer.iterations, 34);
}

TEST_F(GurobiAdapter, TakesTheObjectiveOfALinearProgramAsItsBound) {
  stub_.answer("Status", {2});
  stub_.answer("SolCount", {1});
  stub_.answer("X", {1, 0, 0});
  EXPECT_EQ(solve(small_model()).bound, -5);
}

struct StatusCase {
  const char* name;
  double status;
  double solutions;
  LinearStatus expected;
  double expected_bound;
};

class GurobiStatus : public GurobiAdapter, public ::testing::WithParamInterface<StatusCase> {};

TEST_P(GurobiStatus, BecomesOurs) {
  stub_.answer("Status", {GetParam().status});
  stub_.answer("IsMIP", {1});
  stub_.answer("SolCount", {GetParam().solutions});
  if (GetParam().solutions > 0) stub_.answer("X", {1, 0, 0});
  stub_.answer("ObjBound", {-7});
  const IntegerAnswer answer = solve(small_model());
  EXPECT_EQ(answer.status, GetParam().expected);
  EXPECT_EQ(answer.bound, GetParam().expected_bound);
}

INSTANTIATE_TEST_SUITE_P(
    All, GurobiStatus,
    ::testing::Values(StatusCase{"Loaded", 1, 0, LinearStatus::Unknown, -7},
                      StatusCase{"Optimal", 2, 1, LinearStatus::Optimal, -7},
                      StatusCase{"Infeasible", 3, 0, LinearStatus::Infeasible, kInfinity},
                      StatusCase{"Unbounded", 5, 0, LinearStatus::Unbounded, -kInfinity},
                      StatusCase{"CutOff", 6, 0, LinearStatus::Infeasible, kInfinity},
                      StatusCase{"NodeLimitWithSolution", 8, 1, LinearStatus::Feasible, -7},
                      StatusCase{"NodeLimit", 8, 0, LinearStatus::Unknown, -7},
                      StatusCase{"TimeLimitWithSolution", 9, 1, LinearStatus::Feasible, -7},
                      StatusCase{"InterruptedWithSolution", 11, 1, LinearStatus::Feasible, -7},
                      StatusCase{"Interrupted", 11, 0, LinearStatus::Unknown, -7},
                      StatusCase{"Numeric", 12, 0, LinearStatus::Unknown, -7},
                      StatusCase{"Suboptimal", 13, 1, LinearStatus::Feasible, -7},
                      StatusCase{"MemoryLimit", 17, 1, LinearStatus::Feasible, -7}),
    [](const auto& test) { return test.param.name; });

TEST_F(GurobiAdapter, AsksAgainWhenPresolveLeavesOpenWhichItIs) {
  stub_.answer("Status", {4});
  stub_.answer("Status2", {5});
  EXPECT_EQ(solve(small_model()).status, LinearStatus::Unbounded);
  const std::string log = stub_.log();
  EXPECT_EQ(log.substr(log.find("optimize")),
            "optimize\nsetintparam DualReductions 0\nreset 0\noptimize\nfreemodel\n");
}

TEST_F(GurobiAdapter, DoesNotBelieveASolutionThatBreaksARow) {
  stub_.answer("Status", {2});
  stub_.answer("SolCount", {1});
  stub_.answer("X", {1, 1, 0});
  const IntegerAnswer answer = solve(small_model());
  EXPECT_EQ(answer.status, LinearStatus::Unknown);
  EXPECT_TRUE(answer.values.empty());
}

TEST_F(GurobiAdapter, KeepsTheStartWhenNothingBelowItExists) {
  stub_.answer("Status", {6});
  const IntegerAnswer answer = solve(small_model(), {.cutoff = -4.5}, {1, 0, 0});
  EXPECT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_EQ(answer.objective, -5);
  EXPECT_EQ(answer.bound, -5);
}

TEST_F(GurobiAdapter, DoesNotCallAStartOptimalThatGurobiDenies) {
  stub_.answer("Status", {3});
  EXPECT_EQ(solve(small_model(), {}, {1, 0, 0}).status, LinearStatus::Feasible);
}

TEST_F(GurobiAdapter, DropsASolutionAtTheCutoff) {
  stub_.answer("Status", {2});
  stub_.answer("SolCount", {1});
  stub_.answer("X", {1, 0, 0});
  EXPECT_EQ(solve(small_model(), {.cutoff = -5}).status, LinearStatus::Infeasible);
}

TEST_F(GurobiAdapter, KnowsNothingAfterAnyError) {
  for (const char* function :
       {"GRBnewmodel", "GRBaddvars", "GRBaddconstrs", "GRBupdatemodel", "GRBsetintparam",
        "GRBsetdblparam", "GRBsetcallbackfunc", "GRBoptimize", "GRBgetintattr"}) {
    SCOPED_TRACE(function);
    stub_.take_log();
    stub_.answer("Status", {3});
    stub_.fail(function, 10001);
    EXPECT_EQ(solve(small_model()).status, LinearStatus::Unknown);
    EXPECT_EQ(backend_->relax(small_model())->solve({}).status, LinearStatus::Unknown);
  }
}

TEST_F(GurobiAdapter, CallsNothingAfterAnError) {
  stub_.take_log();
  stub_.fail("GRBaddvars", 10001);
  solve(small_model());
  EXPECT_EQ(lines_with(stub_.log(), "optimize") + lines_with(stub_.log(), "addconstrs"), "");
  EXPECT_EQ(lines_with(stub_.log(), "freemodel"), "freemodel\n");
}

TEST_F(GurobiAdapter, TellsOfProgressAndIncumbents) {
  stub_.answer("3000", {1e100});
  stub_.answer("3001", {-6});
  stub_.answer("3002", {3});
  stub_.answer("4001", {1, 0, 0});
  stub_.answer("4002", {-5});
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
  EXPECT_EQ(reports[0].incumbent, kInfinity);
  EXPECT_EQ(reports[0].bound, -6);
  EXPECT_EQ(reports[0].nodes, 3);
  EXPECT_EQ(reports[1].incumbent, -5);
  EXPECT_EQ(incumbents, std::vector<double>{-5});
}

TEST_F(GurobiAdapter, StopsARunWhenAsked) {
  int looks = 0;
  Stop stop;
  stop.elapsed_s = [&] { return static_cast<double>(++looks); };
  stop.limit_s = 2;  // after the look before the run
  stub_.answer("Status", {11});
  EXPECT_EQ(backend_->solve(small_model(), {}, {}, stop, {}).status, LinearStatus::Unknown);
  const std::string log = stub_.log();
  EXPECT_EQ(log.substr(log.find("optimize")), "optimize\nterminate\nfreemodel\n");
}

TEST_F(GurobiAdapter, DoesNotRunWhenAlreadyAskedToStop) {
  Stop stop;
  stop.limit_s = 0;
  EXPECT_EQ(backend_->solve(small_model(), {}, {1, 0, 0}, stop, {}).status, LinearStatus::Feasible);
  EXPECT_EQ(backend_->relax(small_model())->solve(stop).status, LinearStatus::Unknown);
  EXPECT_EQ(lines_with(stub_.log(), "optimize"), "");
}

TEST_F(GurobiAdapter, AddsUpTheDualsOfARange) {
  stub_.answer("Status", {2});
  stub_.answer("X", {0.5, 1, 0.5});
  stub_.answer("ObjVal", {-6});
  stub_.answer("Pi", {0, -2.5, 1});
  stub_.answer("IterCount", {4});
  const RelaxationAnswer answer = backend_->relax(small_model())->solve({});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_EQ(answer.objective, -6);
  EXPECT_EQ(answer.values, (std::vector<double>{0.5, 1, 0.5}));
  EXPECT_EQ(answer.row_duals, (std::vector<double>{-2.5, 0, 1}));
  EXPECT_EQ(answer.iterations, 4);
}

TEST_F(GurobiAdapter, AddsColumnsRowsAndBoundsToARelaxation) {
  const std::unique_ptr<Relaxation> relaxation = backend_->relax(small_model());
  stub_.take_log();
  relaxation->add_columns({{.cost = 2}}, {{{0, 7.0}, {1, 8.0}, {2, 9.0}}});
  relaxation->add_rows({{.lower = 3, .upper = 3, .terms = {{3, 2}}}});
  relaxation->set_column_bounds(3, 0.5, kInfinity);
  EXPECT_EQ(stub_.log(),
            "addvars begin=[0] row=[0 1 2] coefficient=[7 7 9] cost=[2] lower=[0] upper=[1] "
            "kind=C\n"
            "updatemodel\n"
            "addconstrs begin=[0] column=[3] coefficient=[2] sense== side=[3]\n"
            "updatemodel\n"
            "setdblattrelement LB 3 0.5\n"
            "setdblattrelement UB 3 1e+100\n");
}

TEST(OpenGurobi, SaysThatThereIsNoLicence) {
  const SolverStub stub(kStubs + "/libgurobi.so");
  stub.fail("GRBstartenv", 10009);
  const Result<std::unique_ptr<LinearBackend>> opened = open_gurobi({kStubs});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(to_string(opened.error()),
            "Gurobi is installed but has no licence: as the stub was told");
  EXPECT_EQ(stub.log(), "emptyenv\nsetintparam OutputFlag 0\nstartenv\nfreeenv\n");
}

TEST(OpenGurobi, SaysThatItCannotBeStarted) {
  const SolverStub stub(kStubs + "/libgurobi.so");
  stub.fail("GRBemptyenv", 10001);
  const Result<std::unique_ptr<LinearBackend>> opened = open_gurobi({kStubs});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(to_string(opened.error()),
            "Gurobi cannot be started (error 10001): as the stub was told");
}

TEST(OpenGurobi, NamesAFunctionThatTheLibraryLacks) {
  const std::string directory = kStubs + "/old";
  const Result<std::unique_ptr<LinearBackend>> opened = open_gurobi({directory});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(to_string(opened.error()), "this version of Gurobi is not supported: " + directory +
                                           "/libgurobi.so has no function GRBoptimize");
}

TEST(OpenGurobi, SaysThatALibraryCannotBeLoaded) {
  const std::string directory = kStubs + "/broken";
  const Result<std::unique_ptr<LinearBackend>> opened = open_gurobi({directory});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(to_string(opened.error()),
            "the Gurobi library cannot be loaded: " + directory + "/libgurobi.so: file too short");
}

}  // namespace
}  // namespace poet
