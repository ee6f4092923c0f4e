// Every exact solver against the oracle, on random instances with every feature that a problem can
// have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/problem/problem_json.h"
#include "poet/solve/allowed_gap.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/instance_block.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"
#include "support/source_folder.h"

namespace poet::testing {
namespace {

constexpr double kSolverRounding =
    1e-7;  // relative; instances' figures are multiples of 1/8 or coarser
constexpr std::uint64_t kSolverSeedsOfBlock = random_cases(300);

std::unique_ptr<Solver> solver_named(std::string_view name) {
  for (const SolverEntry& entry : planner_table())
    if (entry.name == name) return entry.make();
  return nullptr;
}

double tolerance(double value) {
  return kSolverRounding * std::max(1.0, value);
}

std::string name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::Optimal:
      return "optimal";
    case SolveStatus::Feasible:
      return "feasible";
    case SolveStatus::Infeasible:
      return "infeasible";
    case SolveStatus::Unknown:
      return "unknown";
  }
  return "none";
}

void expect_optimal(const Problem& problem, const SolveReport& report, double cheapest) {
  ASSERT_EQ(name_of(report.status), "optimal");
  ASSERT_TRUE(report.best);
  EXPECT_NEAR(report.objective, cheapest, tolerance(cheapest));
  EXPECT_LE(report.lower_bound, cheapest + tolerance(cheapest));
  const Replay replayed = replay(problem, *report.best);
  ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
  EXPECT_NEAR(objective_of(problem, replayed), cheapest, tolerance(cheapest));
}

// What the oracle says of a problem; what few answers speak of is found when it is asked for.
class Truth {
 public:
  explicit Truth(const Problem& problem)
      : problem_(problem), cheapest_(cheapest_objective(problem)) {}

  const std::optional<double>& cheapest() const { return cheapest_; }
  const std::optional<std::int64_t>& least_bytes() {
    if (!least_bytes_) least_bytes_ = least_ram_budget(problem_);
    return *least_bytes_;
  }
  const std::optional<double>& least_s() {
    if (least_s_) return *least_s_;
    Problem quickest = problem_;
    quickest.objective = Objective::Time;
    quickest.deadline_s.reset();
    least_s_ = cheapest_objective(quickest);
    return *least_s_;
  }

 private:
  const Problem& problem_;
  std::optional<double> cheapest_;
  std::optional<std::optional<std::int64_t>> least_bytes_ = {};
  std::optional<std::optional<double>> least_s_ = {};
};

// The figures that an infeasible answer may give: what is called proved, and what is called found.
void expect_true_budgets(Truth& truth, const Infeasibility& answer) {
  if (!answer.least_budget_bytes && !answer.working_budget_bytes) return;
  const std::optional<std::int64_t>& least = truth.least_bytes();
  if (answer.least_budget_bytes && least) {
    EXPECT_LE(*answer.least_budget_bytes, *least);
  }
  if (answer.working_budget_bytes) {
    ASSERT_TRUE(least);
    EXPECT_GE(*answer.working_budget_bytes, *least);
  }
}

void expect_true_times(Truth& truth, const Infeasibility& answer) {
  if (!answer.least_time_s && !answer.working_time_s) return;
  const std::optional<double>& least_s = truth.least_s();
  if (answer.least_time_s && least_s) {
    EXPECT_LE(*answer.least_time_s, *least_s + tolerance(*least_s));
  }
  if (answer.working_time_s) {
    ASSERT_TRUE(least_s);
    EXPECT_GE(*answer.working_time_s, *least_s - tolerance(*least_s));
  }
}

void expect_infeasible(Truth& truth, const SolveReport& report) {
  ASSERT_EQ(name_of(report.status), "infeasible");
  EXPECT_FALSE(report.best);
  ASSERT_TRUE(report.infeasibility);
  EXPECT_FALSE(report.infeasibility->reason.empty());
  expect_true_budgets(truth, *report.infeasibility);
  expect_true_times(truth, *report.infeasibility);
}

SolveOptions exactly(const std::string& backend) {
  SolveOptions options;
  options.gap_ratio = 0;
  options.backend = backend;
  return options;
}

