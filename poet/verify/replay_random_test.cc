#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "poet/problem/problem.h"
#include "poet/verify/random_step.h"
#include "poet/verify/replay.h"
#include "poet/verify/tick_replay.h"

// Laws that every replay keeps, on steps drawn at random. A failure names the seed, which is all
// that it takes to run that one step again.
namespace poet {
namespace {

constexpr std::uint64_t kSteps = 1500;
constexpr std::uint64_t kStepsInMemories = 500;

using testing::random_step;
using testing::RandomStep;
using testing::TickReplay;

Replay replay_in(TimeMode mode, Problem problem, const Schedule& schedule) {
  problem.time_mode = mode;
  return replay(problem, schedule);
}

// A random step whose budget is just what it needs, so that overlapped transfers stand in each
// other's way.
RandomStep tight_step(std::uint64_t seed) {
  RandomStep step = random_step(seed);
  step.problem.ram_budget_bytes =
      replay_in(TimeMode::Blocking, step.problem, step.schedule).peak_ram_bytes;
  return step;
}

std::string first_message(const Replay& replay) {
  return replay.valid() ? "" : replay.findings[0].message;
}

double transfer_s(const Problem& problem, const Schedule& schedule) {
  double sum_s = 0;
  for (const Action& action : schedule.actions) {
    if (const PageOut* out = std::get_if<PageOut>(&action))
      sum_s += at(problem.tensors, out->tensor).page_out_s;
    if (const PageIn* in = std::get_if<PageIn>(&action))
      sum_s += at(problem.tensors, in->tensor).page_in_s;
  }
  return sum_s;
}

TEST(RandomSteps, AreWellFormedAndTheirSchedulesValidInEveryTimeMode) {
  for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomStep step = tight_step(seed);
    const Failure failure = check_problem(step.problem);
    ASSERT_FALSE(failure) << failure->message;
    for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped})
      ASSERT_EQ(first_message(replay_in(mode, step.problem, step.schedule)), "");
  }
}

TEST(RandomSteps, CostTheSameEnergyInEveryTimeModeButForIdling) {
  for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomStep step = tight_step(seed);
    const Replay free = replay_in(TimeMode::Free, step.problem, step.schedule);
    const Replay blocking = replay_in(TimeMode::Blocking, step.problem, step.schedule);
    const Replay overlapped = replay_in(TimeMode::Overlapped, step.problem, step.schedule);
    ASSERT_EQ(free.energy_j, blocking.energy_j);
    ASSERT_EQ(free.energy_j, overlapped.energy_j);
    ASSERT_EQ(free.time_s, free.compute_s);
    ASSERT_EQ(blocking.time_s, blocking.compute_s + transfer_s(step.problem, step.schedule));
  }
}

TEST(RandomSteps, OverlappedTimeLiesBetweenItsLongerPartAndTheSum) {
  for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomStep step = tight_step(seed);
    const Replay blocking = replay_in(TimeMode::Blocking, step.problem, step.schedule);
    const Replay overlapped = replay_in(TimeMode::Overlapped, step.problem, step.schedule);
    ASSERT_LE(overlapped.time_s, blocking.time_s);
    ASSERT_GE(overlapped.time_s, overlapped.compute_s);
    ASSERT_GE(overlapped.time_s, transfer_s(step.problem, step.schedule));
    ASSERT_LE(overlapped.peak_ram_bytes, step.problem.ram_budget_bytes);
    ASSERT_GE(overlapped.peak_ram_bytes, blocking.peak_ram_bytes);
  }
}

TEST(RandomSteps, AreValidInSeveralMemoriesInEveryTimeMode) {
  std::int64_t placed = 0, paid = 0;
  for (std::uint64_t seed = 0; seed < kStepsInMemories; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomStep step = testing::step_in_memories(seed);
    for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped}) {
      const Replay replayed = replay_in(mode, step.problem, step.schedule);
      ASSERT_EQ(first_message(replayed), "");
      paid += replayed.access_j > 0 && replayed.access_s > 0 ? 1 : 0;
    }
    placed += std::ssize(step.schedule.placed);
  }
  EXPECT_GT(placed, static_cast<std::int64_t>(kStepsInMemories) * 3);
  EXPECT_GT(paid, static_cast<std::int64_t>(kStepsInMemories));
}

