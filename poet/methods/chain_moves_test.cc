#include "poet/methods/chain_moves.h"

#include <gtest/gtest.h>

#include "poet/methods/uniform_chain_for_tests.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

Compute run(std::int32_t v) {
  return Compute{OperationId{v}};
}

// input, F0, F1, loss, B2, B1, B0
Problem three_steps() {
  return uniform_chain({.steps = 3, .checkpoints = 1, .paging = true});
}

std::optional<Moves> play(const Problem& problem, const std::vector<ChainMove>& moves) {
  const Result<ChainBlocks> blocks = chain_of(problem);
  EXPECT_TRUE(blocks.ok());
  return play_chain_moves(problem, *blocks, moves, HomeReads::Once);
}

TEST(ChainMoves, TheChainBeginsBehindWhatMayRunOnlyOnce) {
  const Problem problem = three_steps();
  const Result<ChainBlocks> blocks = chain_of(problem);
  ASSERT_TRUE(blocks.ok());
  EXPECT_EQ(chain_origin(problem, *blocks), 1);
  EXPECT_EQ(chain_length(problem, *blocks), 3);
}

TEST(ChainMoves, AStateThatIsNoCheckpointIsMadeAgain) {
  const auto moves = play(three_steps(), {{ChainStep::Keep, 0},
                                          {ChainStep::Advance, 0},
                                          {ChainStep::Advance, 1},
                                          {ChainStep::Turn, 2},
                                          {ChainStep::Advance, 0},
                                          {ChainStep::Turn, 1},
                                          {ChainStep::Turn, 0}});
  ASSERT_TRUE(moves);
  EXPECT_EQ(*moves, (Moves{run(0), run(1), run(2), run(3), run(4), run(1), run(5), run(6)}));
}

TEST(ChainMoves, AStateComesBackFromStorage) {
  const auto moves = play(three_steps(), {{ChainStep::Write, 0},
                                          {ChainStep::Advance, 0},
                                          {ChainStep::Keep, 1},
                                          {ChainStep::Advance, 1},
                                          {ChainStep::Turn, 2},
                                          {ChainStep::Turn, 1},
                                          {ChainStep::Read, 0},
                                          {ChainStep::Turn, 0}});
  ASSERT_TRUE(moves);
  EXPECT_EQ(*moves, (Moves{run(0), PageOut{TensorId{0}}, run(1), run(2), run(3), run(4), run(5),
                           PageIn{TensorId{0}}, run(6)}));
}

// What is made once and not written stays, whatever the method says.
TEST(ChainMoves, TheInputIsNotForgottenWhileNothingHasIt) {
  const auto moves = play(three_steps(), {{ChainStep::Advance, 0},
                                          {ChainStep::Keep, 1},
                                          {ChainStep::Advance, 1},
                                          {ChainStep::Turn, 2},
                                          {ChainStep::Turn, 1},
                                          {ChainStep::Turn, 0}});
  ASSERT_TRUE(moves);
  EXPECT_EQ(*moves, (Moves{run(0), run(1), run(2), run(3), run(4), run(5), run(6)}));
}

// Two operations between borders, and a backward pass that reads the inner tensor:
// x -> (a -> y) -> loss; the adjoint of the block reads x and a.
TEST(ChainMoves, ABlockIsAdvancedFromItsBorderAndTurnedAsAWhole) {
  Problem problem;
  problem.ram_budget_bytes = 100;
  const auto add = [&](const char* name, std::vector<std::int32_t> inputs, bool backward = false) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = 1;
    Operation operation;
    operation.name = name;
    for (const std::int32_t input : inputs) operation.inputs.push_back(TensorId{input});
    operation.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size())}};
    operation.backward = backward;
    problem.tensors.push_back(tensor);
    problem.operations.push_back(operation);
  };
  add("x", {});
  add("a", {0});
  add("side", {0});
  add("y", {1, 2});
  add("loss", {3});
  add("d loss", {3, 4}, true);
  add("d y", {0, 1, 5}, true);
  const Result<ChainBlocks> blocks = chain_of(problem);
  ASSERT_TRUE(blocks.ok());
  ASSERT_EQ(chain_length(problem, *blocks), 3);  // x; a, side, y; loss
  const auto moves = play(problem, {{ChainStep::Advance, 0},
                                    {ChainStep::Keep, 1},
                                    {ChainStep::Advance, 1},
                                    {ChainStep::Turn, 2},
                                    {ChainStep::Turn, 1},
                                    {ChainStep::Turn, 0}});
  ASSERT_TRUE(moves);
  // The turn makes a again, which its adjoint reads, and neither side nor y.
  EXPECT_EQ(*moves, (Moves{run(0), run(1), run(2), run(3), run(4), run(5), run(1), run(6)}));
}

TEST(ChainMoves, AGraphThatOneTensorNeverCarriesIsRefused) {
  Problem problem = three_steps();
  problem.operations.erase(problem.operations.begin() + 1, problem.operations.begin() + 3);
  problem.operations.erase(problem.operations.begin());  // the loss, then adjoints
  const Result<ChainBlocks> blocks = chain_of(problem);
  ASSERT_FALSE(blocks.ok());
  EXPECT_EQ(blocks.error().message,
            "the method needs a chain, and at no point of the forward pass is one tensor all that "
            "later forward operations read");
}

}  // namespace
}  // namespace poet
