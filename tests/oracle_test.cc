#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/problem/problem.h"
#include "poet/verify/replay.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/random_problem.h"
#include "support/shown_on_failure.h"

namespace poet::testing {
namespace {

TensorId t(std::int32_t i) {
  return TensorId{i};
}

Tensor sized(std::int64_t size_bytes) {
  Tensor tensor;
  tensor.size_bytes = size_bytes;
  tensor.page_in_j = 1;
  tensor.page_out_j = 1;
  return tensor;
}

Tensor at_home(Home home, std::int64_t size_bytes) {
  Tensor tensor = sized(size_bytes);
  tensor.home = home;
  return tensor;
}

Tensor view_of(std::int32_t root) {
  Tensor tensor;
  tensor.view_of = t(root);
  return tensor;
}

Tensor new_value_of(std::int32_t old, Home home, std::int64_t size_bytes) {
  Tensor tensor = at_home(home, size_bytes);
  tensor.updates = t(old);
  return tensor;
}

Operation operation(std::vector<std::int32_t> inputs, std::vector<std::int32_t> outputs,
                    double compute_j) {
  Operation made;
  for (const std::int32_t input : inputs) made.inputs.push_back(t(input));
  for (const std::int32_t output : outputs) made.outputs.push_back(t(output));
  made.compute_j = compute_j;
  made.compute_s = 1;
  return made;
}

Operation view(std::int32_t input, std::int32_t output) {
  Operation made = operation({input}, {output}, 0);
  made.compute_s = 0;
  made.view = true;
  return made;
}

Operation update(std::vector<std::int32_t> inputs, std::vector<std::int32_t> outputs) {
  Operation made = operation(inputs, outputs, 1);
  made.once = true;
  return made;
}

Problem problem_of(std::vector<Tensor> tensors, std::vector<Operation> operations,
                   std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.tensors = std::move(tensors);
  problem.operations = std::move(operations);
  problem.ram_budget_bytes = ram_budget_bytes;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i)
    problem.tensors[i].name = "t" + std::to_string(i);
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    problem.operations[v].name = "v" + std::to_string(v);
  return problem;
}

// 0 is read by 1 and again by 3; while 2 runs there is no room for it. Computing once costs 6 J and
// 4 s, 0 again 3 J and 1 s, and by way of storage 2 J and 1.5 s.
Problem detour() {
  Problem problem = problem_of({sized(2), sized(4), sized(4), sized(1)},
                               {operation({}, {0}, 3), operation({0}, {1}, 1),
                                operation({1}, {2}, 1), operation({0, 2}, {3}, 1)},
                               8);
  problem.tensors[0].page_out_s = 0.5;
  problem.tensors[0].page_in_s = 1;
  return problem;
}

// 0 is needed at the end, and 1 needs all the RAM between. 5 J once; 0 again 3 J, by way of storage
// 2 J.
Problem interruption() {
  return problem_of({sized(4), sized(8), sized(1)},
                    {operation({}, {0}, 3), operation({}, {1}, 1), operation({0}, {2}, 1)}, 8);
}

// --- the examples of docs/model/problem.md §2.3 and §2.8

TEST(Oracle, LargestWorkingSetIsNotAlwaysEnoughWithoutPaging) {
  Problem problem = problem_of({sized(3), sized(3), sized(4), sized(1)},
                               {operation({}, {0}, 1), operation({0}, {1}, 1),
                                operation({0}, {2}, 1), operation({1, 2}, {3}, 1)},
                               8);
  EXPECT_EQ(largest_working_set(problem).bytes, 8);
  EXPECT_EQ(cheapest_objective(problem), 6);  // 1 goes to storage and back
  EXPECT_EQ(least_ram_budget(problem), 8);

  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  EXPECT_EQ(least_ram_budget(problem), 10);
}

TEST(Oracle, RepeatsWithinAStageComeInIncreasingOrder) {
  Problem problem =
      problem_of({sized(6), sized(6), sized(1), sized(1), sized(8), sized(1)},
                 {operation({}, {0}, 1), operation({}, {1}, 1), operation({0}, {2}, 1),
                  operation({1}, {3}, 1), operation({}, {4}, 1), operation({2, 3}, {5}, 1)},
                 8);
  // Operation 1 finds no room beside 0; both it and 4 empty the RAM, and 2 and 3 must come back.
  EXPECT_EQ(cheapest_objective(problem), 6 + 3 * 2);
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  EXPECT_EQ(least_ram_budget(problem), 9);
}

// --- the two techniques
// ------------------------------------------------------------------------------------------

TEST(Oracle, TakesTheCheaperOfTheTwoTechniques) {
  EXPECT_EQ(cheapest_objective(detour()), 8);
  Problem problem = detour();
  problem.tensors[0].page_in_j = 3;
  EXPECT_EQ(cheapest_objective(problem), 9);
}

TEST(Oracle, RecomputesWhenPagingIsOff) {
  Problem problem = detour();
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), 9);
}

