#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "poet/solve/linear_backend.h"
#include "tests/support/integer_oracle.h"

namespace poet {
namespace {

constexpr double kNear = 1e-7;

// Every backend answers the same suite; one that is not on this machine is skipped with its reason.
class EveryBackend : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<LinearBackend>> opened = open_backend(GetParam());
    if (!opened.ok()) GTEST_SKIP() << GetParam() << ": " << opened.error().message;
    backend_ = std::move(opened).value();
  }

  IntegerAnswer solve(const LinearModel& model, const IntegerLimits& limits = {},
                      const std::vector<double>& start = {}) {
    return backend_->solve(model, limits, start, {}, {});
  }
  RelaxationAnswer relaxed(const LinearModel& model) { return backend_->relax(model)->solve({}); }

  std::unique_ptr<LinearBackend> backend_;
};

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const BackendEntry& entry : backend_table()) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, EveryBackend, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return test.param; });

Stop already_stopped() {
  Stop stop;
  stop.elapsed_s = [] { return 1.0; };
  stop.limit_s = 0;
  return stop;
}

LinearColumn continuous(double cost, double lower = 0, double upper = kInfinity) {
  return {.cost = cost, .lower = lower, .upper = upper, .kind = ColumnKind::Continuous};
}

// Minimise 2x + 3y over x + y >= 4, x + 3y >= 6: x = 3, y = 1.
LinearModel diet() {
  LinearModel model;
  model.columns = {continuous(2), continuous(3)};
  model.rows = {{.lower = 4, .terms = {{0, 1}, {1, 1}}}, {.lower = 6, .terms = {{0, 1}, {1, 3}}}};
  return model;
}

// Values 10 13 7 8, weights 3 4 2 3, room for 7: the first two are best, 23.
LinearModel knapsack() {
  LinearModel model;
  model.columns = {{.cost = -10}, {.cost = -13}, {.cost = -7}, {.cost = -8}};
  model.rows = {{.upper = 7, .terms = {{0, 3}, {1, 4}, {2, 2}, {3, 3}}}};
  return model;
}

// A market-split problem: small to state, with a weak relaxation and many nodes. Slack is paid for.
LinearModel market_split() {
  const int weights[3][18] = {
      {77, 33, 91, 45, 12, 68, 59, 84, 23, 97, 38, 51, 66, 19, 72, 40, 88, 27},
      {14, 95, 36, 81, 62, 29, 73, 18, 57, 44, 90, 35, 61, 83, 26, 99, 11, 70},
      {52, 21, 64, 17, 98, 43, 30, 75, 86, 13, 49, 92, 24, 67, 55, 34, 79, 48}};
  LinearModel model;
  for (int j = 0; j < 18; ++j) model.add_column({});
  for (const auto& row_weights : weights) {
    LinearRow row;
    int sum = 0;
    for (int j = 0; j < 18; ++j) {
      row.terms.push_back({j, static_cast<double>(row_weights[j])});
      sum += row_weights[j];
    }
    for (const double sign : {1.0, -1.0})
      row.terms.push_back({model.add_column(continuous(1)), sign});
    row.lower = row.upper = sum / 2;
    model.add_row(row);
  }
  return model;
}

double activity_of(const LinearRow& row, const std::vector<double>& values) {
  double activity = 0;
  for (const LinearTerm& term : row.terms) activity += term.coefficient * values[term.column];
  return activity;
}

void expect_solution(const LinearModel& model, const IntegerAnswer& answer) {
  ASSERT_EQ(answer.values.size(), model.columns.size());
  double objective = 0;
  for (std::size_t j = 0; j < model.columns.size(); ++j) {
    const LinearColumn& column = model.columns[j];
    EXPECT_GE(answer.values[j], column.lower - kNear);
    EXPECT_LE(answer.values[j], column.upper + kNear);
    if (column.kind == ColumnKind::Integer) {
      EXPECT_NEAR(answer.values[j], std::round(answer.values[j]), kNear);
    }
    objective += column.cost * answer.values[j];
  }
  for (const LinearRow& row : model.rows) {
    EXPECT_GE(activity_of(row, answer.values), row.lower - 1e-6);
    EXPECT_LE(activity_of(row, answer.values), row.upper + 1e-6);
  }
  EXPECT_NEAR(answer.objective, objective, kNear);
  EXPECT_LE(answer.bound, answer.objective + kNear);
}

