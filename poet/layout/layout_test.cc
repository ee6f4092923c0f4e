#include "poet/layout/layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/layout/plan_for_tests.h"
#include "poet/verify/random_step.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

using testing::paged_plan;

std::string broken(const Plan& plan, const Layout& layout) {
  const Failure failure = check_layout(plan, layout);
  return failure ? failure->message : "nothing";
}

Layout laid_out(const Plan& plan, std::int64_t alignment = 1) {
  const Result<Layout> layout = make_layout(plan, {.alignment_bytes = alignment});
  EXPECT_TRUE(layout.ok()) << to_string(layout.error());
  return *layout;
}

TEST(Layout, TheArenaIsAsHighAsWhatIsInUseAtTheWorstMoment) {
  const Plan plan = paged_plan();
  ASSERT_TRUE(replay(plan.problem, plan.schedule).valid());
  const Layout layout = laid_out(plan);
  EXPECT_EQ(broken(plan, layout), "nothing");
  EXPECT_EQ(layout.arena_bytes, replay(plan.problem, plan.schedule).peak_ram_bytes);
  EXPECT_EQ(layout.arena_lower_bound_bytes, layout.arena_bytes);
  EXPECT_TRUE(layout.arena_proved);
}

TEST(Layout, ResidentsLieLowestInOrderOfTheirIds) {
  Plan plan = paged_plan();
  plan.problem.tensors.push_back({.name = "q", .size_bytes = 3, .home = Home::Resident});
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  const Layout layout = laid_out(plan, 8);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::int64_t offset = layout.buffer_offset_bytes[i];
    switch (index_of(plan.buffers[i].tensor)) {
      case 6:
        EXPECT_EQ(offset, 0);
        break;
      case 7:
        EXPECT_EQ(offset, 8);
        break;
      default:
        EXPECT_GE(offset, 16);
    }
  }
}

TEST(Layout, HomesHaveTheirSlotsForGoodAndNewValuesLieInThem) {
  const Layout layout = laid_out(paged_plan());
  EXPECT_EQ(layout.slot_offset_bytes,
            (std::vector<std::optional<std::int64_t>>{0, 10, {}, {}, 16, 0, {}}));
  EXPECT_EQ(layout.storage_bytes, 21);
}

TEST(Layout, SlotsThatAreNotUsedAtTheSameTimeAreOne) {
  Plan plan = paged_plan();
  const TensorId a{2}, s{4};
  std::vector<Action>& actions = plan.schedule.actions;
  // a is written and read before s is written.
  actions.insert(actions.begin() + 3, {PageOut{a}, PageIn{a}});
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  const Layout layout = laid_out(plan);
  EXPECT_EQ(broken(plan, layout), "nothing");
  EXPECT_EQ(at(layout.slot_offset_bytes, a), at(layout.slot_offset_bytes, s));
  EXPECT_EQ(layout.storage_bytes, 24);
}

TEST(Layout, EverythingIsAligned) {
  const Plan plan = paged_plan();
  const Layout layout = laid_out(plan, 64);
  EXPECT_EQ(broken(plan, layout), "nothing");
  for (const std::int64_t offset : layout.buffer_offset_bytes) EXPECT_EQ(offset % 64, 0);
  EXPECT_EQ(layout.arena_bytes % 64, 0);
}

TEST(Layout, ABufferIsTakenUntilItsWriteHasEnded) {
  Plan plan = paged_plan();
  plan.problem.time_mode = TimeMode::Overlapped;
  plan.problem.tensors[4].page_out_s = 5;
  plan.problem.operations[2].compute_s = 1;
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  const std::vector<PlanBuffer> buffers = arena_buffers(plan);
  const auto s = std::find_if(buffers.begin(), buffers.end(), [](const PlanBuffer& buffer) {
    return buffer.tensor == TensorId{4};
  });
  ASSERT_NE(s, buffers.end());
  // Dropped by action 6; the write ends when its read, action 9, has been issued and begins.
  EXPECT_EQ(plan.buffers[static_cast<std::size_t>(s - buffers.begin())].end_action, 7);
  EXPECT_EQ(s->end_action, 10);
}

TEST(Layout, RefusesWhatCannotBeLaidOut) {
  const auto message = [](const Plan& plan, std::int64_t alignment) {
    const Result<Layout> layout = make_layout(plan, {.alignment_bytes = alignment});
    return layout.ok() ? "no error" : layout.error().message;
  };
  Plan plan = paged_plan();
  EXPECT_EQ(message(plan, 12), "an alignment is a power of two, found 12");
  plan.buffers.pop_back();
  EXPECT_EQ(message(plan, 1),
            "the plan cannot be laid out because its buffers are not those of its schedule");
  plan = paged_plan();
  plan.schedule.actions.erase(plan.schedule.actions.begin());
  EXPECT_TRUE(message(plan, 1).starts_with(
      "the plan cannot be laid out because its schedule breaks a rule: action "));
}

TEST(CheckLayout, SeesEveryWrongAddress) {
  const Plan plan = paged_plan();
  const Layout right = laid_out(plan, 2);
  for (std::size_t i = 0; i < right.buffer_offset_bytes.size(); ++i) {
    Layout wrong = right;
    wrong.buffer_offset_bytes[i] += 1;
    EXPECT_NE(broken(plan, wrong), "nothing") << "buffer " << i;
    wrong.buffer_offset_bytes[i] = right.arena_bytes;
    EXPECT_NE(broken(plan, wrong), "nothing") << "buffer " << i;
  }
  for (std::size_t i = 0; i < right.slot_offset_bytes.size(); ++i) {
    Layout wrong = right;
    wrong.slot_offset_bytes[i] = wrong.slot_offset_bytes[i].value_or(0) + 2;
    EXPECT_NE(broken(plan, wrong), "nothing") << "slot " << i;
  }
  for (std::size_t a = 0; a < right.workspace_offset_bytes.size(); ++a) {
    Layout wrong = right;
    wrong.workspace_offset_bytes[a].reset();
    if (!right.workspace_offset_bytes[a]) wrong.workspace_offset_bytes[a] = 0;
    EXPECT_NE(broken(plan, wrong), "nothing") << "workspace " << a;
  }
}