TEST(Oracle, PagesWhenRematerialisationIsOff) {
  Problem problem = detour();
  problem.rematerialisation_allowed = false;
  problem.tensors[0].page_in_j = 3;
  EXPECT_EQ(cheapest_objective(problem), 10);
}

TEST(Oracle, HasOnlyTheBudgetWhenBothAreOff) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.rematerialisation_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  EXPECT_EQ(least_ram_budget(problem), 10);
}

TEST(Oracle, DoesNotRepeatAnOnceOperation) {
  Problem problem = detour();
  problem.operations[0].once = true;
  EXPECT_EQ(cheapest_objective(problem), 8);
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, WritesATensorOnceAndReadsItAgainAndAgain) {
  Problem problem =
      problem_of({sized(4), sized(8), sized(1), sized(8), sized(1)},
                 {operation({}, {0}, 9), operation({}, {1}, 1), operation({0}, {2}, 1),
                  operation({}, {3}, 1), operation({0}, {4}, 1)},
                 8);
  EXPECT_EQ(cheapest_objective(problem), 13 + 1 + 2 * 1);
}

// --- time, idle power and the other objective
// --------------------------------------------------------------------

TEST(Oracle, BlockingTransfersCountForTheDeadline) {
  Problem problem = detour();
  problem.deadline_s = 5.5;
  EXPECT_EQ(cheapest_objective(problem), 8);
  problem.deadline_s = 5;
  EXPECT_EQ(cheapest_objective(problem), 9);
  problem.deadline_s = 4.875;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, FreeTransfersDoNot) {
  Problem problem = detour();
  problem.time_mode = TimeMode::Free;
  problem.deadline_s = 4;
  EXPECT_EQ(cheapest_objective(problem), 8);
}

TEST(Oracle, TheDeadlineHasItsTolerance) {
  Problem problem = detour();
  problem.deadline_s = 5 - 1e-9;
  EXPECT_EQ(cheapest_objective(problem), 9);
  problem.deadline_s = 5 - 1e-8;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, MinimisesTimeWhenAsked) {
  Problem problem = detour();
  problem.objective = Objective::Time;
  EXPECT_EQ(cheapest_objective(problem), 5);
  problem.time_mode = TimeMode::Free;
  EXPECT_EQ(cheapest_objective(problem), 4);
}

TEST(Oracle, ChargesIdlePowerOnTheWholeStep) {
  Problem problem = detour();
  problem.idle_w = 4;
  EXPECT_EQ(cheapest_objective(problem), 9 + 4 * 5);  // and not 8 + 4 * 5.5
  problem.time_mode = TimeMode::Free;
  EXPECT_EQ(cheapest_objective(problem), 8 + 4 * 4);
}

// --- storage
// -----------------------------------------------------------------------------------------------------

TEST(Oracle, KeepsToTheStorageCapacity) {
  Problem problem = detour();
  problem.storage_capacity_bytes = 2;
  EXPECT_EQ(cheapest_objective(problem), 8);
  problem.storage_capacity_bytes = 1;
  EXPECT_EQ(cheapest_objective(problem), 9);
}

TEST(Oracle, HomesCountForTheStorageCapacity) {
  Problem problem = detour();
  problem.tensors.push_back(at_home(Home::Storage, 5));
  problem.storage_capacity_bytes = 7;
  EXPECT_EQ(cheapest_objective(problem), 8);
  problem.storage_capacity_bytes = 6;
  EXPECT_EQ(cheapest_objective(problem), 9);
  problem.storage_capacity_bytes = 4;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  problem.tensors[4].may_be_resident = true;  // it keeps its place: checkpoints write it
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, KeepsToTheWriteBudget) {
  Problem problem = detour();
  problem.write_budget_bytes = 2;
  EXPECT_EQ(cheapest_objective(problem), 8);
  problem.write_budget_bytes = 1;
  EXPECT_EQ(cheapest_objective(problem), 9);
}

// --- what operations need
// ----------------------------------------------------------------------------------------

