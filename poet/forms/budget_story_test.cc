#include "poet/forms/budget_story.h"

#include <gtest/gtest.h>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// 0 makes a, 1 makes b, 2 makes c of b, 3 makes d of a and c: 8 bytes each, 1 s and 1 J, transfers
// 2 s and 0.5 J.
Problem four_operations(TimeMode mode) {
  Problem problem;
  problem.time_mode = mode;
  problem.ram_budget_bytes = 24;
  const std::vector<std::vector<TensorId>> inputs = {
      {}, {}, {TensorId{1}}, {TensorId{0}, TensorId{2}}};
  for (std::int32_t v = 0; v < 4; ++v) {
    Tensor tensor;
    tensor.size_bytes = 8;
    tensor.page_in_s = tensor.page_out_s = 2;
    tensor.page_in_j = tensor.page_out_j = 0.5;
    problem.tensors.push_back(tensor);
    Operation operation;
    operation.inputs = inputs[static_cast<std::size_t>(v)];
    operation.outputs = {TensorId{v}};
    operation.compute_s = operation.compute_j = 1;
    problem.operations.push_back(operation);
  }
  return problem;
}

Action compute(std::int32_t id) {
  return Compute{OperationId{id}};
}

PlannedForms planned_as(const Problem& problem, Schedule schedule) {
  PlannedForms planned;
  planned.steps.resize(1);
  planned.steps[0].plan.problem = problem;
  planned.replays = {replay(problem, schedule)};
  planned.steps[0].plan.schedule = std::move(schedule);
  return planned;
}

const Schedule& with_a_away() {
  static const Schedule schedule = {
      {compute(0), PageOut{TensorId{0}}, Drop{TensorId{0}}, compute(1), compute(2),
       Drop{TensorId{1}}, PageIn{TensorId{0}}, compute(3), Drop{TensorId{0}}, Drop{TensorId{2}},
       Drop{TensorId{3}}},
      {}};
  return schedule;
}

// Of the four operations by themselves, whatever the plan is of.
PlainForms with_all_the_ram(std::int64_t peak_bytes = 24) {
  return {.peak_bytes = peak_bytes, .part_bytes = {}, .time_s = {4}, .energy_j = {4}};
}

TEST(BudgetStory, HoldsPartsAgainstWholeOperations) {
  PlannedForms planned = planned_as(four_operations(TimeMode::Blocking), with_a_away());
  planned.steps[0].plan.origin.part_bytes = 12;
  PlainForms plain = with_all_the_ram();
  plain.time_s = {2};
  plain.energy_j = {3.5};
  const std::string story = budget_story(planned, {1}, 1, 16, plain);
  EXPECT_EQ(
      story.find("Keeping everything would take 24 bytes, and the budget is 16: operations "
                 "are in parts (--parts 12). By the plan a step takes 8 s in place of "
                 "2 s (4.0 times as much), and 5 J in place of 3.5 J (42.9 % more), held against "
                 "whole operations in all the RAM that they need. The step that fits takes "
                 "0.5 J more than whole operations by itself. 1 tensor is written"),
      0U)
      << story;
}

// Who asked for parts knows of them: they are what the budget is held against.
TEST(BudgetStory, HoldsPartsThatWereAskedForAgainstTheSame) {
  PlannedForms planned = planned_as(four_operations(TimeMode::Blocking), with_a_away());
  planned.steps[0].plan.origin.part_bytes = 12;
  PlainForms plain = with_all_the_ram();
  plain.part_bytes = 12;
  EXPECT_EQ(
      budget_story(planned, {1}, 1, 16, plain)
          .find("Keeping everything would take 24 bytes, and the budget is 16. So by the plan a "
                "step takes 8 s in place of 4 s (100.0 % more), and 5 J in place of 4 J (25.0 % "
                "more). 1 tensor is written"),
      0U);
}

