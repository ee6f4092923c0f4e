#include "poet/service/ram_shares.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "poet/report/sample_step.h"
#include "poet/verify/random_step.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

Plan plan_of(const Problem& problem, const Schedule& schedule) {
  return {.problem = problem, .schedule = schedule, .buffers = buffers_of(problem, schedule)};
}

std::vector<RamShares> shares_of(const Plan& plan) {
  const Replay replayed = replay(plan.problem, plan.schedule);
  return ram_shares(plan, timed_actions(plan.problem, plan.schedule, replayed));
}

TEST(RamShares, TellsForwardFromBackward) {
  Problem problem = sample::five_operations();
  problem.operations[3].workspace_bytes = 7;
  const std::vector<RamShares> shares =
      shares_of(plan_of(problem, sample::paging_and_recomputing()));
  ASSERT_EQ(shares.size(), 9U);
  EXPECT_EQ(shares[0], (RamShares{0, 100, 0, 0, 0}));    // f0 makes t0
  EXPECT_EQ(shares[6], (RamShares{0, 200, 100, 7, 0}));  // b2 makes t3 of t1 and t2
  EXPECT_EQ(shares[8], (RamShares{0, 100, 200, 0, 0}));  // b1 makes t4 of t0 and t3
}

TEST(RamShares, CountsAnOutputInPlaceOfItsInputOnce) {
  Problem problem = sample::five_operations();
  problem.operations[1].in_place = InPlace{TensorId{0}, TensorId{1}};
  const Schedule schedule{{Compute{OperationId{0}}, Compute{OperationId{1}}, Drop{TensorId{0}},
                           Compute{OperationId{2}}},
                          {}};
  const std::vector<RamShares> shares = shares_of(plan_of(problem, schedule));
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[1], (RamShares{0, 100, 0, 0, 0}));
  EXPECT_EQ(shares[2], (RamShares{0, 200, 0, 0, 0}));
}

// The verifier counts RAM without buffers: what is neither held nor workspace must be none in the
// modes where transfers end before the next action, and cannot be negative in any.
TEST(RamShares, AddUpToWhatTheVerifierCounts) {
  for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking, TimeMode::Overlapped}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      testing::RandomStep step = testing::random_step(seed);
      step.problem.time_mode = mode;
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Plan plan = plan_of(step.problem, step.schedule);
      const Replay replayed = replay(plan.problem, plan.schedule);
      const std::vector<TimedAction> actions = timed_actions(plan.problem, plan.schedule, replayed);
      const std::vector<RamShares> shares = ram_shares(plan, actions);
      ASSERT_EQ(shares.size(), actions.size());
      for (std::size_t i = 0; i < shares.size(); ++i) {
        ASSERT_EQ(std::accumulate(shares[i].begin(), shares[i].end(), std::int64_t{0}),
                  actions[i].moment.ram_bytes);
        const std::int64_t in_transfer = shares[i][static_cast<std::size_t>(RamUse::InTransfer)];
        if (mode == TimeMode::Overlapped)
          ASSERT_GE(in_transfer, 0);
        else
          ASSERT_EQ(in_transfer, 0) << i;
      }
    }
  }
}

}  // namespace
}  // namespace poet