TEST(Oracle, CountsWorkspaceWhileTheOperationRuns) {
  Problem problem = detour();
  problem.operations[3].workspace_bytes = 1;
  EXPECT_EQ(cheapest_objective(problem), 8);
  problem.operations[3].workspace_bytes = 2;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, CountsOutputsThatNobodyReads) {
  Problem problem = problem_of({sized(2), sized(6)}, {operation({}, {0, 1}, 1)}, 8);
  EXPECT_EQ(cheapest_objective(problem), 1);
  EXPECT_EQ(least_ram_budget(problem), 8);
}

TEST(Oracle, RepeatsAllOutputsTogether) {
  Problem problem =
      problem_of({sized(2), sized(2), sized(8), sized(1)},
                 {operation({}, {0, 1}, 5), operation({}, {2}, 1), operation({0, 1}, {3}, 1)}, 8);
  EXPECT_EQ(cheapest_objective(problem), 7 + 2 * 2);
  problem.tensors[1].page_in_j = 9;
  EXPECT_EQ(cheapest_objective(problem), 7 + 5);
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), 7 + 5);
}

TEST(Oracle, SharesTheBufferOfAnInputThatDies) {
  Problem problem = detour();
  problem.operations[2].in_place = InPlace{t(1), t(2)};
  EXPECT_EQ(cheapest_objective(problem), 6);
  problem.ram_budget_bytes = 7;
  EXPECT_EQ(cheapest_objective(problem), 6);
  EXPECT_EQ(least_ram_budget(problem), 7);  // operation 3 needs 0, 2 and 3
}

TEST(Oracle, SharesWithASmallerOutput) {
  Problem problem =
      problem_of({sized(5), sized(4), sized(2)},
                 {operation({}, {0}, 1), operation({0}, {1}, 1), operation({1}, {2}, 1)}, 6);
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  problem.operations[1].in_place = InPlace{t(0), t(1)};
  EXPECT_EQ(cheapest_objective(problem), 3);  // 5 bytes while 1 takes 4 of them over, then 4 + 2
  EXPECT_EQ(least_ram_budget(problem), 6);
}

TEST(Oracle, SharesNothingWithAnInputThatIsReadLater) {
  Problem problem =
      problem_of({sized(4), sized(4), sized(0)},
                 {operation({}, {0}, 3), operation({0}, {1}, 1), operation({0, 1}, {2}, 1)}, 8);
  problem.operations[1].in_place = InPlace{t(0), t(1)};
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), 5);
  EXPECT_EQ(least_ram_budget(problem), 8);
}

TEST(Oracle, TensorsWithoutBytesStay) {
  Problem problem = detour();
  problem.tensors[0].size_bytes = 0;
  EXPECT_EQ(cheapest_objective(problem), 6);
}

// --- views
// -------------------------------------------------------------------------------------------------------

TEST(Oracle, ViewsHaveNoBytesOfTheirOwn) {
  const Problem problem =
      problem_of({sized(4), view_of(0), view_of(0), sized(4)},
                 {operation({}, {0}, 1), view(0, 1), view(1, 2), operation({1, 2}, {3}, 1)}, 8);
  EXPECT_EQ(cheapest_objective(problem), 2);
  EXPECT_EQ(least_ram_budget(problem), 8);
}

TEST(Oracle, ViewsMoveAsTheirRoot) {
  Problem problem = problem_of(
      {sized(4), view_of(0), sized(8), sized(1)},
      {operation({}, {0}, 3), view(0, 1), operation({}, {2}, 1), operation({1}, {3}, 1)}, 8);
  EXPECT_EQ(cheapest_objective(problem), 5 + 2);
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), 5 + 3);
}

TEST(Oracle, AViewFindsItsRootInRam) {
  // The root has to be back for the view already, and again for its reader.
  const Problem problem = problem_of({sized(4), sized(8), view_of(0), sized(8), sized(1)},
                                     {operation({}, {0}, 9), operation({}, {1}, 1), view(0, 2),
                                      operation({}, {3}, 1), operation({2}, {4}, 1)},
                                     8);
  EXPECT_EQ(cheapest_objective(problem), 12 + 1 + 2 * 1);
}

// --- homes
// -------------------------------------------------------------------------------------------------------

TEST(Oracle, ReadsStorageHomesWheneverItNeedsThem) {
  Problem problem =
      problem_of({at_home(Home::Storage, 4), sized(4), sized(8), sized(0)},
                 {operation({0}, {1}, 3), operation({}, {2}, 1), operation({0, 1}, {3}, 1)}, 8);
  EXPECT_EQ(cheapest_objective(problem), 5 + 2 * 1 + 2);  // 1 by way of storage
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), 5 + 2 * 1 + 3);  // 1 again
}

