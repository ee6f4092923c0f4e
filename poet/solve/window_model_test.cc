#include "poet/solve/window_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "poet/solve/detour_for_tests.h"
#include "poet/solve/incumbent.h"
#include "poet/solve/linear_backend.h"

namespace poet {
namespace {

// The least cost beyond one execution of everything; nothing when the model has no solution.
std::optional<double> least_cost(const Problem& problem, const WindowKeys& keys) {
  const WindowModel model = make_window_model(make_step(problem), keys);
  const IntegerAnswer answer = (*open_backend("cbc"))->solve(model.linear, {}, {}, {}, {});
  if (answer.status != LinearStatus::Optimal) return std::nullopt;
  return model.constant_cost + incumbent_from(model.linear, answer.values).objective;
}

// From the key at c on: d may find a there or not; b and c are in RAM at the key anyway, and may
// come again, too.
TEST(WindowModel, HasColumnsForWhatIsOpen) {
  const WindowModel model = make_window_model(make_step(detour()), {.stages = {2}});
  EXPECT_EQ(model.windows(), 2);
  EXPECT_EQ(model.reexecutions(), 3);
  for (std::int32_t n = 0; n < 4; ++n) {
    EXPECT_FALSE(model.present[0][n]);
    EXPECT_FALSE(model.made[0][n]);
    EXPECT_FALSE(model.read[0][n]);
    EXPECT_EQ(model.present[1][n].has_value(), n == 0);
    EXPECT_EQ(model.made[1][n].has_value(), n < 3);
    EXPECT_EQ(model.read[1][n].has_value(), n < 3);
    EXPECT_EQ(model.stored[n].has_value(), n < 3);  // nobody reads d
    EXPECT_FALSE(model.resident[n]);
  }
  EXPECT_EQ(model.linear.columns.size(), 1u + 3u + 3u + 3u);
  // d needs a; b made again needs a; three reads need copies; a in 12 - 4 - 5 bytes.
  EXPECT_EQ(model.linear.rows.size(), 1u + 1u + 3u + 1u);
}

TEST(WindowModel, CountsRamAtItsKeysOnly) {
  EXPECT_EQ(least_cost(detour(), {.stages = {2}}), 2.5);
  EXPECT_EQ(least_cost(detour(), {.stages = {0, 1, 2, 3}}), 2.5);
  EXPECT_EQ(least_cost(detour(), {.stages = {1, 3}}), 0);
  EXPECT_EQ(least_cost(detour(), {}), 0);
}

TEST(WindowModel, StatesCostsInItsUnit) {
  const WindowModel model =
      make_window_model(make_step(detour()), {.stages = {2}}, {.cost_unit = 0.5});
  EXPECT_EQ(model.linear.columns[*model.stored[0]].cost, 3);
  EXPECT_EQ(model.linear.columns[*model.read[1][0]].cost, 2);
  EXPECT_EQ(model.linear.columns[*model.made[1][0]].cost, 6);
}

TEST(WindowModel, WhatIsAbsentComesWhole) {
  Problem problem = detour();
  problem.ram_budget_bytes = 14;  // a fits but for one byte
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 2.5);
  problem.ram_budget_bytes = 15;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 0);
}

TEST(WindowModel, WithoutPagingItIsMadeAgain) {
  Problem problem = detour();
  problem.paging_allowed = false;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 3);
  problem.rematerialisation_allowed = false;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), std::nullopt);
}

// b is absent at the key; made again it costs 1, and the a that it needs 3.
TEST(WindowModel, WhatMakesATensorNeedsItsInputs) {
  Problem problem = deep_detour();
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 2.5);
  problem.paging_allowed = false;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 1 + 3);
}

// b is needed two keys after it had to leave: it is carried over the second only if it came.
TEST(WindowModel, CarriesOnlyWhatCame) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.tensors.push_back({.name = "e", .size_bytes = 1});
  problem.operations.push_back(
      {.name = "make e", .inputs = {TensorId{0}}, .outputs = {TensorId{4}}});
  problem.operations[3].inputs = {TensorId{2}};
  EXPECT_EQ(least_cost(problem, {.stages = {2, 3}}), 3);
}

// While b is made again, c must be in RAM unless it comes later, made again for 1; while it is, b
// must be.
TEST(WindowModel, CrowdedExecutionsNeedTheirRoom) {
  Problem problem = deep_detour();
  problem.paging_allowed = false;
  EXPECT_EQ(least_cost(problem, {.stages = {2, 3}}), 4);
  EXPECT_EQ(least_cost(problem, {.stages = {2, 3}, .crowded = {{3, 1}}}), 4 + 1);
  EXPECT_EQ(least_cost(problem, {.stages = {2, 3}, .crowded = {{3, 1}, {3, 2}}}), std::nullopt);
  problem.ram_budget_bytes = 11;  // of 4 + 4 + 3, when c need not make room for b either
  problem.operations[2].workspace_bytes = 5;
  EXPECT_EQ(least_cost(problem, {.stages = {2, 3}, .crowded = {{3, 1}, {3, 2}}}), 4);
}

TEST(WindowModel, CrowdedExecutionsNeedNotWaitForWhatIsReadAfterThem) {
  Problem problem = deep_detour();
  problem.operations[2].compute_j = 9;
  for (const std::int32_t n : {0, 1}) problem.tensors[n].page_in_j = 100;
  EXPECT_EQ(least_cost(problem, {.stages = {2, 3}, .crowded = {{3, 1}}}), 4 + 2.5);
}

