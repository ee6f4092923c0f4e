#include "poet/overlap/reads_ahead.h"

#include <gtest/gtest.h>

#include "poet/verify/replay.h"

namespace poet {
namespace {

// a is written and read back; b, c, d take two seconds each, and e reads a. Transfers of a take
// three seconds. Sizes: a 4, the others 1.
Problem problem_with(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.time_mode = TimeMode::Overlapped;
  problem.objective = Objective::Time;
  const auto add = [&](const char* name, std::vector<TensorId> inputs) {
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = problem.tensors.empty() ? 4 : 1;
    tensor.page_in_s = tensor.page_out_s = 3;
    Operation operation;
    operation.name = name;
    operation.inputs = std::move(inputs);
    operation.outputs = {TensorId{static_cast<std::int32_t>(problem.tensors.size())}};
    operation.compute_s = 2;
    problem.tensors.push_back(tensor);
    problem.operations.push_back(operation);
  };
  add("a", {});
  add("b", {TensorId{0}});
  add("c", {TensorId{1}});
  add("d", {TensorId{2}});
  add("e", {TensorId{0}, TensorId{3}});
  return problem;
}

Compute run(std::int32_t v) {
  return Compute{OperationId{v}};
}

const PageOut kWrite{TensorId{0}};
const PageIn kRead{TensorId{0}};
const Moves kMoves = {run(0), kWrite, run(1), run(2), run(3), kRead, run(4)};

// d begins at 6 s and e at 8 s if nothing waits; the read takes 3 s, so it begins before c.
TEST(ReadsAhead, AReadBeginsSoThatItEndsWhenItIsNeeded) {
  const Moves expected = {run(0), kWrite, run(1), kRead, run(2), run(3), run(4)};
  EXPECT_EQ(with_reads_ahead(problem_with(100), kMoves), expected);
}

TEST(ReadsAhead, TheProcessorNoLongerWaits) {
  const Problem problem = problem_with(100);
  EXPECT_EQ(replay(problem, with_drops(problem, kMoves)).time_s, 13);
  EXPECT_EQ(replay(problem, with_drops(problem, with_reads_ahead(problem, kMoves))).time_s, 10);
}

// c runs with b and c in RAM, d with c and d; a does not fit beside them.
TEST(ReadsAhead, AReadStaysWhereRamHasNoRoomForIt) {
  EXPECT_EQ(with_reads_ahead(problem_with(5), kMoves), kMoves);
}

TEST(ReadsAhead, AReadStaysBehindItsOwnWriteAndUse) {
  Problem problem = problem_with(100);
  problem.tensors[0].page_in_s = 1000;
  const Moves expected = {run(0), kWrite, run(1), kRead, run(2), run(3), run(4)};
  EXPECT_EQ(with_reads_ahead(problem, kMoves), expected);
}

}  // namespace
}  // namespace poet