TEST(Oracle, RomTakesNoRam) {
  const Problem problem = problem_of({at_home(Home::Rom, 100), sized(4), sized(4)},
                                     {operation({0}, {1}, 1), operation({0, 1}, {2}, 1)}, 8);
  EXPECT_EQ(cheapest_objective(problem), 2);
  EXPECT_EQ(least_ram_budget(problem), 8);
}

TEST(Oracle, ResidentsAreInRamAllTheTime) {
  Problem problem = interruption();
  problem.tensors.push_back(at_home(Home::Resident, 3));
  problem.operations[0].inputs = {t(3)};
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  EXPECT_EQ(least_ram_budget(problem), 11);
}

TEST(Oracle, ChoosesResidentsWhereThereIsRoom) {
  Problem problem = interruption();
  problem.tensors.push_back(at_home(Home::Storage, 3));
  problem.tensors[3].may_be_resident = true;
  problem.operations[0].inputs = {t(3)};
  EXPECT_EQ(cheapest_objective(problem), 5 + 1 + 2);
  problem.ram_budget_bytes = 11;
  EXPECT_EQ(cheapest_objective(problem), 5 + 2);
  problem.tensors[3].may_be_resident = false;
  EXPECT_EQ(cheapest_objective(problem), 5 + 1 + 2);
}

// --- updates
// -----------------------------------------------------------------------------------------------------

// A weight, its gradient, its update in place: 8 bytes are enough.
Problem training() {
  Problem problem =
      problem_of({at_home(Home::Storage, 4), sized(4), new_value_of(0, Home::Made, 4)},
                 {operation({0}, {1}, 1), update({0, 1}, {2})}, 8);
  problem.operations[1].in_place = InPlace{t(0), t(2)};
  return problem;
}

TEST(Oracle, WritesTheNewValueBack) {
  EXPECT_EQ(cheapest_objective(training()), 2 + 1 + 1);
  Problem problem = training();
  problem.paging_allowed = false;  // that does not count as paging
  EXPECT_EQ(cheapest_objective(problem), 2 + 1 + 1);
  problem.operations[1].in_place.reset();
  EXPECT_EQ(least_ram_budget(problem), 12);
}

TEST(Oracle, TheNewValueTakesTheOldOnesPlaceInStorage) {
  Problem problem = training();
  problem.storage_capacity_bytes = 4;
  problem.write_budget_bytes = 4;
  EXPECT_EQ(cheapest_objective(problem), 4);
  problem.write_budget_bytes = 3;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, WhatOperationsWriteThemselvesLeavesLessOfTheWriteBudget) {
  Problem problem = training();
  problem.operations[1].written_bytes = 3;
  problem.write_budget_bytes = 7;
  EXPECT_EQ(cheapest_objective(problem), 4);
  problem.write_budget_bytes = 6;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
}

TEST(Oracle, AResidentIsUpdatedInItsPlace) {
  Problem problem = training();
  problem.operations[1].in_place.reset();
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  problem.tensors[0].may_be_resident = true;
  problem.write_budget_bytes = 0;
  EXPECT_EQ(cheapest_objective(problem), 2);  // no read, no write, no room for the new value

  problem.tensors[0] = at_home(Home::Resident, 4);
  problem.tensors[2] = new_value_of(0, Home::Resident, 4);
  EXPECT_EQ(cheapest_objective(problem), 2);
  EXPECT_EQ(least_ram_budget(problem), 8);
}

TEST(Oracle, ReadsTheNewValueBackAfterWritingIt) {
  Problem problem = training();
  problem.tensors.push_back(sized(8));
  problem.tensors.push_back(sized(1));
  problem.operations.push_back(operation({}, {3}, 1));
  problem.operations.push_back(operation({2}, {4}, 1));
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), 4 + 1 + 1 + 1);
}

TEST(Oracle, NothingReadsTheOldValueAfterItsUpdate) {
  // 1 is made from the weight, and is needed again when the weight is no more.
  Problem problem = problem_of(
      {at_home(Home::Storage, 4), sized(4), new_value_of(0, Home::Made, 4), sized(8), sized(1)},
      {operation({0}, {1}, 1), update({0}, {2}), operation({}, {3}, 1), operation({1}, {4}, 1)}, 8);
  problem.operations[1].in_place = InPlace{t(0), t(2)};
  EXPECT_EQ(cheapest_objective(problem), 4 + 1 + 1 + 2);
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  problem.tensors[2].updates.reset();  // as if the weight stayed as it is
  EXPECT_EQ(cheapest_objective(problem), 4 + 1 + (1 + 1));
}