// As room is asked of each memory by itself, waiting still turns overlapped into blocking.
TEST(RandomSteps, InSeveralMemoriesTimeModesAgreeOnEveryBrokenRule) {
  std::int64_t broken = 0;
  for (std::uint64_t seed = 0; seed < kStepsInMemories; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStep step = testing::step_in_memories(seed);
    if (seed % 2 == 0) step.schedule.actions = testing::random_actions(step.problem, seed).actions;
    FurtherMemory& memory = step.problem.further_memories[seed % 2];
    memory.size_bytes = memory.size_bytes * 2 / 3;
    const Replay blocking = replay_in(TimeMode::Blocking, step.problem, step.schedule);
    ASSERT_EQ(blocking.findings,
              replay_in(TimeMode::Overlapped, step.problem, step.schedule).findings);
    ASSERT_EQ(blocking.findings, replay_in(TimeMode::Free, step.problem, step.schedule).findings);
    broken += blocking.valid() ? 0 : 1;
  }
  EXPECT_GT(broken, static_cast<std::int64_t>(kStepsInMemories) / 2);
}

class SecondBySecond : public ::testing::TestWithParam<RandomStep (*)(std::uint64_t)> {};

TEST_P(SecondBySecond, OverlappedAgreesWithALookAtEverySecond) {
  std::int64_t waits = 0;
  for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStep step = GetParam()(seed);
    step.problem.ram_budget_bytes += static_cast<std::int64_t>(seed % 3) * 4;
    const Replay fast = replay_in(TimeMode::Overlapped, step.problem, step.schedule);
    const TickReplay slow = testing::tick_replay(step.problem, step.schedule);
    std::vector<std::int64_t> begins_s;
    std::vector<std::int64_t> ram_bytes;
    for (std::size_t a = 0; a < step.schedule.actions.size(); ++a) {
      const bool compute = std::holds_alternative<Compute>(step.schedule.actions[a]);
      const bool read = std::holds_alternative<PageIn>(step.schedule.actions[a]);
      if (compute) begins_s.push_back(static_cast<std::int64_t>(fast.moments[a].begin_s));
      if (compute || read) ram_bytes.push_back(fast.moments[a].ram_bytes);
    }
    ASSERT_EQ(begins_s, slow.compute_begins_s);
    ASSERT_EQ(ram_bytes, slow.ram_bytes);
    ASSERT_EQ(fast.time_s, static_cast<double>(slow.time_s));
    waits += fast.stall_s > 0 ? 1 : 0;
  }
  EXPECT_GT(waits, static_cast<std::int64_t>(kSteps) / 2);  // or this test shows nothing
}

INSTANTIATE_TEST_SUITE_P(RandomSteps, SecondBySecond,
                         ::testing::Values(tight_step, testing::step_in_memories));

// Waiting turns overlapped into blocking; so where blocking has no room, waiting cannot help, and
// nowhere else.
TEST(RandomSteps, TimeModesAgreeOnEveryBrokenRule) {
  std::int64_t broken = 0;
  for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStep step = tight_step(seed);
    if (seed % 2 == 0) step.schedule = testing::random_actions(step.problem, seed);
    step.problem.ram_budget_bytes = step.problem.ram_budget_bytes * 2 / 3;
    step.problem.storage_capacity_bytes = 20;
    step.problem.write_budget_bytes = 12;
    step.problem.paging_allowed = seed % 3 != 0;
    step.problem.rematerialisation_allowed = seed % 5 != 0;
    const Replay blocking = replay_in(TimeMode::Blocking, step.problem, step.schedule);
    ASSERT_EQ(blocking.findings,
              replay_in(TimeMode::Overlapped, step.problem, step.schedule).findings);
    ASSERT_EQ(blocking.findings, replay_in(TimeMode::Free, step.problem, step.schedule).findings);
    ASSERT_EQ(blocking.moments.size(), step.schedule.actions.size());
    broken += blocking.valid() ? 0 : 1;
  }
  EXPECT_GT(broken, static_cast<std::int64_t>(kSteps) * 9 / 10);
}

// A schedule of a valid step with one action taken out, doubled or moved is judged without a crash.
TEST(RandomSteps, SchedulesWithOneFaultAreReplayedToTheEnd) {
  for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStep step = tight_step(seed);
    std::vector<Action>& actions = step.schedule.actions;
    const std::size_t one = seed * 7919 % actions.size();
    const std::size_t other = seed * 104729 % actions.size();
    if (seed % 3 == 0) actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(one));
    if (seed % 3 == 1) actions.push_back(actions[one]);
    if (seed % 3 == 2) std::swap(actions[one], actions[other]);
    for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped})
      ASSERT_EQ(replay_in(mode, step.problem, step.schedule).moments.size(), actions.size());
  }
}

}  // namespace
}  // namespace poet
