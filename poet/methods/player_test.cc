#include "poet/methods/player.h"

#include <gtest/gtest.h>

#include "poet/methods/chain_for_tests.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

TEST(Player, ExecutesAgainWhatWasForgottenInOrder) {
  const Problem problem = testing::chain(3, 4);
  Player player(problem);
  for (int v = 0; v < 3; ++v) EXPECT_TRUE(player.execute(OperationId{v}));
  for (int i = 0; i < 3; ++i) player.forget(TensorId{i});
  EXPECT_TRUE(player.execute(OperationId{3}));
  const Moves expected = {Compute{OperationId{0}}, Compute{OperationId{1}}, Compute{OperationId{2}},
                          Compute{OperationId{0}}, Compute{OperationId{1}}, Compute{OperationId{2}},
                          Compute{OperationId{3}}};
  EXPECT_EQ(player.moves(), expected);
}

TEST(Player, ReadsWhatWasWrittenInsteadOfExecuting) {
  const Problem problem = testing::chain(2, 4);
  Player player(problem);
  EXPECT_TRUE(player.execute(OperationId{0}));
  player.write(TensorId{0});
  player.forget(TensorId{0});
  EXPECT_TRUE(player.execute(OperationId{1}));
  const Moves expected = {Compute{OperationId{0}}, PageOut{TensorId{0}}, PageIn{TensorId{0}},
                          Compute{OperationId{1}}};
  EXPECT_EQ(player.moves(), expected);
}

TEST(Player, DoesNotExecuteTwiceWhatMayRunOnlyOnce) {
  Problem problem = testing::chain(2, 4);
  problem.operations[0].once = true;
  Player player(problem);
  EXPECT_TRUE(player.execute(OperationId{0}));
  player.forget(TensorId{0});
  EXPECT_FALSE(player.execute(OperationId{1}));
  EXPECT_EQ(player.moves().size(), 1u);
}

// A parameter in storage, read by both forward operations and updated at the end.
Problem with_parameter() {
  Problem problem = testing::chain(2, 4);
  problem.tensors.push_back({.name = "w", .size_bytes = 4, .home = Home::Storage});
  problem.tensors.push_back({.name = "w'", .size_bytes = 4, .updates = TensorId{4}});
  problem.operations[0].inputs.push_back(TensorId{4});
  problem.operations[1].inputs.push_back(TensorId{4});
  problem.operations.push_back({.name = "update",
                                .inputs = {TensorId{4}, TensorId{3}},
                                .outputs = {TensorId{5}},
                                .once = true,
                                .backward = true});
  return problem;
}

TEST(Player, ReadsHomesOnceOrForEachUse) {
  const Problem problem = with_parameter();
  for (const auto& [way, reads] : {std::pair{HomeReads::Once, 1}, {HomeReads::EachUse, 3}}) {
    Player player(problem, way);
    for (int v = 0; v < 5; ++v) EXPECT_TRUE(player.execute(OperationId{v}));
    const Schedule schedule = with_drops(problem, player.moves());
    const Replay replayed = replay(problem, schedule);
    EXPECT_TRUE(replayed.valid());
    EXPECT_EQ(replayed.read_bytes, 4 * reads);
    EXPECT_EQ(replayed.written_bytes, 4);
  }
}

TEST(Player, DoesNotReadAnOldValueAfterItsUpdate) {
  const Problem problem = with_parameter();
  Player player(problem);
  for (int v = 0; v < 5; ++v) EXPECT_TRUE(player.execute(OperationId{v}));
  EXPECT_FALSE(player.execute(OperationId{0}));
}

}  // namespace
}  // namespace poet