// With the gap that users get unless they ask for another: the bound may be below the optimum,
// never above, and the schedule no further from it than was allowed.
void expect_within_the_default_gap(const Solver& solver, SolveOptions options,
                                   const Problem& problem, double cheapest) {
  options.gap_ratio = SolveOptions{}.gap_ratio;
  const Result<SolveReport> report = solver.solve(problem, options, {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(name_of(report->status), "optimal");
  EXPECT_LE(report->lower_bound, cheapest + tolerance(cheapest));
  EXPECT_GE(report->objective, cheapest - tolerance(cheapest));
  EXPECT_LE(report->objective - report->lower_bound,
            allowed_gap(options, report->objective, unavoidable_objective(problem)));
}

// Without window models: the whole event model.
SolveOptions of_events(const std::string& backend) {
  SolveOptions options = exactly(backend);
  options.techniques.windows = false;
  return options;
}

// Begins with the certain events alone, so that pricing has to find the others.
SolveOptions priced(const std::string& backend) {
  SolveOptions options = of_events(backend);
  options.few_events = 0;
  options.first_depth = 0;
  return options;
}

void expect_agreement(const Solver& solver, const std::string& backend, const Problem& problem) {
  Truth truth(problem);
  const std::optional<double>& cheapest = truth.cheapest();
  SCOPED_TRACE(cheapest ? "the oracle found " + std::to_string(*cheapest)
                        : "the oracle found nothing");
  for (const SolveOptions& options : {exactly(backend), of_events(backend), priced(backend)}) {
    SCOPED_TRACE(options.techniques.windows ? "windows" : "events");
    SCOPED_TRACE("few_events " + std::to_string(options.few_events));
    const Result<SolveReport> report = solver.solve(problem, options, {}, {});
    ASSERT_TRUE(report.ok()) << report.error().message;
    if (cheapest) {
      expect_optimal(problem, *report, *cheapest);
      expect_within_the_default_gap(solver, options, problem, *cheapest);
    } else {
      expect_infeasible(truth, *report);
    }
  }
}

// --- every feature, every switch
// ---------------------------------------------------------------------------------

struct Block {
  std::string backend;
  InstanceBlock instances;
};

void PrintTo(const Block& block, std::ostream* out) {
  *out << block.backend << ", ";
  PrintTo(block.instances, out);
}

std::vector<Block> blocks_of_every_backend() {
  std::vector<Block> blocks;
  for (const BackendEntry& entry : backend_table())
    for (const InstanceBlock& instances : every_block(0, 1000))
      blocks.push_back({std::string(entry.name), instances});
  return blocks;
}

class EveryBackend : public ::testing::TestWithParam<Block> {};

TEST_P(EveryBackend, AgreesWithTheOracle) {
  const Block& block = GetParam();
  const Result<std::unique_ptr<LinearBackend>> backend = open_backend(block.backend);
  if (!backend.ok()) GTEST_SKIP() << backend.error().message;
  const std::unique_ptr<Solver> solver = solver_named("event");
  ASSERT_TRUE(solver);
  RandomProblemOptions options = options_of(block.instances);
  options.most_operations = 8;
  const std::uint64_t first_seed = block.instances.first_seed;
  for (std::uint64_t seed = first_seed; seed < first_seed + kSolverSeedsOfBlock; ++seed) {
    const Problem problem = random_problem(options, seed);
    const ShownOnFailure shown(problem, seed);
    expect_agreement(*solver, block.backend, problem);
    if (HasFatalFailure() || HasNonfatalFailure()) return;  // one instance is enough to read
  }
}

INSTANTIATE_TEST_SUITE_P(EventSolver, EveryBackend, ::testing::ValuesIn(blocks_of_every_backend()),
                         [](const auto& test) {
                           return test.param.backend + name_of(test.param.instances);
                         });

// --- what random instances have found
// -----------------------------------------------------------------------------

// 0 is a weight that may be chosen to be resident, 1 its gradient, 2 its new value; 4 bytes each, 1
// J for each execution and transfer.
Problem weight_and_gradient(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.tensors.resize(3);
  for (Tensor& tensor : problem.tensors) {
    tensor.size_bytes = 4;
    tensor.page_in_j = tensor.page_out_j = 1;
  }
  problem.tensors[0].home = Home::Storage;
  problem.tensors[0].may_be_resident = true;
  problem.tensors[2].updates = TensorId{0};
  return problem;
}

Operation reads_and_makes(std::vector<TensorId> inputs, TensorId output) {
  Operation operation;
  operation.inputs = std::move(inputs);
  operation.outputs = {output};
  operation.compute_j = 1;
  return operation;
}

// The working set of the update is 12 bytes, but where the weight is resident its new value takes
// its place.
TEST(EventSolver, AChosenResidentIsUpdatedInItsPlace) {
  Problem problem = weight_and_gradient(8);
  problem.operations = {reads_and_makes({TensorId{0}}, TensorId{1}),
                        reads_and_makes({TensorId{0}, TensorId{1}}, TensorId{2})};
  problem.operations[1].once = true;
  ASSERT_EQ(cheapest_objective(problem), 2);
  expect_agreement(*solver_named("event"), "cbc", problem);
}

TEST(EventSolver, TheNewValueOfAResidentHandsNoBufferOver) {
  Problem problem = weight_and_gradient(7);
  problem.operations = {reads_and_makes({TensorId{0}}, TensorId{2}),
                        reads_and_makes({TensorId{2}}, TensorId{1})};
  problem.operations[0].once = true;
  problem.operations[0].in_place = InPlace{TensorId{0}, TensorId{2}};
  problem.operations[1].in_place = InPlace{TensorId{2}, TensorId{1}};
  ASSERT_EQ(cheapest_objective(problem), 4);  // not resident: one read, one write
  expect_agreement(*solver_named("event"), "cbc", problem);
}

TEST(EventSolver, TheNewValueOfAResidentTakesNoBufferOver) {
  Problem problem = weight_and_gradient(7);
  problem.operations = {reads_and_makes({}, TensorId{1}),
                        reads_and_makes({TensorId{0}, TensorId{1}}, TensorId{2})};
  problem.operations[1].once = true;
  problem.operations[1].in_place = InPlace{TensorId{1}, TensorId{2}};
  ASSERT_EQ(cheapest_objective(problem), std::nullopt);  // weight and gradient are 8 bytes
  expect_agreement(*solver_named("event"), "cbc", problem);
}

class FoundInstance : public ::testing::TestWithParam<std::string> {};

TEST_P(FoundInstance, AgreesWithTheOracle) {
  const std::string path = testing::source_folder() + "/tests/data/solver/" + GetParam() + ".json";
  const std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  const Result<Problem> problem = parse_problem(text.str(), path);
  ASSERT_TRUE(problem.ok()) << to_string(problem.error());
  expect_agreement(*solver_named("event"), "cbc", *problem);
}

// nothing_to_choose: a relaxation without columns, whose basis was asked for all the same.
// read_by_a_repeat_in_vain: the best answer reads a tensor for a repeat that nobody needs, and
// needs the tensor later.
// exact_budget_of_one_operation: output and workspace are the budget; counted in another unit than
// bytes, their sum was above it.
INSTANTIATE_TEST_SUITE_P(EventSolver, FoundInstance,
                         ::testing::Values("exact_budget_of_one_operation", "nothing_to_choose",
                                           "read_by_a_repeat_in_vain"),
                         [](const auto& test) { return test.param; });

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
    const ShownOnFailure shown(problem, seed);
    expect_agreement(*event, "cbc", problem);
    const Result<SolveReport> answer = released->solve(problem, exactly("cbc"), {}, {});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (answer->status == SolveStatus::Infeasible) continue;
    ASSERT_EQ(name_of(answer->status), "optimal");
    ASSERT_TRUE(cheapest && answer->best);
    EXPECT_GE(answer->objective, *cheapest - tolerance(*cheapest));
    const Replay replayed = replay(problem, *answer->best);
    EXPECT_TRUE(replayed.valid()) << replayed.findings.front().message;
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EventSolver, ReleasedFormulation, ::testing::Values(0, 50, 100, 150));

}  // namespace
}  // namespace poet::testing
