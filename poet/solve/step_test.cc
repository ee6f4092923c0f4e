#include "poet/solve/step.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace poet {
namespace {

// A weight (0), a table in rom (1) and a resident (2); a (3) is made from the weight, (4) is a view
// of it, b (5) is made from the view, the table and the resident.
Problem every_home() {
  Problem problem;
  problem.tensors = {
      {.size_bytes = 4, .home = Home::Storage, .page_in_j = 2, .page_in_s = 3},
      {.size_bytes = 100, .home = Home::Rom},
      {.size_bytes = 3, .home = Home::Resident},
      {.size_bytes = 5, .page_in_j = 1, .page_out_j = 2, .page_in_s = 1, .page_out_s = 2},
      {.size_bytes = 5, .view_of = TensorId{3}},
      {.size_bytes = 6},
  };
  problem.operations = {
      {.inputs = {TensorId{0}}, .outputs = {TensorId{3}}, .compute_j = 7, .compute_s = 8},
      {.inputs = {TensorId{3}}, .outputs = {TensorId{4}}, .view = true},
      {.inputs = {TensorId{4}, TensorId{1}, TensorId{2}},
       .outputs = {TensorId{5}},
       .workspace_bytes = 9},
  };
  problem.ram_budget_bytes = 40;
  return problem;
}

TEST(Step, LeavesOutWhatNeverMovesAndFoldsViews) {
  const Step step = make_step(every_home());
  ASSERT_EQ(step.chains.size(), 3u);
  EXPECT_EQ(step.chains[0].tensor, TensorId{0});
  EXPECT_EQ(step.chains[1].tensor, TensorId{3});
  EXPECT_EQ(step.chains[2].tensor, TensorId{5});
  EXPECT_EQ(step.chains[0].producer, std::nullopt);
  EXPECT_EQ(step.chains[1].producer, 0);
  EXPECT_EQ(step.chains[1].readers, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(step.operations[1].outputs, std::vector<std::int32_t>{});
  EXPECT_EQ(step.operations[2].inputs, std::vector<std::int32_t>{1});
  EXPECT_EQ(step.operations[2].workspace_bytes, 9);
}

TEST(Step, TakesResidentsOffTheBudget) {
  EXPECT_EQ(make_step(every_home()).budget_bytes, 40 - 3);
}

TEST(Step, TakesHomesOffTheStorageCapacity) {
  Problem problem = every_home();
  EXPECT_EQ(make_step(problem).storage_room_bytes, std::nullopt);
  problem.storage_capacity_bytes = 10;
  EXPECT_EQ(make_step(problem).storage_room_bytes, 10 - 4);
}

TEST(Step, ChargesIdlePowerForTimeThatBlocks) {
  Problem problem = every_home();
  problem.idle_w = 10;
  const Step blocking = make_step(problem);
  EXPECT_EQ(blocking.once_cost, 7 + 10 * 8);
  EXPECT_EQ(blocking.chains[0].read_cost, 2 + 10 * 3);
  EXPECT_EQ(blocking.chains[1].write_cost, 2 + 10 * 2);
  EXPECT_EQ(blocking.chains[1].write_s, 2);
  problem.time_mode = TimeMode::Free;
  const Step free = make_step(problem);
  EXPECT_EQ(free.chains[0].read_cost, 2);
  EXPECT_EQ(free.chains[0].read_s, 0);
}

TEST(Step, CountsSecondsWhereTimeIsTheObjective) {
  Problem problem = every_home();
  problem.objective = Objective::Time;
  EXPECT_EQ(make_step(problem).once_cost, 8);
  EXPECT_EQ(make_step(problem).chains[0].read_cost, 3);
}

TEST(Step, KnowsWhatMayBeWrittenAndRead) {
  Problem problem = every_home();
  const Step paging = make_step(problem);
  EXPECT_FALSE(paging.chains[0].may_be_written);
  EXPECT_TRUE(paging.chains[1].may_be_written);
  problem.paging_allowed = false;
  const Step none = make_step(problem);
  EXPECT_TRUE(none.chains[0].may_be_read);  // it has to come from somewhere
  EXPECT_FALSE(none.chains[1].may_be_written);
  EXPECT_FALSE(none.chains[1].may_be_read);
}

TEST(Step, RepeatsAnOperationOnlyWhileSomethingMayReadIt) {
  Problem problem = every_home();
  const Step step = make_step(problem);
  EXPECT_EQ(step.operations[0].last_stage, 2);
  EXPECT_EQ(step.operations[1].last_stage, 1);  // a view
  EXPECT_EQ(step.operations[2].last_stage, 2);
  EXPECT_EQ(count_reexecutions(step), 2);
  problem.operations[0].once = true;
  EXPECT_EQ(count_reexecutions(make_step(problem)), 0);
}

TEST(Step, RepeatsNothingThatReadsAnOldValueAfterItsUpdate) {
  Problem problem = every_home();
  problem.tensors.push_back({.size_bytes = 4, .updates = TensorId{0}});
  problem.operations.insert(problem.operations.begin() + 1,
                            {.inputs = {TensorId{0}}, .outputs = {TensorId{6}}, .once = true});
  const Step step = make_step(problem);
  EXPECT_EQ(step.operations[0].last_stage, 1);  // in the stage of the update, before it
  EXPECT_EQ(step.chains[0].new_value, 3);
  EXPECT_EQ(step.chains[3].old_value, 0);
  EXPECT_TRUE(step.chains[3].must_be_written);
}

}  // namespace
}  // namespace poet