// The deep detour with u, 1 byte, which is made first and costs 9.
Problem deep_detour_after_u() {
  Problem problem = deep_detour();
  problem.paging_allowed = false;
  for (Operation& operation : problem.operations) {
    for (TensorId& input : operation.inputs) input = TensorId{index_of(input) + 1};
    for (TensorId& output : operation.outputs) output = TensorId{index_of(output) + 1};
  }
  problem.tensors.insert(problem.tensors.begin(), {.name = "u", .size_bytes = 1});
  problem.operations.insert(problem.operations.begin(),
                            {.name = "make u", .outputs = {TensorId{0}}, .compute_j = 9});
  return problem;
}

// While a is made again, u must be in RAM because b is made again after it, from u too: 4 + 1 of
// workspace + 1 leaves no room for c, made again for 1.
TEST(WindowModel, CrowdedExecutionsLeaveRoomForWhatLaterOnesRead) {
  Problem problem = deep_detour_after_u();
  problem.operations[1].workspace_bytes = 1;
  problem.operations[2].inputs.push_back(TensorId{0});
  EXPECT_EQ(least_cost(problem, {.stages = {3, 4}}), 4);
  EXPECT_EQ(least_cost(problem, {.stages = {3, 4}, .crowded = {{4, 1}}}), 4 + 1);
  problem.tensors[0].size_bytes = 0;
  EXPECT_EQ(least_cost(problem, {.stages = {3, 4}, .crowded = {{4, 1}}}), 4);
}

// The same where e reads u after d: 4 + 2 of workspace + 1 of 9 leave no room for c.
TEST(WindowModel, CrowdedExecutionsLeaveRoomForWhatStays) {
  Problem problem = deep_detour_after_u();
  problem.tensors.push_back({.name = "e"});
  problem.operations.push_back(
      {.name = "make e", .inputs = {TensorId{0}}, .outputs = {TensorId{5}}});
  problem.operations[1].workspace_bytes = 2;
  problem.ram_budget_bytes = 9;
  EXPECT_EQ(least_cost(problem, {.stages = {3, 4}}), 4);
  EXPECT_EQ(least_cost(problem, {.stages = {3, 4}, .crowded = {{4, 1}}}), 4 + 1);
}

TEST(WindowModel, KeepsTheDeadline) {
  Problem problem = detour();
  problem.deadline_s = 6;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 2.5);  // transfers take no time
  problem.paging_allowed = false;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), std::nullopt);
  problem.deadline_s = 6 + 3;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 3);
}

TEST(WindowModel, KeepsTheDeadlineWithTransfers) {
  Problem problem = detour();
  problem.time_mode = TimeMode::Blocking;
  problem.tensors[0].page_in_s = 0.25;
  problem.tensors[0].page_out_s = 0.5;
  problem.deadline_s = 6.75;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 2.5);
  problem.deadline_s = 6.5;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), std::nullopt);
}

TEST(WindowModel, KeepsStorageAndWriteBudgets) {
  Problem problem = detour();
  problem.storage_capacity_bytes = problem.write_budget_bytes = 6;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 2.5);
  problem.storage_capacity_bytes = 5;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 3);
  problem.storage_capacity_bytes = 6;
  problem.write_budget_bytes = 5;
  EXPECT_EQ(least_cost(problem, {.stages = {2}}), 3);
}

// A weight (4 bytes) that the first operation reads and the third updates, around operations of 10
// and 9 bytes. Each read and write costs 1; resident it costs nothing.
Problem one_update(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.tensors = {
      {.size_bytes = 4, .home = Home::Storage, .may_be_resident = true, .page_in_j = 1},
      {.size_bytes = 0},
      {.size_bytes = 0},
      {.size_bytes = 4, .updates = TensorId{0}, .page_out_j = 1},
      {.size_bytes = 0},
  };
  problem.operations = {
      {.inputs = {TensorId{0}}, .outputs = {TensorId{1}}},
      {.outputs = {TensorId{2}}, .workspace_bytes = 10},
      {.inputs = {TensorId{0}}, .outputs = {TensorId{3}}, .once = true},
      {.outputs = {TensorId{4}}, .workspace_bytes = 9},
  };
  problem.ram_budget_bytes = ram_budget_bytes;
  return problem;
}

TEST(WindowModel, AResidentTakesItsBytesAtEveryKey) {
  EXPECT_EQ(least_cost(one_update(12), {.stages = {0, 2}}), 0);
  EXPECT_EQ(least_cost(one_update(13), {.stages = {1}}), 2 + 1);  // read before and after the key
  EXPECT_EQ(least_cost(one_update(14), {.stages = {1}}), 0);
}

TEST(WindowModel, ANewValueTakesAResidentsBytes) {
  EXPECT_EQ(least_cost(one_update(12), {.stages = {3}}), 1 + 1);
  EXPECT_EQ(least_cost(one_update(13), {.stages = {3}}), 0);
}

TEST(WindowModel, UpdatesAreWritten) {
  Problem problem = one_update(13);
  problem.write_budget_bytes = 4;
  EXPECT_EQ(least_cost(problem, {.stages = {1}}), 3);
  problem.write_budget_bytes = 3;
  EXPECT_EQ(least_cost(problem, {.stages = {1}}), std::nullopt);
  problem.ram_budget_bytes = 14;  // resident
  EXPECT_EQ(least_cost(problem, {.stages = {1}}), 0);
}

TEST(WindowModel, UpdatesTakeTheTimeOfTheirWrites) {
  Problem problem = one_update(13);
  problem.tensors[3].page_out_s = 0.5;
  problem.deadline_s = 0.5;
  EXPECT_EQ(least_cost(problem, {.stages = {1}}), 3);
  problem.deadline_s = 0.25;
  EXPECT_EQ(least_cost(problem, {.stages = {1}}), std::nullopt);
  problem.ram_budget_bytes = 14;  // resident
  EXPECT_EQ(least_cost(problem, {.stages = {1}}), 0);
}

}  // namespace
}  // namespace poet