// Addresses may leave gaps where sizes alone would fit.
TEST(BudgetStory, DoesNotCallFreeWhatCostsMore) {
  const PlannedForms planned = planned_as(four_operations(TimeMode::Blocking), with_a_away());
  EXPECT_EQ(
      budget_story(planned, {1}, 1, 24, with_all_the_ram())
          .find("Everything could be kept in the budget of 24 bytes; by the plan a step takes 8 s "
                "in place of 4 s (100.0 % more), and 5 J in place of 4 J (25.0 % more). 1 tensor"),
      0U);
}

TEST(BudgetStory, SaysWherePartsTakeLess) {
  const Problem problem = four_operations(TimeMode::Blocking);
  PlannedForms planned = planned_as(problem, plain_schedule(problem));
  planned.steps[0].plan.origin.part_bytes = 12;
  PlainForms plain = with_all_the_ram(48);
  plain.energy_j = {5};
  EXPECT_EQ(budget_story(planned, {1}, 1, 24, plain),
            "The budget of 24 bytes costs nothing: by the plan a step takes 4 s and 4 J, no more "
            "than with all the RAM it could use.");
}

// Whole, the batch might take less: that is not what the budget is held against.
TEST(BudgetStory, SaysThatABatchIsSplit) {
  const Problem problem = four_operations(TimeMode::Blocking);
  PlannedForms planned = planned_as(problem, plain_schedule(problem));
  planned.steps.push_back(planned.steps.front());
  planned.replays.push_back(planned.replays.front());
  PlainForms plain = with_all_the_ram();
  plain.time_s = plain.energy_j = {4, 4};
  EXPECT_EQ(budget_story(planned, {1, 1}, 2, 24, plain),
            "The budget of 24 bytes costs nothing: by the plan a step of 2 micro-batches takes 8 s "
            "and 8 J, as with all the RAM it could use.");
}

TEST(BudgetStory, SaysWhatWaitingCostsAndWhatWouldHelp) {
  const PlannedForms planned = planned_as(four_operations(TimeMode::Blocking), with_a_away());
  EXPECT_EQ(budget_story(planned, {1}, 1, 16, with_all_the_ram()),
            "Keeping everything would take 24 bytes, and the budget is 16. So by the plan a step "
            "takes 8 s in place of 4 s (100.0 % more), and 5 J in place of 4 J (25.0 % more). 1 "
            "tensor is written to storage and read back. 8 bytes more are read from storage, "
            "because not everything can stay until it is needed. The processor waits 4 s longer "
            "for storage. With 8 bytes more RAM there is a plan that needs nothing of this. Faster "
            "storage "
            "would help most: 50.0 % of the time of a step is waiting for it. Transfers beside the "
            "processor (--io overlapped) could bring a step by this plan down to 4 s at the best.");
}

TEST(BudgetStory, SaysHowManyTimesAsMuchWhereThatIsFarMore) {
  Problem problem = four_operations(TimeMode::Blocking);
  for (Tensor& tensor : problem.tensors) tensor.page_in_s *= 10;
  const std::string story =
      budget_story(planned_as(problem, with_a_away()), {1}, 1, 16, with_all_the_ram());
  EXPECT_NE(story.find("in place of 4 s (6.5 times as much)"), std::string::npos) << story;
}

TEST(BudgetStory, SpeaksOfEnergyWhereNoTimeIsLost) {
  Problem problem = four_operations(TimeMode::Overlapped);
  for (Tensor& tensor : problem.tensors) tensor.page_in_s = tensor.page_out_s = 0;
  const std::string story =
      budget_story(planned_as(problem, with_a_away()), {1}, 1, 16, with_all_the_ram());
  EXPECT_NE(story.find("a step takes 4 s, and 5 J in place of 4 J (25.0 % more)"),
            std::string::npos);
  EXPECT_EQ(story.find("waits"), std::string::npos);
}

TEST(BudgetStory, SaysWhenABudgetCostsNothing) {
  const Problem problem = four_operations(TimeMode::Blocking);
  const PlannedForms planned = planned_as(problem, plain_schedule(problem));
  EXPECT_EQ(budget_story(planned, {1}, 1, 24, with_all_the_ram()),
            "The budget of 24 bytes costs nothing: by the plan a step takes 4 s and 4 J, as with "
            "all the RAM it could use.");
}

}  // namespace
}  // namespace poet
