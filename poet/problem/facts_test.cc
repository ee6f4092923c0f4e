#include "poet/problem/facts.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}

// x -> a -> b -> loss(a, b): sizes 1, 4, 2, 1; x lives in storage.
Problem small_problem() {
  Problem problem;
  problem.tensors = {{.name = "x", .size_bytes = 1, .home = Home::Storage, .page_in_j = 0.5},
                     {.name = "a", .size_bytes = 4},
                     {.name = "b", .size_bytes = 2},
                     {.name = "loss", .size_bytes = 1}};
  problem.operations = {
      {.name = "a", .inputs = {t(0)}, .outputs = {t(1)}, .compute_j = 1, .compute_s = 10},
      {.name = "b", .inputs = {t(1)}, .outputs = {t(2)}, .compute_j = 2, .compute_s = 20},
      {.name = "loss", .inputs = {t(1), t(2)}, .outputs = {t(3)}, .compute_j = 4, .compute_s = 5}};
  return problem;
}

TEST(Facts, PlainScheduleReadsHomesLateAndDropsAtTheLastUse) {
  const Schedule schedule = plain_schedule(small_problem());
  const std::vector<Action> expected = {PageIn{t(0)},   Compute{op(0)}, Drop{t(0)}, Compute{op(1)},
                                        Compute{op(2)}, Drop{t(1)},     Drop{t(2)}, Drop{t(3)}};
  EXPECT_EQ(schedule.actions, expected);
  EXPECT_EQ(plain_peak_bytes(small_problem()), 7);
}

TEST(Facts, LargestWorkingSetNamesTheFirstOperationThatNeedsMost) {
  Problem problem = small_problem();
  EXPECT_EQ(largest_working_set(problem).bytes, 7);
  EXPECT_EQ(largest_working_set(problem).operation, op(2));
  problem.operations[1].workspace_bytes = 1;
  EXPECT_EQ(largest_working_set(problem).operation, op(1));
}

TEST(Facts, InPlaceSharesOnlyWhenTheInputDies) {
  Problem problem = small_problem();
  problem.operations[1].in_place = InPlace{t(1), t(2)};  // a is read again by the loss
  EXPECT_EQ(plain_peak_bytes(problem), 7);
  problem.operations[2].in_place = InPlace{t(1), t(3)};  // a dies here
  EXPECT_EQ(plain_peak_bytes(problem), 6);
  EXPECT_EQ(working_set_bytes(problem, op(2)), 6);
}

TEST(Facts, AViewIsItsRoot) {
  Problem problem = small_problem();
  problem.tensors[2].view_of = t(1);
  problem.operations[1].view = true;
  EXPECT_EQ(root_of(problem, t(2)), t(1));
  EXPECT_EQ(ram_inputs(problem, op(2)), std::vector<TensorId>{t(1)});
  EXPECT_TRUE(made_outputs(problem, op(1)).empty());
  EXPECT_EQ(readers(problem)[1], (std::vector<OperationId>{op(1), op(2)}));
  EXPECT_EQ(plain_peak_bytes(problem), 5);
}

TEST(Facts, ResidentsCountInEveryWorkingSetOnceWithTheirNewValue) {
  Problem problem = small_problem();
  problem.tensors[0].home = Home::Resident;
  problem.tensors.push_back(
      {.name = "x'", .size_bytes = 1, .home = Home::Resident, .updates = t(0)});
  problem.operations.push_back(
      {.name = "update", .inputs = {t(0), t(3)}, .outputs = {t(4)}, .once = true});
  EXPECT_EQ(resident_bytes(problem), 1);
  EXPECT_EQ(working_set_bytes(problem, op(3)), 2);
  EXPECT_EQ(plain_peak_bytes(problem), 8);
}

TEST(Facts, UnavoidableIsOneExecutionAndTheTransfersThatMustBe) {
  Problem problem = small_problem();
  problem.idle_w = 2;
  problem.tensors[0].page_in_s = 3;
  EXPECT_DOUBLE_EQ(unavoidable(problem).energy_j, 7 + 2 * 35 + 0.5);
  EXPECT_DOUBLE_EQ(unavoidable(problem).time_s, 38);
  problem.time_mode = TimeMode::Free;
  EXPECT_DOUBLE_EQ(unavoidable(problem).time_s, 35);
}

TEST(Facts, UnavoidableObjectiveIsInTheUnitOfTheObjective) {
  Problem problem = small_problem();
  problem.objective = Objective::Energy;
  EXPECT_DOUBLE_EQ(unavoidable_objective(problem), 7.5);
  problem.objective = Objective::Time;
  EXPECT_DOUBLE_EQ(unavoidable_objective(problem), 35);
}

}  // namespace
}  // namespace poet
