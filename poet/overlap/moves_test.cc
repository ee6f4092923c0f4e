#include "poet/overlap/moves.h"

#include <gtest/gtest.h>

#include "poet/verify/replay.h"

namespace poet {
namespace {

Tensor made(const char* name, std::int64_t bytes) {
  Tensor tensor;
  tensor.name = name;
  tensor.size_bytes = bytes;
  return tensor;
}

Operation operation(const char* name, std::vector<TensorId> inputs, TensorId output) {
  Operation result;
  result.name = name;
  result.inputs = std::move(inputs);
  result.outputs = {output};
  result.compute_s = result.compute_j = 1;
  return result;
}

// a -> b -> c, and d reads a and c.
Problem diamond() {
  Problem problem;
  problem.tensors = {made("a", 4), made("b", 2), made("c", 1), made("d", 1)};
  problem.operations = {operation("a", {}, TensorId{0}), operation("b", {TensorId{0}}, TensorId{1}),
                        operation("c", {TensorId{1}}, TensorId{2}),
                        operation("d", {TensorId{0}, TensorId{2}}, TensorId{3})};
  problem.ram_budget_bytes = 100;
  return problem;
}

TEST(Moves, ATensorLeavesAfterTheLastMoveThatNeedsIt) {
  const Moves moves = {Compute{OperationId{0}}, Compute{OperationId{1}}, Compute{OperationId{2}},
                       Compute{OperationId{3}}};
  const Schedule schedule = with_drops(diamond(), moves);
  const std::vector<Action> expected = {
      Compute{OperationId{0}}, Compute{OperationId{1}}, Compute{OperationId{2}}, Drop{TensorId{1}},
      Compute{OperationId{3}}, Drop{TensorId{0}},       Drop{TensorId{2}},       Drop{TensorId{3}}};
  EXPECT_EQ(schedule.actions, expected);
}

TEST(Moves, ATensorThatIsMadeAgainIsNotKeptInBetween) {
  const Moves moves = {Compute{OperationId{0}}, Compute{OperationId{1}}, Compute{OperationId{2}},
                       Compute{OperationId{0}}, Compute{OperationId{3}}};
  const Replay replayed = replay(diamond(), with_drops(diamond(), moves));
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.peak_ram_bytes, 6);
  EXPECT_EQ(replayed.recomputed_operations, 1);
}

TEST(Moves, ATensorIsKeptUntilItIsWritten) {
  const Moves moves = {Compute{OperationId{0}}, Compute{OperationId{1}}, PageOut{TensorId{0}},
                       Compute{OperationId{2}}, PageIn{TensorId{0}},     Compute{OperationId{3}}};
  const Schedule schedule = with_drops(diamond(), moves);
  EXPECT_EQ(schedule.actions[3], Action{Drop{TensorId{0}}});
  EXPECT_TRUE(replay(diamond(), schedule).valid());
}

TEST(Moves, AnInputThatSharesItsBufferLeavesFirst) {
  Problem problem = diamond();
  problem.operations[3].in_place = InPlace{TensorId{2}, TensorId{3}};
  const Moves moves = {Compute{OperationId{0}}, Compute{OperationId{1}}, Compute{OperationId{2}},
                       Compute{OperationId{3}}};
  const Schedule schedule = with_drops(problem, moves);
  EXPECT_EQ(schedule.actions[5], Action{Drop{TensorId{2}}});
}

}  // namespace
}  // namespace poet
