#include "poet/solve/schedule_draft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

constexpr std::int32_t kA = 0;  // the chain that d reads as well

std::int64_t peak(const ScheduleDraft& draft) {
  std::int64_t most = 0;
  for (std::int32_t t = 0; t < draft.step().stages(); ++t)
    most = std::max(most, draft.ram_bytes(t));
  return most;
}

TEST(ScheduleDraft, BeginsWithEverythingInRam) {
  const Step step = make_step(detour());
  const ScheduleDraft draft(step);
  EXPECT_EQ(draft.choice(), kept());
  EXPECT_EQ(draft.cost(), 6);
  EXPECT_EQ(peak(draft), 15);
  EXPECT_EQ(draft.excess_bytes(), 3);
}

TEST(ScheduleDraft, KnowsWhatAReadCostsAndSaves) {
  const Step step = make_step(detour());
  ScheduleDraft draft(step);
  draft.set_read(kA, Event{3, 3}, true);
  draft.settle();
  EXPECT_EQ(draft.choice(), paged());
  EXPECT_EQ(draft.cost(), 8.5);
  EXPECT_EQ(draft.excess_bytes(), 0);
  EXPECT_EQ(peak(draft), figures_of(step, paged()).peak_bytes);
}

TEST(ScheduleDraft, KnowsWhatAReexecutionCostsAndSaves) {
  const Step step = make_step(detour());
  ScheduleDraft draft(step);
  draft.run(Event{3, 0});
  draft.settle();
  EXPECT_EQ(draft.choice(), repeated());
  EXPECT_EQ(draft.cost(), 9);
  EXPECT_EQ(draft.excess_bytes(), 0);
}

TEST(ScheduleDraft, TakesBackEverythingSinceAMark) {
  const Step step = make_step(detour());
  ScheduleDraft draft(step);
  draft.run(Event{3, 0});
  draft.settle();
  const std::size_t mark = draft.mark();
  draft.cancel(Event{3, 0});
  draft.set_read(kA, Event{3, 3}, true);
  draft.settle();
  EXPECT_EQ(draft.choice(), paged());
  draft.undo(mark);
  EXPECT_EQ(draft.choice(), repeated());
  EXPECT_EQ(draft.cost(), 9);
  EXPECT_EQ(draft.excess_bytes(), 0);
  draft.undo(0);
  EXPECT_EQ(draft.choice(), kept());
  EXPECT_EQ(draft.excess_bytes(), 3);
}

// b is made again from a, which was made again for that alone.
TEST(ScheduleDraft, CancelsWithAReexecutionThoseThatOnlyItNeeded) {
  const Step step = make_step(deep_detour());
  ScheduleDraft draft(step);
  draft.run(Event{3, 1});
  draft.run(Event{3, 0});
  draft.settle();
  EXPECT_EQ(draft.choice().executions.size(), 6U);
  draft.cancel(Event{3, 1});
  draft.settle();
  EXPECT_EQ(draft.choice().executions.size(), 4U);
  EXPECT_EQ(draft.cost(), 6);
}

TEST(ScheduleDraft, CountsReexecutionsTowardsTheDeadline) {
  Problem problem = detour();
  problem.deadline_s = 8;  // once takes 6, a takes 3
  const Step step = make_step(problem);
  ScheduleDraft draft(step);
  EXPECT_TRUE(draft.keeps_limits());
  draft.run(Event{3, 0});
  EXPECT_FALSE(draft.keeps_limits());
}

}  // namespace
}  // namespace poet
