#include "poet/overlap/stand_in_problems.h"

#include <gtest/gtest.h>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// One operation of 2 s after another, each of whose tensors takes 8 bytes and 1 s to move.
Problem chain(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.time_mode = TimeMode::Overlapped;
  for (std::int32_t v = 0; v < 3; ++v) {
    Tensor tensor;
    tensor.size_bytes = 8;
    tensor.page_in_s = tensor.page_out_s = 1;
    problem.tensors.push_back(tensor);
    Operation operation;
    if (v > 0) operation.inputs.push_back(TensorId{v - 1});
    operation.outputs = {TensorId{v}};
    operation.compute_s = v == 1 ? 2 : 0;
    problem.operations.push_back(operation);
  }
  return problem;
}

TEST(RoomInFlight, IsWhatTheChannelCarriesBesideAnOperation) {
  const Problem problem = chain(100);
  const Problem roomy = with_room_in_flight(problem, problem, 1);
  EXPECT_EQ(roomy.operations[0].workspace_bytes, 0);  // takes no time
  EXPECT_EQ(roomy.operations[1].workspace_bytes, 16);
  EXPECT_EQ(with_room_in_flight(problem, problem, 0.25).operations[1].workspace_bytes, 4);
}

TEST(RoomInFlight, IsNoMoreThanTheBudgetHas) {
  const Problem problem = chain(20);
  const Problem roomy = with_room_in_flight(problem, problem, 1);
  EXPECT_EQ(roomy.operations[1].workspace_bytes, 4);
  EXPECT_EQ(largest_working_set(roomy).bytes, 20);
  // Where nothing fits, nothing is added.
  EXPECT_EQ(with_room_in_flight(chain(4), chain(4), 1), chain(4));
}

TEST(RoomInFlight, IsNoneWhereTransfersTakeNoTime) {
  Problem problem = chain(100);
  for (Tensor& tensor : problem.tensors) tensor.page_in_s = tensor.page_out_s = 0;
  EXPECT_EQ(with_room_in_flight(problem, problem, 1), problem);
}

}  // namespace
}  // namespace poet
