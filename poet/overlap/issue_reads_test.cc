#include "poet/overlap/issue_reads.h"

#include <gtest/gtest.h>

#include "poet/verify/replay.h"

namespace poet {
namespace {

TensorId tensor(std::int32_t id) {
  return TensorId{id};
}
Action compute(std::int32_t id) {
  return Compute{OperationId{id}};
}

// p and q are at home in storage and take 3 s to read and 4 bytes; operations take 2 s and make 1
// byte: 0 makes a, 1 makes b of a, 2 makes c of b and p, 3 makes d of c and q.
Problem late_weights(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.time_mode = TimeMode::Overlapped;
  problem.objective = Objective::Time;
  for (const char* const name : {"a", "b", "c", "d", "p", "q"}) {
    const bool is_weight = *name >= 'p';
    Tensor tensor;
    tensor.name = name;
    tensor.size_bytes = is_weight ? 4 : 1;
    tensor.home = is_weight ? Home::Storage : Home::Made;
    tensor.page_in_s = tensor.page_out_s = 3;
    problem.tensors.push_back(tensor);
  }
  const std::vector<std::vector<TensorId>> inputs = {
      {}, {tensor(0)}, {tensor(1), tensor(4)}, {tensor(2), tensor(5)}};
  for (std::int32_t v = 0; v < 4; ++v) {
    Operation operation;
    operation.name = "make " + problem.tensors[static_cast<std::size_t>(v)].name;
    operation.inputs = inputs[static_cast<std::size_t>(v)];
    operation.outputs = {tensor(v)};
    operation.compute_s = 2;
    problem.operations.push_back(operation);
  }
  return problem;
}

const Schedule& just_in_time() {
  static const Schedule schedule = {
      {compute(0), compute(1), Drop{tensor(0)}, PageIn{tensor(4)}, compute(2), Drop{tensor(1)},
       Drop{tensor(4)}, PageIn{tensor(5)}, compute(3), Drop{tensor(2)}, Drop{tensor(5)},
       Drop{tensor(3)}},
      {}};
  return schedule;
}

TEST(IssueReads, IssuesThemFirstWhereThereIsRoom) {
  const Problem problem = late_weights(100);
  const Schedule ahead = issue_reads(problem, just_in_time(), {});
  EXPECT_EQ(ahead.actions[0], Action(PageIn{tensor(4)}));
  EXPECT_EQ(ahead.actions[1], Action(PageIn{tensor(5)}));
  EXPECT_EQ(replay(problem, just_in_time()).time_s, 14);
  EXPECT_EQ(replay(problem, ahead).time_s, 8);
}

// Computing a and b leaves room for one weight beside them, computing c holds p, b and c.
TEST(IssueReads, IssuesThemWhenRoomIsThere) {
  const Problem problem = late_weights(6);
  const Schedule ahead = issue_reads(problem, just_in_time(), {});
  const std::vector<Action> first = {PageIn{tensor(4)}, compute(0), compute(1)};
  EXPECT_EQ(std::vector(ahead.actions.begin(), ahead.actions.begin() + 3), first);
  const Replay replayed = replay(problem, ahead);
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.time_s, 2 + 2 + 2 + 3 + 2);
}

TEST(IssueReads, IssuesNoReadSoonerThanItsHorizon) {
  const Schedule ahead = issue_reads(late_weights(100), just_in_time(), {.horizon_ratio = 1});
  EXPECT_EQ(ahead.actions[0], compute(0));
  EXPECT_EQ(ahead.actions[1], Action(PageIn{tensor(4)}));
}

// Without a or b p is there at once, and q has to wait until it is gone.
TEST(IssueReads, LetsLaterReadsOvertakeThoseWithoutRoom) {
  Problem problem = late_weights(7);
  problem.tensors[5].size_bytes = 1;
  problem.operations[1].workspace_bytes = 4;
  const Schedule in_order = issue_reads(problem, just_in_time(), {});
  EXPECT_EQ(in_order.actions[0], compute(0));
  const Schedule overtaking = issue_reads(problem, just_in_time(), {.overtaken = 1});
  EXPECT_EQ(overtaking.actions[0], Action(PageIn{tensor(5)}));
}

TEST(BestTiming, TakesTheReplaysWord) {
  const Problem problem = late_weights(100);
  const TimedSchedule best = best_timing(problem, just_in_time());
  EXPECT_EQ(best.replay.time_s, 8);
  EXPECT_EQ(best.replay.moments, replay(problem, best.schedule).moments);
}

}  // namespace
}  // namespace poet