void expect_same(const IntegerAnswer& one, const IntegerAnswer& other) {
  EXPECT_EQ(one.status, other.status);
  EXPECT_EQ(one.objective, other.objective);
  EXPECT_EQ(one.bound, other.bound);
  EXPECT_EQ(one.values, other.values);
  EXPECT_EQ(one.nodes, other.nodes);
  EXPECT_EQ(one.iterations, other.iterations);
}

TEST_P(EveryBackend, GoesByItsNameInTheTable) {
  EXPECT_EQ(backend_->name(), GetParam());
  EXPECT_FALSE(backend_->version().empty());
}

TEST_P(EveryBackend, FindsTheOptimumOfALinearProgram) {
  const RelaxationAnswer answer = relaxed(diet());
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, 9, kNear);
  ASSERT_EQ(answer.values.size(), 2u);
  EXPECT_NEAR(answer.values[0], 3, kNear);
  EXPECT_NEAR(answer.values[1], 1, kNear);
}

TEST_P(EveryBackend, StatesDualsAsChangeOfTheObjectivePerUnitOfRightHandSide) {
  const RelaxationAnswer answer = relaxed(diet());
  ASSERT_EQ(answer.row_duals.size(), 2u);
  EXPECT_NEAR(answer.row_duals[0], 1.5, kNear);
  EXPECT_NEAR(answer.row_duals[1], 0.5, kNear);
}

TEST_P(EveryBackend, GivesARowThatIsAnUpperLimitANegativeDual) {
  LinearModel model;
  model.columns = {continuous(-2)};
  model.rows = {{.upper = 5, .terms = {{0, 4}}}};
  const RelaxationAnswer answer = relaxed(model);
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -2.5, kNear);
  EXPECT_NEAR(answer.row_duals.at(0), -0.5, kNear);
}

TEST_P(EveryBackend, TakesIntegerColumnsAsContinuousInARelaxation) {
  const RelaxationAnswer answer = relaxed(knapsack());
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -10.0 - 7.0 - 13.0 / 2, kNear);
}

TEST_P(EveryBackend, SolvesOverFreeColumnsAndEqualities) {
  LinearModel model;
  model.columns = {continuous(1, -kInfinity), continuous(1, -kInfinity)};
  model.rows = {{.lower = -3, .upper = -3, .terms = {{0, 1}, {1, 2}}},
                {.lower = 1, .upper = 1, .terms = {{0, 1}, {1, -2}}}};
  const RelaxationAnswer answer = relaxed(model);
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.values.at(0), -1, kNear);
  EXPECT_NEAR(answer.values.at(1), -1, kNear);
  EXPECT_NEAR(answer.objective, -2, kNear);
}

TEST_P(EveryBackend, SaysThatALinearProgramIsInfeasible) {
  LinearModel model = diet();
  model.rows.push_back({.upper = 1, .terms = {{0, 1}, {1, 1}}});
  EXPECT_EQ(relaxed(model).status, LinearStatus::Infeasible);
}

TEST_P(EveryBackend, SaysThatALinearProgramIsUnbounded) {
  LinearModel model = diet();
  model.columns[0].cost = -1;
  EXPECT_EQ(relaxed(model).status, LinearStatus::Unbounded);
}

TEST_P(EveryBackend, SolvesAModelWithoutRows) {
  LinearModel model;
  model.columns = {{.cost = -1.5}, {.cost = 2, .lower = -3, .upper = 4}};
  const RelaxationAnswer answer = relaxed(model);
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -7.5, kNear);
  const IntegerAnswer integer = solve(model);
  ASSERT_EQ(integer.status, LinearStatus::Optimal);
  EXPECT_NEAR(integer.objective, -7.5, kNear);
}

