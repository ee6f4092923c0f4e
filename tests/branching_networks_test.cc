// Networks with many branches: differentiated, and planned half of the way from the largest working
// set to the plain peak. That their gradients are right is seen in training_gradient_test.cc.

#include "support/branching_networks.h"
#include "poet/overlap/planner.h"

#include <gtest/gtest.h>

#include "poet/autodiff/order.h"
#include "poet/device/boards.h"
#include "poet/pose/training_problem.h"
#include "poet/problem/facts.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

using testing::BranchingNetwork;

class EveryBranchingNetwork : public ::testing::TestWithParam<BranchingNetwork> {};

// Enough for a plan, and the same on every machine; what is proved is not the question here.
const SolveOptions kLittleEffort{.gap_ratio = 0.5, .max_nodes = 10, .max_iterations = 2'000};

Problem problem_of(const Model& model, const TrainingOptions& options) {
  Result<TrainingGraph> step = training_graph(model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  EXPECT_FALSE(check_graph(step->graph));
  return *training_problem(*step, *load_device("m4"), 1);
}

TEST_P(EveryBranchingNetwork, IsPlannedWithEveryOptimiser) {
  const Model model = GetParam().make();
  ASSERT_FALSE(check_model(model));
  for (const Named<Optimiser>& optimiser : kOptimisers) {
    SCOPED_TRACE(optimiser.name);
    Problem problem = problem_of(model, {.optimiser = optimiser.value});
    const std::int64_t least = largest_working_set(problem).bytes;
    const std::int64_t most = plain_peak_bytes(problem);
    ASSERT_LT(least, most);
    problem.ram_budget_bytes = least + (most - least) / 2;
    ASSERT_FALSE(check_problem(problem));
    const Result<SolveReport> report =
        planner_table().front().make()->solve(problem, kLittleEffort, {}, {});
    ASSERT_TRUE(report.ok() && report->best);
    const Replay replayed = replay(problem, *report->best);
    EXPECT_TRUE(replayed.valid());
    EXPECT_LE(replayed.peak_ram_bytes, problem.ram_budget_bytes);
    EXPECT_GE(report->objective, report->lower_bound);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryBranchingNetwork,
                         ::testing::ValuesIn(testing::branching_networks()),
                         [](const ::testing::TestParamInfo<BranchingNetwork>& network) {
                           return network.param.name;
                         });

}  // namespace
}  // namespace poet
