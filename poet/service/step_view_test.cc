#include "poet/service/step_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/report/sample_step.h"
#include "poet/report/stage_matrix.h"
#include "poet/verify/random_step.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

Plan plan_of(const Problem& problem, const Schedule& schedule) {
  return {.origin = {"five", "m4", "released", ""},
          .problem = problem,
          .schedule = schedule,
          .buffers = buffers_of(problem, schedule)};
}

JsonOut view_of(const Plan& plan) {
  const Result<std::string> text = step_view(plan);
  EXPECT_TRUE(text.ok());
  return json_of_text(text.ok() ? *text : "{}");
}

JsonOut five() {
  return view_of(plan_of(sample::five_operations(), sample::paging_and_recomputing()));
}

TEST(StepView, NamesOperationsAndTensors) {
  const JsonOut view = five();
  EXPECT_EQ(view["format"], "poet-step");
  EXPECT_EQ(view["model"], "five");
  EXPECT_EQ(json_line(view["operations"][3]), R"(["b2", 0.01, 0.001, 0, 1])");
  EXPECT_EQ(json_line(view["tensors"][4]), R"(["t4", 100, "made", 4])");
  EXPECT_EQ(view["backward_stage"], 3);
}

TEST(StepView, SaysWhatHappensWhenAndWhatLiesInRamThen) {
  const JsonOut view = five();
  const auto actions = view["actions"].get<std::vector<double>>();
  ASSERT_EQ(actions.size(), 9U * 6);
  EXPECT_EQ((std::vector<double>(actions.begin() + 6, actions.begin() + 12)),
            (std::vector<double>{3, 0, 1, 0.01, 0.013, 100}));  // writes t0 in stage 1
  EXPECT_EQ(view["ram"].size(), 9U * 5);
  const auto buffers = view["buffers"].get<std::vector<int>>();
  EXPECT_EQ((std::vector<int>(buffers.begin(), buffers.begin() + 3)),
            (std::vector<int>{0, 0, 3}));  // t0: from f0 until f1 has run
}

// What the buffers of the view hold at each action is what its shares say.
TEST(StepView, HasBuffersThatAddUpToTheShares) {
  const JsonOut view = view_of(plan_of(sample::long_chain(40), sample::page_everything(40)));
  const auto ram = view["ram"].get<std::vector<std::int64_t>>();
  const auto buffers = view["buffers"].get<std::vector<std::size_t>>();
  std::vector<std::int64_t> held(ram.size() / 5, 0);
  for (std::size_t b = 0; b < buffers.size(); b += 3)
    for (std::size_t i = buffers[b + 1]; i < buffers[b + 2]; ++i) held[i] += 100;
  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_EQ(held[i], ram[5 * i + 1] + ram[5 * i + 2]);
}

TEST(StepView, HasTheMatrixAsRuns) {
  const JsonOut matrix = five()["matrix"];
  EXPECT_EQ(matrix["stages"], 5);
  EXPECT_EQ(json_line(matrix["columns"]), "[0, 1, 2, 3, 4]");
  EXPECT_EQ(matrix["runs"].size() % 4, 0U);
  const auto runs = matrix["runs"].get<std::vector<int>>();
  EXPECT_EQ((std::vector<int>(runs.begin(), runs.begin() + 8)),
            (std::vector<int>{0, 0, 1, 1, 0, 1, 2, 2}));  // t0: RAM, then RAM and storage
  EXPECT_EQ(matrix["marks"].size(), 9U * 3);
}

// What lies in a slower memory is neither in the RAM nor of its shares.
TEST(StepView, TellsASlowerMemoryFromTheRam) {
  Problem problem = sample::five_operations();
  problem.further_memories = {{.name = "psram", .size_bytes = 1000}};
  Schedule schedule = sample::paging_and_recomputing();
  schedule.placed = {{TensorId{0}, 0, MemoryId{1}}};
  const JsonOut view = view_of(plan_of(problem, schedule));
  const auto runs = view["matrix"]["runs"].get<std::vector<std::int64_t>>();
  constexpr auto kFurther = static_cast<std::int64_t>(Place::Further);
  constexpr auto kFurtherAndStorage = static_cast<std::int64_t>(Place::FurtherAndStorage);
  EXPECT_EQ((std::vector<std::int64_t>(runs.begin(), runs.begin() + 8)),
            (std::vector<std::int64_t>{0, 0, 1, kFurther, 0, 1, 2, kFurtherAndStorage}));
  const auto ram = view["ram"].get<std::vector<std::int64_t>>();
  const auto actions = view["actions"].get<std::vector<double>>();
  for (std::size_t k = 0; 6 * k < actions.size(); ++k) {
    std::int64_t sum = 0;
    for (std::size_t use = 0; use < 5; ++use) {
      EXPECT_GE(ram[5 * k + use], 0) << k;
      sum += ram[5 * k + use];
    }
    EXPECT_EQ(sum, static_cast<std::int64_t>(actions[6 * k + 5])) << k;
  }
  EXPECT_EQ(ram[0], 0);
  const auto buffers = view["buffers"].get<std::vector<int>>();
  EXPECT_NE(buffers[1], 0);  // t0 is read back into the RAM later
}

TEST(StepView, SaysWhyATensorIsAway) {
  const JsonOut absences = five()["absences"];
  ASSERT_EQ(absences.size(), 3U);
  EXPECT_EQ(absences[0][0], 0);
  EXPECT_EQ(absences[0][1], 0);  // read
  const std::string why = absences[0][4].text();
  EXPECT_NE(why.find("t0"), std::string::npos) << why;
  EXPECT_NE(why.find("Instead, with all else as it is: "), std::string::npos) << why;
}

TEST(StepView, ListsWhatIsDoneAgainOrMoved) {
  EXPECT_EQ(json_line(five()["extra"]),
            "[[1, 1, 1, 100, 0.001, 0.01, [3]], [2, 0, 2, 100, 0.0004, 0.004, [3, 4]], "
            "[3, 0, 1, 100, 0.0003, 0.003, [1]]]");
}

TEST(StepView, ShowsAScheduleOverItsBudget) {
  Problem problem = sample::five_operations();
  problem.ram_budget_bytes = 250;
  EXPECT_TRUE(step_view(plan_of(problem, sample::paging_and_recomputing())).ok());
}

TEST(StepView, RefusesWhatIsNoSchedule) {
  const Plan plan = plan_of(sample::five_operations(), Schedule{{Compute{OperationId{1}}}, {}});
  const Result<std::string> view = step_view(plan);
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().message.find("the plan breaks a rule, so there is nothing to show: "), 0U)
      << view.error().message;
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