TEST_P(EveryBackend, SolvesAnEmptyModel) {
  EXPECT_EQ(relaxed({}).status, LinearStatus::Optimal);
  const IntegerAnswer answer = solve({});
  EXPECT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_EQ(answer.objective, 0);
}

TEST_P(EveryBackend, SolvesTheSameAfterRowsAndColumnsWereAdded) {
  LinearModel whole = diet();
  const std::unique_ptr<Relaxation> grown = backend_->relax(whole);
  ASSERT_EQ(grown->solve({}).status, LinearStatus::Optimal);

  // A third food that enters the first row, a fourth that enters none yet, and a limit on all.
  const std::vector<LinearColumn> columns = {continuous(1, 0, 2), continuous(-1, 0, 3)};
  grown->add_columns(columns, {{{0, 1.0}}, {}});
  whole.columns.insert(whole.columns.end(), columns.begin(), columns.end());
  whole.rows[0].terms.push_back({2, 1});
  const RelaxationAnswer with_columns = grown->solve({});
  ASSERT_EQ(with_columns.status, LinearStatus::Optimal);
  EXPECT_NEAR(with_columns.objective, relaxed(whole).objective, kNear);

  const LinearRow limit = {.upper = 4.5, .terms = {{0, 1}, {1, 1}, {2, 1}, {3, 1}}};
  grown->add_rows({limit});
  whole.rows.push_back(limit);
  const RelaxationAnswer with_rows = grown->solve({});
  const RelaxationAnswer anew = relaxed(whole);
  ASSERT_EQ(with_rows.status, LinearStatus::Optimal);
  EXPECT_NEAR(with_rows.objective, anew.objective, kNear);
  ASSERT_EQ(with_rows.row_duals.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(with_rows.row_duals[i], anew.row_duals[i], kNear);
}

TEST_P(EveryBackend, SolvesAgainUnderOtherBounds) {
  const std::unique_ptr<Relaxation> relaxation = backend_->relax(diet());
  relaxation->set_column_bounds(1, 2, kInfinity);
  EXPECT_NEAR(relaxation->solve({}).objective, 10, kNear);
  relaxation->set_column_bounds(1, 0, 0);
  EXPECT_NEAR(relaxation->solve({}).objective, 12, kNear);
  relaxation->set_column_bounds(0, 0, 1);
  EXPECT_EQ(relaxation->solve({}).status, LinearStatus::Infeasible);
  relaxation->set_column_bounds(0, 0, kInfinity);
  relaxation->set_column_bounds(1, 0, kInfinity);
  EXPECT_NEAR(relaxation->solve({}).objective, 9, kNear);
}

TEST_P(EveryBackend, GivesARelaxationBackAtOnceWhenAskedToStop) {
  const RelaxationAnswer answer = backend_->relax(diet())->solve(already_stopped());
  EXPECT_EQ(answer.status, LinearStatus::Unknown);
}

TEST_P(EveryBackend, SolvesAKnapsack) {
  const IntegerAnswer answer = solve(knapsack());
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -23, kNear);
  EXPECT_NEAR(answer.bound, -23, kNear);
  expect_solution(knapsack(), answer);
}

TEST_P(EveryBackend, MixesIntegerAndContinuousColumns) {
  LinearModel model = knapsack();
  model.rows[0].terms.push_back({model.add_column(continuous(3)), -1});  // buy room at 3 a unit
  const IntegerAnswer answer = solve(model);
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -24, kNear);  // the first three weigh 9, two units over
  expect_solution(model, answer);
}

TEST_P(EveryBackend, SolvesALinearProgramAskedForAsAnIntegerProgram) {
  const IntegerAnswer answer = solve(diet());
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, 9, kNear);
  EXPECT_NEAR(answer.bound, 9, kNear);
}