TEST(CheckLayout, SaysWhatOverlaps) {
  const Plan plan = paged_plan();
  Layout wrong = laid_out(plan);
  for (std::optional<std::int64_t>& offset : wrong.workspace_offset_bytes)
    if (offset) offset = 0;
  EXPECT_EQ(broken(plan, wrong),
            "buffer 0 ('r') at 0 and the workspace of action 2 at 0 overlap while action 2 runs");
}

TEST(CheckLayout, SeesTooSmallAnArena) {
  const Plan plan = paged_plan();
  Layout wrong = laid_out(plan);
  wrong.arena_bytes -= 1;
  EXPECT_NE(broken(plan, wrong).find("beyond the arena's"), std::string::npos);
  wrong = laid_out(plan);
  wrong.storage_bytes -= 1;
  EXPECT_NE(broken(plan, wrong).find("of storage"), std::string::npos);
}

TEST(Layout, EachMemoryIsAnArenaOfItsOwn) {
  Plan plan = paged_plan();
  plan.problem.further_memories = {{.size_bytes = 1000}};
  plan.schedule.placed = {{TensorId{6}, {}, MemoryId{1}}, {TensorId{0}, 0, MemoryId{1}}};
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  const Replay replayed = replay(plan.problem, plan.schedule);
  ASSERT_TRUE(replayed.valid());
  const Layout layout = laid_out(plan);
  EXPECT_EQ(broken(plan, layout), "nothing");
  EXPECT_EQ(layout.arena_bytes, replayed.peak_ram_bytes);
  EXPECT_EQ(layout.further_arenas, (std::vector<FurtherArena>{{17, 17, true}}));
  EXPECT_EQ(plan.buffers[0].tensor, TensorId{6});
  EXPECT_EQ(layout.buffer_offset_bytes[0], 0);  // the resident lies lowest there
  EXPECT_EQ(plan.buffers[1].tensor, TensorId{0});
  EXPECT_EQ(layout.buffer_offset_bytes[1], 7);
}

TEST(Layout, TheCheckerLooksAtEachMemory) {
  Plan plan = paged_plan();
  plan.problem.further_memories = {{.size_bytes = 1000}};
  plan.schedule.placed = {{TensorId{6}, {}, MemoryId{1}}, {TensorId{0}, 0, MemoryId{1}}};
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  const Layout right = laid_out(plan);
  Layout wrong = right;
  wrong.buffer_offset_bytes[1] = 6;
  EXPECT_EQ(broken(plan, wrong),
            "buffer 0 ('r') at 0 and buffer 1 ('w') at 6 overlap while action 0 runs");
  wrong = right;
  wrong.further_arenas[0].size_bytes -= 1;
  EXPECT_EQ(broken(plan, wrong), "buffer 1 ('w') ends at 17, beyond the arena's 16 bytes");
  wrong = right;
  wrong.further_arenas.clear();
  EXPECT_EQ(broken(plan, wrong), "the layout has 0 further arenas, the plan 1");
}

// What the packer is given is what the verifier counts: the largest sum of sizes is the peak of the
// replay, whatever pages, lingers or shares.
TEST(Layout, RandomStepsArePackedToTheirBoundAndHold) {
  int proved = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      testing::RandomStep step = testing::random_step(seed);
      step.problem.time_mode = mode;
      Plan plan{.problem = step.problem, .schedule = step.schedule};
      plan.buffers = buffers_of(plan.problem, plan.schedule);
      const Replay replayed = replay(plan.problem, plan.schedule);
      if (!breaks_only_limits(replayed)) continue;
      const Layout layout = laid_out(plan);
      ASSERT_EQ(broken(plan, layout), "nothing");
      ASSERT_TRUE(layout.arena_proved);
      ASSERT_GE(layout.arena_bytes, replayed.peak_ram_bytes);
      ASSERT_EQ(broken(plan, laid_out(plan, 16)), "nothing");
      proved += layout.arena_bytes == replayed.peak_ram_bytes ? 1 : 0;
    }
  }
  EXPECT_GT(proved, 1500);
}

TEST(Layout, RandomStepsInMemoriesArePackedToTheirBoundsAndHold) {
  int in_further = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      testing::RandomStep step = testing::step_in_memories(seed);
      step.problem.time_mode = mode;
      Plan plan{.problem = step.problem, .schedule = step.schedule};
      plan.buffers = buffers_of(plan.problem, plan.schedule);
      const Replay replayed = replay(plan.problem, plan.schedule);
      ASSERT_TRUE(replayed.valid()) << replayed.findings.front().message;
      const Layout layout = laid_out(plan);
      ASSERT_EQ(broken(plan, layout), "nothing");
      ASSERT_EQ(layout.further_arenas.size(), 2);
      ASSERT_GE(layout.arena_bytes, replayed.peak_ram_bytes);
      for (std::size_t m = 0; m < 2; ++m) {
        ASSERT_GE(layout.further_arenas[m].size_bytes, replayed.further_peak_bytes[m]);
        in_further += layout.further_arenas[m].size_bytes > 0 ? 1 : 0;
      }
      ASSERT_EQ(broken(plan, laid_out(plan, 16)), "nothing");
    }
  }
  EXPECT_GT(in_further, 600);
}

}  // namespace
}  // namespace poet
