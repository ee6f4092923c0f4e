#include "poet/problem/overlapped_time.h"

#include <gtest/gtest.h>

#include "poet/problem/facts.h"

namespace poet {
namespace {

// w and v are at home in storage. 0 reads w, 1 reads v, 2 updates w. Each takes 2 s; a read takes
// `read_s`, a write `write_s`.
Problem two_layers(double read_s, double write_s) {
  Problem problem;
  problem.time_mode = TimeMode::Overlapped;
  const auto add_tensor = [&](const char* name, Home home) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = 1;
    tensor.home = home;
    tensor.page_in_s = read_s;
    tensor.page_out_s = write_s;
    problem.tensors.push_back(tensor);
  };
  const auto add_operation = [&](std::vector<TensorId> inputs, TensorId output) {
    Operation operation;
    operation.inputs = std::move(inputs);
    operation.outputs = {output};
    operation.compute_s = 2;
    problem.operations.push_back(operation);
  };
  add_tensor("w", Home::Storage);
  add_tensor("v", Home::Storage);
  add_tensor("a", Home::Made);
  add_tensor("b", Home::Made);
  add_tensor("w'", Home::Made);
  add_operation({TensorId{0}}, TensorId{2});
  add_operation({TensorId{1}, TensorId{2}}, TensorId{3});
  add_operation({TensorId{0}, TensorId{3}}, TensorId{4});
  problem.operations[2].once = true;
  problem.tensors[4].updates = TensorId{0};
  return problem;
}

TEST(LeastOverlapped, WaitsForTheFirstReadAndTheLastWrite) {
  EXPECT_EQ(least_overlapped_s(two_layers(1, 0.5)), 1 + 6 + 0.5);
}

TEST(LeastOverlapped, CountsReadsThatComputationCannotHide) {
  // 5 + 5 until operation 1 can begin, then 4 of computation, then the write.
  EXPECT_EQ(least_overlapped_s(two_layers(5, 0.5)), 10 + 4 + 0.5);
}

TEST(LeastOverlapped, IsTheComputationWhereNothingMoves) {
  EXPECT_EQ(least_overlapped_s(two_layers(0, 0)), 6);
}

TEST(LeastOverlapped, LeavesOutWhatMayBeResident) {
  Problem problem = two_layers(1, 0.5);
  problem.tensors[0].may_be_resident = true;
  EXPECT_EQ(least_overlapped_s(problem), 6);
  problem.tensors[1].page_in_s = 7;  // 5 s later than operation 0 takes
  EXPECT_EQ(least_overlapped_s(problem), 7 + 4);
}

TEST(LeastOverlapped, IsTheUnavoidableTime) {
  EXPECT_EQ(unavoidable(two_layers(5, 0.5)).time_s, 14.5);
  EXPECT_EQ(unavoidable(two_layers(5, 0.5)).compute_s, 6);
}

}  // namespace
}  // namespace poet