TEST_P(EveryBackend, SaysThatNoIntegerSolutionExists) {
  LinearModel model;
  model.columns = {{.upper = 3}, {.upper = 3}};
  model.rows = {{.lower = 3, .upper = 3, .terms = {{0, 2}, {1, 2}}}};
  const IntegerAnswer answer = solve(model);
  EXPECT_EQ(answer.status, LinearStatus::Infeasible);
  EXPECT_TRUE(answer.values.empty());
  EXPECT_EQ(answer.objective, kInfinity);
}

TEST_P(EveryBackend, SaysThatAnIntegerProgramHasAnUnboundedRelaxation) {
  LinearModel model;
  model.columns = {{.cost = -1, .upper = kInfinity}, {.cost = 1, .upper = kInfinity}};
  model.rows = {{.upper = 2.5, .terms = {{0, 1}, {1, -2}}}};
  EXPECT_EQ(solve(model).status, LinearStatus::Unbounded);
}

// With its default settings Cbc takes improvements below 1e-5 for none.
TEST_P(EveryBackend, FindsImprovementsThatAreTiny) {
  LinearModel model;
  model.columns = {{.cost = -1}, {.cost = -1 - 2e-6}, {.cost = -1 - 1e-6}};
  model.rows = {{.upper = 1, .terms = {{0, 1}, {1, 1}, {2, 1}}}};
  const IntegerAnswer answer = solve(model, {}, {1, 0, 0});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -1 - 2e-6, 1e-9);
}

// Cbc 2.10.8 with its preprocessing says 0.
TEST_P(EveryBackend, IsNotMisledByPreprocessing) {
  LinearModel model;
  model.columns = {{.cost = 0.25, .lower = -1, .upper = 2}, {.cost = 1.5, .lower = -1, .upper = 2}};
  model.rows = {{.lower = -1, .terms = {{1, -2}}},
                {.lower = -2.5, .upper = 2.5, .terms = {{0, 3.5}, {1, 4.5}}}};
  const IntegerAnswer answer = solve(model);
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -1.25, kNear);
}

// Cbc 2.10.8 says 2.625 when it may probe.
TEST_P(EveryBackend, IsNotMisledByProbing) {
  LinearModel model;
  model.columns = {{.cost = 2.25, .upper = 3}, {.cost = -1.875, .upper = 2}};
  model.rows = {{.lower = 4, .terms = {{0, 4.5}, {1, -3}}}};
  const IntegerAnswer answer = solve(model);
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, 2.25, kNear);
}

// Cbc 2.10.8 aborts on this one when it gets it as it is.
TEST_P(EveryBackend, SurvivesATinyModelWithARowThatCannotBind) {
  LinearModel model;
  model.columns = {{.cost = 0.875}, {.cost = 1.75}};
  model.rows = {{.upper = 7.5, .terms = {{1, 3.5}}}, {.lower = 3, .terms = {{0, 4.5}, {1, 3.5}}}};
  const IntegerAnswer answer = solve(model, {}, {0, 1});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, 0.875, kNear);
}

// Clp 1.17.6 crashes on zeros that are stored.
TEST_P(EveryBackend, ToleratesZeroCoefficients) {
  LinearModel model = knapsack();
  model.rows.push_back({.lower = 0, .upper = 0, .terms = {{0, 0}, {1, 0}}});
  EXPECT_NEAR(solve(model).objective, -23, kNear);
}

TEST_P(EveryBackend, NeedsNoHeuristics) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(GetParam() + ", seed " + std::to_string(seed));
    const LinearModel model = testing::random_integer_program(seed);
    const std::optional<double> least = testing::least_objective_by_trying(model);
    IntegerLimits limits;
    limits.heuristics = false;
    const IntegerAnswer answer = solve(model, limits);
    ASSERT_EQ(answer.status, least ? LinearStatus::Optimal : LinearStatus::Infeasible);
    if (least) {
      EXPECT_NEAR(answer.objective, *least, kNear);
    }
  }
}

