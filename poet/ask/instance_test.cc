#include "poet/ask/instance.h"

#include <gtest/gtest.h>

#include <set>

#include "poet/ask/asked_for_tests.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

PlanRequest request(std::string model, std::string platform) {
  PlanRequest result;
  result.model = std::move(model);
  result.platform = std::move(platform);
  return result;
}

std::string error_of(const PlanRequest& one) {
  const Result<Problem> problem = make_problem(one);
  return problem.ok() ? "no error" : to_string(problem.error());
}

TEST(MakeProblem, MakesOneTensorPerOperationOfAReleasedGraph) {
  const Problem problem = make_problem(request("resnet18_cifar", "m4")).value();
  ASSERT_EQ(problem.operations.size(), 133);
  ASSERT_EQ(problem.tensors.size(), 133);
  EXPECT_EQ(largest_working_set(problem).bytes, 262'144);
  EXPECT_EQ(plain_peak_bytes(problem), 2'453'760);
  std::set<std::string> names;
  for (const Operation& operation : problem.operations) {
    ASSERT_EQ(operation.outputs.size(), 1);
    EXPECT_EQ(at(problem.tensors, operation.outputs[0]).home, Home::Made);
    names.insert(operation.name);
  }
  EXPECT_EQ(names.size(), 133);
}

TEST(MakeProblem, TakesTheDevicesRamAndNoDeadlineUnlessTold) {
  const Result<Instance> instance = make_instance(request("linear", "m0"));
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(instance->problem.ram_budget_bytes, instance->device->ram_bytes);
  EXPECT_EQ(instance->problem.deadline_s, std::nullopt);
  EXPECT_EQ(instance->problem.time_mode, TimeMode::Free);
  EXPECT_TRUE(instance->warnings.empty());
}

TEST(MakeProblem, ResolvesBudgetsAgainstTheGraph) {
  PlanRequest one = request("resnet18_cifar", "m4");
  one.ram_budget = RamOfPlainPeak{0.6};
  EXPECT_EQ(make_problem(one)->ram_budget_bytes, 1'472'256);
  one.ram_budget = RamOnTheWay{0.1};
  EXPECT_EQ(make_problem(one)->ram_budget_bytes, 481'305);
  one.ram_budget = RamBytes{737'719};
  EXPECT_EQ(make_problem(one)->ram_budget_bytes, 737'719);
}

TEST(MakeProblem, ResolvesADeadlineRatioAgainstComputingOnce) {
  PlanRequest one = request("linear", "m4");
  one.deadline = DeadlineRatio{1.5};
  const Problem problem = make_problem(one).value();
  EXPECT_DOUBLE_EQ(*problem.deadline_s, 1.5 * unavoidable(problem).compute_s);
  one.deadline = DeadlineSeconds{2};
  EXPECT_EQ(make_problem(one)->deadline_s, 2);
}

TEST(MakeProblem, PassesTheOptionsOn) {
  PlanRequest one = request("linear", "m4");
  one.io = TimeMode::Overlapped;
  one.objective = Objective::Time;
  one.paging = false;
  one.rematerialisation = false;
  const Problem problem = make_problem(one).value();
  EXPECT_EQ(problem.time_mode, TimeMode::Overlapped);
  EXPECT_EQ(problem.objective, Objective::Time);
  EXPECT_FALSE(problem.paging_allowed);
  EXPECT_FALSE(problem.rematerialisation_allowed);
}

TEST(MakeProblem, ScalesTheEnergyOfTransfersOnly) {
  PlanRequest one = request("linear", "m4");
  const Problem plain = make_problem(one).value();
  one.memory_power_scale = 2;
  const Problem doubled = make_problem(one).value();
  EXPECT_DOUBLE_EQ(doubled.tensors[3].page_in_j, 2 * plain.tensors[3].page_in_j);
  EXPECT_EQ(doubled.operations[3].compute_j, plain.operations[3].compute_j);
}

TEST(MakeInstance, WarnsOfABudgetAboveTheDevicesRam) {
  PlanRequest one = request("linear", "m4");
  one.ram_budget = RamBytes{3'000'000};
  EXPECT_EQ(make_instance(one)->warnings,
            std::vector<std::string>{
                "the RAM budget of 3,000,000 bytes is more than the 262,144 bytes that m4 has"});
}

TEST(MakeInstance, WarnsOfABatchSizeThatTheReleasedGraphIgnores) {
  PlanRequest one = request("bert", "a72");
  one.batch_size = 4;
  EXPECT_EQ(make_instance(one)->warnings,
            std::vector<std::string>{"the released graph of bert is the same at every batch size"});
}

TEST(MakeProblem, SuggestsNamesForUnknownOnes) {
  EXPECT_EQ(error_of(request("resnet81", "m4")),
            "unknown model 'resnet81'; did you mean 'resnet8'?");
  EXPECT_EQ(error_of(request("linear", "m9")), "unknown platform 'm9'; did you mean 'm0'?");
}

TEST(MakeProblem, MeansTheRealGraphWhereThereIsOne) {
  EXPECT_EQ(kind_of(request("resnet18", "m4")), GraphKind::Real);
  EXPECT_EQ(kind_of(request("resnet18_cifar", "m4")), GraphKind::Released);
  EXPECT_EQ(kind_of(request("mine.onnx", "m4")), GraphKind::Real);
  PlanRequest one = request("resnet18", "m4");
  one.graph = GraphKind::Released;
  EXPECT_EQ(kind_of(one), GraphKind::Released);
}

TEST(MakeProblem, RefusesBudgetsThatDoNotFit) {
  PlanRequest one = request("linear", "m4");
  one.ram_budget = RamOfPlainPeak{1e30};
  EXPECT_EQ(error_of(one),
            "the RAM budget, 1e+30 times what keeping everything needs, does not fit in 62 bits");
  one.ram_budget = RamOnTheWay{1e30};
  EXPECT_EQ(error_of(one),
            "the RAM budget, 1e+30 times the way from the largest working set to the plain peak, "
            "does not fit in 62 bits");
}

}  // namespace
}  // namespace poet