TEST(Oracle, NorDoesItWhenTheOldValueIsStillInRam) {
  // Beside 3 there is room for the weight, and not for 1, which would have to be made again from
  // it.
  Problem problem = problem_of(
      {at_home(Home::Storage, 4), sized(6), new_value_of(0, Home::Made, 4), sized(8), sized(1)},
      {operation({0}, {1}, 1), update({0}, {2}), operation({}, {3}, 1), operation({1}, {4}, 1)},
      12);
  problem.paging_allowed = false;
  EXPECT_EQ(cheapest_objective(problem), std::nullopt);
  problem.tensors[2].updates.reset();
  problem.tensors[0].page_in_j = 5;
  EXPECT_EQ(cheapest_objective(problem), 4 + 5 + 1);  // it stays, and 1 is made from it twice
}

// --- against the verifier and itself
// -----------------------------------------------------------------------------

RandomProblemOptions everything() {
  RandomProblemOptions options;
  options.least_operations = 4;
  options.most_operations = 8;
  return options;
}

TEST(Oracle, ItsScheduleIsValidAndCostsWhatItSays) {
  for (std::uint64_t seed = 0; seed < random_cases(500); ++seed) {
    const Problem problem = random_problem(everything(), seed);
    const ShownOnFailure shown(problem, seed);
    const std::optional<double> objective = cheapest_objective(problem);
    const std::optional<Schedule> schedule = cheapest_schedule(problem);
    ASSERT_EQ(schedule.has_value(), objective.has_value());
    if (!schedule) continue;
    const Replay replayed = replay(problem, *schedule);
    ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
    ASSERT_DOUBLE_EQ(objective_of(problem, replayed), *objective);
  }
}

TEST(Oracle, IsNeverWorseThanThePlainSchedule) {
  for (std::uint64_t seed = 0; seed < random_cases(500); ++seed) {
    Problem problem = random_problem(everything(), seed);
    const ShownOnFailure shown(problem, seed);
    problem.ram_budget_bytes = plain_peak_bytes(problem);
    const Replay plain = replay(problem, plain_schedule(problem));
    if (!plain.valid()) continue;  // a deadline, or a budget of storage
    const std::optional<double> objective = cheapest_objective(problem);
    ASSERT_TRUE(objective);
    ASSERT_LE(*objective, objective_of(problem, plain) * (1 + 1e-12));
  }
}

// What may be done besides, and a byte more, never make a step dearer.
TEST(Oracle, MoreFreedomNeverCostsMore) {
  constexpr double kNone = 1e300;
  for (std::uint64_t seed = 0; seed < random_cases(250); ++seed) {
    const Problem problem = random_problem(everything(), seed);
    const ShownOnFailure shown(problem, seed);
    const double objective = cheapest_objective(problem).value_or(kNone);
    Problem freer = problem;
    freer.ram_budget_bytes += 1;
    ASSERT_LE(cheapest_objective(freer).value_or(kNone), objective);
    freer = problem;
    freer.paging_allowed = true;
    ASSERT_LE(cheapest_objective(freer).value_or(kNone), objective);
    freer = problem;
    freer.rematerialisation_allowed = true;
    ASSERT_LE(cheapest_objective(freer).value_or(kNone), objective);
    freer = problem;
    freer.deadline_s.reset();
    ASSERT_LE(cheapest_objective(freer).value_or(kNone), objective);
    freer = problem;
    freer.storage_capacity_bytes.reset();
    freer.write_budget_bytes.reset();
    ASSERT_LE(cheapest_objective(freer).value_or(kNone), objective);
  }
}

TEST(Oracle, LeastRamBudgetIsTheFirstThatWorks) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    Problem problem = random_problem({}, seed);
    const ShownOnFailure shown(problem, seed);
    const std::optional<std::int64_t> least = least_ram_budget(problem);
    if (!least) continue;
    problem.ram_budget_bytes = *least;
    ASSERT_TRUE(cheapest_objective(problem));
    problem.ram_budget_bytes = *least - 1;
    ASSERT_FALSE(cheapest_objective(problem));
  }
}

}  // namespace
}  // namespace poet::testing