TEST_P(EveryBackend, LooksForNothingAtOrAboveTheCutoff) {
  IntegerLimits limits;
  limits.cutoff = -23;
  const IntegerAnswer none = solve(knapsack(), limits);
  EXPECT_EQ(none.status, LinearStatus::Infeasible);
  EXPECT_GE(none.bound, -23 - kNear);
  limits.cutoff = -22.5;
  const IntegerAnswer some = solve(knapsack(), limits);
  ASSERT_EQ(some.status, LinearStatus::Optimal);
  EXPECT_NEAR(some.objective, -23, kNear);
}

TEST_P(EveryBackend, KeepsAnOptimalStart) {
  const IntegerAnswer answer = solve(knapsack(), {}, {1, 1, 0, 0});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -23, kNear);
  expect_solution(knapsack(), answer);
}

TEST_P(EveryBackend, ImprovesOnAPoorStart) {
  const IntegerAnswer answer = solve(knapsack(), {}, {0, 0, 1, 0});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -23, kNear);
}

TEST_P(EveryBackend, IgnoresAStartThatBreaksARow) {
  const IntegerAnswer answer = solve(knapsack(), {}, {1, 1, 1, 1});
  ASSERT_EQ(answer.status, LinearStatus::Optimal);
  EXPECT_NEAR(answer.objective, -23, kNear);
}

TEST_P(EveryBackend, CallsARunThatHitTheNodeLimitFeasibleAtMost) {
  IntegerLimits limits;
  limits.max_nodes = 3;
  const IntegerAnswer limited = solve(market_split(), limits);
  EXPECT_TRUE(limited.status == LinearStatus::Feasible || limited.status == LinearStatus::Unknown);
  const IntegerAnswer whole = solve(market_split());
  ASSERT_EQ(whole.status, LinearStatus::Optimal);
  EXPECT_LE(limited.bound, whole.objective + kNear);
  EXPECT_GE(limited.objective, whole.objective - kNear);
  if (limited.status == LinearStatus::Feasible) expect_solution(market_split(), limited);
}

TEST_P(EveryBackend, GivesTheStartBackWhenAskedToStopAtOnce) {
  const IntegerAnswer answer = backend_->solve(knapsack(), {}, {0, 0, 1, 0}, already_stopped(), {});
  EXPECT_EQ(answer.status, LinearStatus::Feasible);
  EXPECT_EQ(answer.values, (std::vector<double>{0, 0, 1, 0}));
  EXPECT_NEAR(answer.objective, -7, kNear);
  EXPECT_LE(answer.bound, -23 + kNear);
}

TEST_P(EveryBackend, KnowsNothingWhenAskedToStopAtOnceWithoutAStart) {
  const IntegerAnswer answer = backend_->solve(knapsack(), {}, {}, already_stopped(), {});
  EXPECT_EQ(answer.status, LinearStatus::Unknown);
  EXPECT_TRUE(answer.values.empty());
  EXPECT_LE(answer.bound, -23 + kNear);
}

// A clock that counts how often it is read runs out at some moment of the search.
TEST_P(EveryBackend, StaysHonestWhenStoppedAtAnyMoment) {
  const double best = solve(market_split()).objective;
  for (const int looks : {1, 10, 100, 1000, 3000, 10000, 30000}) {
    SCOPED_TRACE("stopped at look " + std::to_string(looks));
    int count = 0;
    Stop stop;
    stop.elapsed_s = [&] { return static_cast<double>(++count); };
    stop.limit_s = looks;
    const IntegerAnswer answer = backend_->solve(market_split(), {}, {}, stop, {});
    EXPECT_LE(answer.bound, best + kNear);
    EXPECT_GE(answer.objective, best - kNear);
    if (answer.status == LinearStatus::Optimal) {
      EXPECT_NEAR(answer.objective, best, kNear);
    }
    EXPECT_NE(answer.status, LinearStatus::Infeasible);
    if (!answer.values.empty()) expect_solution(market_split(), answer);
  }
}

