#include "poet/solve/tensor_walk.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/solve/no_multipliers_for_tests.h"

namespace poet {
namespace {

// a (2 bytes), b (3) that nobody reads, c (1) from a; 1 J for each execution and transfer. At 4
// bytes a cannot stay while b is made; making it again is best: 1 J beyond one execution of each.
Step a_waits() {
  Problem problem;
  for (const std::int64_t size : {2, 3, 1}) {
    problem.operations.push_back(
        {.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size())}}, .compute_j = 1});
    problem.tensors.push_back({.size_bytes = size, .page_in_j = 1, .page_out_j = 1});
  }
  problem.operations[2].inputs = {TensorId{0}};
  problem.ram_budget_bytes = 4;
  return make_step(problem);
}

TEST(WalkBound, IsZeroWithoutMultipliers) {
  const Step step = a_waits();
  const EventSet events(3);
  const WalkBound walked =
      walk_bound(step, events, {}, no_multipliers(step, events), EventObjective::Cost);
  EXPECT_NEAR(walked.bound, 0, 1e-10);
  EXPECT_EQ(walked.run_price.at({1, 0}), 1);
  EXPECT_EQ(walked.run_price.at({2, 0}), 1);
}

// b pays 3 * 0.5 for its room, c pays 1 for having a; a leaves, stays for 2 * 0.5 - 1 or comes back
// for 1 - 1: always 0. The budget takes 4 * 0.5 off.
TEST(WalkBound, AddsTheCheapestWalkOfEachChain) {
  const Step step = a_waits();
  const EventSet events(3);
  Multipliers multipliers = no_multipliers(step, events);
  multipliers.memory[1] = 0.5;
  multipliers.uses[2][0] = 1;
  const WalkBound walked = walk_bound(step, events, {}, multipliers, EventObjective::Cost);
  EXPECT_NEAR(walked.bound, 1.5 + 1 + 0 - 2, 1e-10);
  EXPECT_EQ(walked.run_price.at({2, 0}), 0);
  EXPECT_EQ(walked.run_price.at({1, 0}), 1);  // too early: it would have to stay through b
}

// a must come back once it has left: made again, 1 - 1, or written, 1 - 1.
TEST(WalkBound, CutsEarnTheirComings) {
  const Step step = a_waits();
  const EventSet events(3);
  Multipliers multipliers = no_multipliers(step, events);
  multipliers.cuts = {1};
  const std::vector<LaterNeed> cuts = {{LaterNeed::Family::Stored, 1, {{0, 2, 1}}}};
  const WalkBound walked = walk_bound(step, events, cuts, multipliers, EventObjective::Cost);
  EXPECT_NEAR(walked.bound, 1, 1e-10);
  EXPECT_EQ(walked.run_price.at({2, 0}), 0);
  EXPECT_EQ(walked.run_price.at({1, 0}), 1);  // outside the window
}

TEST(WalkBound, CountsBytesWhereTheBudgetIsTheObjective) {
  const Step step = a_waits();
  const EventSet events(3);
  Multipliers while_b = no_multipliers(step, events);
  while_b.memory[1] = 1;
  EXPECT_NEAR(walk_bound(step, events, {}, while_b, EventObjective::RamBudget).bound, 3, 1e-10);
  Multipliers while_c = no_multipliers(step, events);
  while_c.memory[2] = 1;
  while_c.uses[2][0] = 2;
  EXPECT_NEAR(walk_bound(step, events, {}, while_c, EventObjective::RamBudget).bound, 2 + 1, 1e-10);
}

// A gradient whose buffer the new value of a weight may take over, unless the weight is resident.
// Resident it costs nothing: s + r <= 1 may not make that dearer.
TEST(WalkBound, AnOutputThatTakesAResidentsPlaceSharesNothing) {
  Problem problem;
  problem.tensors.resize(3);
  for (Tensor& tensor : problem.tensors) {
    tensor.size_bytes = 4;
    tensor.page_in_j = tensor.page_out_j = 1;
  }
  problem.tensors[0].home = Home::Storage;
  problem.tensors[0].may_be_resident = true;
  problem.tensors[2].updates = TensorId{0};
  problem.operations = {{.outputs = {TensorId{1}}},
                        {.inputs = {TensorId{0}, TensorId{1}},
                         .outputs = {TensorId{2}},
                         .once = true,
                         .in_place = InPlace{TensorId{1}, TensorId{2}}}};
  problem.ram_budget_bytes = 12;
  const Step step = make_step(problem);
  const EventSet events(2);
  Multipliers multipliers = no_multipliers(step, events);
  multipliers.shared_takes[1] = 1;
  EXPECT_NEAR(walk_bound(step, events, {}, multipliers, EventObjective::Cost).bound, 0, 1e-10);
}

}  // namespace
}  // namespace poet