TEST_P(EveryBackend, LeavesOpenNoMoreThanTheGap) {
  const double best = solve(market_split()).objective;
  for (const double gap : {0.05, 0.5}) {
    IntegerLimits limits;
    limits.relative_gap = gap;
    const IntegerAnswer answer = solve(market_split(), limits);
    ASSERT_EQ(answer.status, LinearStatus::Optimal);
    EXPECT_LE(answer.bound, best + kNear);
    EXPECT_LE(answer.objective - answer.bound, gap * answer.objective + kNear);
  }
}

TEST_P(EveryBackend, AnswersTheSameTwice) {
  IntegerLimits limits;
  limits.max_nodes = 200;
  limits.seed = 7;
  expect_same(solve(market_split(), limits), solve(market_split(), limits));
}

TEST_P(EveryBackend, ReportsIncumbentsAndBoundsThatHold) {
  const double best = solve(market_split()).objective;
  int reports = 0, incumbents = 0;
  double last_objective = kInfinity;
  IntegerCallbacks callbacks;
  callbacks.progress = [&](const IntegerProgress& progress) {
    ++reports;
    EXPECT_GE(progress.incumbent, best - kNear);
    EXPECT_LE(progress.bound, best + kNear);
  };
  callbacks.incumbent = [&](double objective, const std::vector<double>& values) {
    ++incumbents;
    last_objective = objective;
    EXPECT_EQ(values.size(), market_split().columns.size());
  };
  backend_->solve(market_split(), {}, {}, {}, callbacks);
  EXPECT_GE(reports, 1);
  EXPECT_GE(incumbents, 1);
  EXPECT_NEAR(last_objective, best, kNear);
}

TEST_P(EveryBackend, PrintsNothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  solve(market_split(), {.max_nodes = 50});
  relaxed(diet());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(EveryBackend, AgreesWithTryingEverythingOnSmallIntegerPrograms) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(GetParam() + ", seed " + std::to_string(seed));
    const LinearModel model = testing::random_integer_program(seed);
    const std::optional<double> least = testing::least_objective_by_trying(model);
    const IntegerAnswer answer = solve(model);
    if (!least) {
      EXPECT_EQ(answer.status, LinearStatus::Infeasible);
      continue;
    }
    ASSERT_EQ(answer.status, LinearStatus::Optimal);
    EXPECT_NEAR(answer.objective, *least, kNear);
    EXPECT_LE(answer.bound, *least + kNear);
    expect_solution(model, answer);
    const RelaxationAnswer relaxation = relaxed(model);
    ASSERT_EQ(relaxation.status, LinearStatus::Optimal);
    EXPECT_LE(relaxation.objective, *least + kNear);
  }
}

TEST_P(EveryBackend, ServesSeveralThreadsAtOnce) {
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int first = 0; first < 4; ++first) {
    threads.emplace_back([this, first, &wrong] {
      for (std::uint64_t seed = first; seed < 100; seed += 4) {
        const LinearModel model = testing::random_integer_program(seed);
        const double least = testing::least_objective_by_trying(model).value_or(kInfinity);
        const double found = solve(model).objective;
        const bool same = found == least || std::abs(found - least) <= kNear;
        wrong[first] += same ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(BackendTable, HasCbcFirst) {
  ASSERT_FALSE(backend_table().empty());
  EXPECT_EQ(backend_table().front().name, "cbc");
  EXPECT_TRUE(open_backend("cbc").ok());
}

TEST(BackendTable, NamesTheBackendsThatItKnows) {
  const Result<std::unique_ptr<LinearBackend>> opened = open_backend("cplex");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(to_string(opened.error()),
            "unknown solver backend 'cplex' (known: cbc, highs, gurobi)");
}

}  // namespace
}  // namespace poet
