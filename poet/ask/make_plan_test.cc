#include <gtest/gtest.h>

#include <limits>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/minimum.h"
#include "poet/ask/plan_check.h"
#include "poet/plan/plan_file.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

PlanRequest linear() {
  PlanRequest request;
  request.model = "linear";
  request.platform = "m0";
  request.ram_budget = RamBytes{5'000};
  request.deadline = DeadlineRatio{1.5};
  request.command = "poet solve --model linear";
  return request;
}

std::string error_of(const PlanRequest& request) {
  const Result<Question> question = read_question(request);
  if (!question.ok()) return to_string(question.error());
  const Result<PlanReport> report = make_plan(*question, {}, {});
  return report.ok() ? "no error" : to_string(report.error());
}

TEST(MakePlan, FindsAndVerifiesAnOptimalSchedule) {
  PlanRequest request = linear();
  request.solve.gap_ratio = 0;
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->solve.status, SolveStatus::Optimal);
  EXPECT_TRUE(report->replay.valid());
  EXPECT_NEAR(report->replay.energy_j, 0.10467864, 1e-8);
  ASSERT_TRUE(report->plan.has_value());
  EXPECT_EQ(report->plan->origin.command, "poet solve --model linear");
  EXPECT_EQ(report->plan->proof.status, "optimal");
  EXPECT_EQ(report->plan->buffers, buffers_of(report->problem, *report->solve.best));
}

TEST(MakePlan, WritesAPlanThatReadsBackAndHolds) {
  const Plan plan = make_plan(asked(linear()), {}, {})->plan.value();
  const Result<Plan> read = parse_plan(plan_text(plan), "plan.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(check_plan(*read, std::nullopt).valid());
}

// Each size of parts that is looked at takes ten seconds here, and nothing else takes any.
TEST(MakePlan, CountsTheSearchForParts) {
  PlanRequest request{.model = "digits-mlp", .platform = "m4", .batch_size = 1};
  request.ram_budget = RamBytes{2'048};
  double clock_s = 0;
  const Result<PlanReport> report = make_plan(
      asked(request), {.elapsed_s = [&clock_s] { return clock_s; }},
      [&clock_s](const SolveProgress& news) { clock_s += news.phase == "parts" ? 10 : 0; });
  ASSERT_TRUE(report.ok());
  EXPECT_GE(clock_s, 10);
  EXPECT_EQ(report->timing.prepare_s, 0);
  EXPECT_EQ(report->timing.solve_s, clock_s);
}

TEST(MakePlan, TellsWarningsBeforeTheSearch) {
  PlanRequest request = linear();
  request.ram_budget = RamBytes{50'000};
  std::vector<std::string> told;
  bool searching = false;
  const Result<PlanReport> report = make_plan(
      asked(request), {}, [&searching](const SolveProgress&) { searching = true; },
      [&told, &searching](const std::string& warning) {
        EXPECT_FALSE(searching);
        told.push_back(warning);
      });
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(searching);
  EXPECT_EQ(told, std::vector<std::string>{
                      "the RAM budget of 50,000 bytes is more than the 32,768 bytes that m0 has"});
  EXPECT_EQ(report->warnings, told);
}

TEST(MakePlan, ProvesAnOverlappedScheduleBestWhereTimeDoesNotCount) {
  PlanRequest request = linear();
  request.io = TimeMode::Overlapped;
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->solve.status, SolveStatus::Optimal);
  EXPECT_TRUE(report->warnings.empty());
}

TEST(MakePlan, AnswersNoWithoutAPlan) {
  PlanRequest request = linear();
  request.ram_budget = RamBytes{3'000};
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->solve.status, SolveStatus::Infeasible);
  EXPECT_FALSE(report->plan.has_value());
  EXPECT_EQ(report->solve.infeasibility->working_set_bytes, 3'256);
}

PlanRequest lenet5_in_half_a_second(std::int64_t budget_bytes) {
  PlanRequest request = lenet5_on_m4(budget_bytes);
  request.deadline = DeadlineSeconds{0.5};
  return request;
}

// 384,032 bytes hold the largest separate update, and a step with separate updates takes more than
// half a second in so little.
TEST(MakePlan, TakesMoreSlicesWhereTheStepOfItsBudgetHasNoSchedule) {
  PlanRequest request = lenet5_in_half_a_second(385'000);
  request.training.updates = Updates::Separate;
  request.training.parts_by_budget = false;
  const Result<PlanReport> separate = make_plan(asked(request), {}, {});
  ASSERT_TRUE(separate.ok());
  EXPECT_EQ(separate->solve.status, SolveStatus::Infeasible);
  const Result<PlanReport> report = make_plan(asked(lenet5_in_half_a_second(385'000)), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->solve.status, SolveStatus::Optimal);
  EXPECT_FALSE(report->updates.sliced.empty());
}

// With fewer slices there is a schedule, and with more a cheaper one.
// In such parts slices keep more alive at once than an update of the whole gradient.
TEST(MakePlan, TakesSeparateUpdatesInPartsWhereSlicesHaveNoSchedule) {
  PlanRequest request{.model = "digits-cnn", .platform = "m4", .batch_size = 1};
  request.training.parts_by_budget = false;
  request.training.part_bytes = 8192;
  request.ram_budget = RamBytes{5000};
  PlanRequest sliced = request;
  sliced.training.updates = Updates::Sliced;
  EXPECT_EQ(make_plan(asked(sliced), {}, {})->solve.status, SolveStatus::Infeasible);
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok() && report->plan);
  EXPECT_TRUE(report->updates.sliced.empty());
  EXPECT_EQ(report->updates.asked, Updates::Auto);

  PlanRequest least = request;
  least.ram_budget.reset();
  const Result<MinimumReport> of_either = find_minimum(asked(least), {}, {});
  least.training.updates = Updates::Separate;
  const Result<MinimumReport> of_separate = find_minimum(asked(least), {}, {});
  ASSERT_TRUE(of_either.ok() && of_separate.ok() && of_either->found_bytes);
  EXPECT_EQ(of_either->found_bytes, of_separate->found_bytes);
  EXPECT_EQ(of_either->status, SolveStatus::Optimal);

  request.ram_budget = RamBytes{of_either->proved_bytes - 1};
  const Result<PlanReport> none = make_plan(asked(request), {}, {});
  ASSERT_TRUE(none.ok() && none->solve.infeasibility);
  EXPECT_EQ(none->solve.infeasibility->least_budget_bytes, of_either->proved_bytes);
  EXPECT_EQ(none->solve.infeasibility->working_budget_bytes, of_either->found_bytes);
}

// A slice of an update with momentum's two states is larger than any part that was asked for.
TEST(MakePlan, TakesSeparateUpdatesWhereNoSliceIsSmallEnough) {
  PlanRequest request{.model = "digits-mlp", .platform = "m4", .batch_size = 3};
  request.training.optimiser = Optimiser::Nesterov;
  request.training.parts_by_budget = false;
  request.training.part_bytes = 1500;
  request.ram_budget = RamBytes{1200};
  PlanRequest sliced = request;
  sliced.training.updates = Updates::Sliced;
  EXPECT_FALSE(make_plan(asked(sliced), {}, {}).ok());
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->plan);
  EXPECT_EQ(report->updates.asked, Updates::Auto);
}

TEST(MakePlan, TakesTheLeastCostlyOfTheStepsThatKeepADeadline) {
  PlanRequest request{.model = "digits-cnn", .platform = "m4"};
  request.batch_size = 1;
  request.paging = false;
  request.rematerialisation = false;
  request.ram_budget = RamBytes{10'946};
  request.deadline = DeadlineSeconds{28.662e-3};
  const Result<PlanReport> sooner = make_plan(asked(request), {}, {});
  request.deadline = DeadlineSeconds{29.235e-3};
  const Result<PlanReport> later = make_plan(asked(request), {}, {});
  ASSERT_TRUE(sooner.ok() && sooner->plan && later.ok() && later->plan);
  EXPECT_LE(objective_of(later->problem, later->replay),
            objective_of(sooner->problem, sooner->replay));
  EXPECT_TRUE(later->choice.is_other);
}

// What one budget can a larger one can, and a refusal names no budget above those.
TEST(MakePlan, RefusesOnlyWhatNoStepDoes) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "a minute, and what it calls others call, too";
  const Result<PlanReport> report = make_plan(asked(lenet5_in_half_a_second(250'000)), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->solve.status, SolveStatus::Infeasible);
  const std::optional<std::int64_t> works = report->solve.infeasibility->working_budget_bytes;
  ASSERT_TRUE(works);
  EXPECT_LT(*works, 300'000);
  const Result<PlanReport> there = make_plan(asked(lenet5_in_half_a_second(*works)), {}, {});
  ASSERT_TRUE(there.ok());
  EXPECT_EQ(there->solve.status, SolveStatus::Optimal);
}

TEST(MakePlan, ReadsTheRequestsClock) {
  double now_s = 0;
  const Stop stop{.token = {}, .elapsed_s = [&now_s] { return now_s += 0.25; }, .limit_s = 1e9};
  const Result<PlanReport> report = make_plan(asked(linear()), stop, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->timing.prepare_s, 0.25);
  EXPECT_GT(report->timing.solve_s, 0);
}

TEST(MakePlan, SaysThatItWasStopped) {
  std::stop_source source;
  source.request_stop();
  PlanRequest request = linear();
  request.model = "bert";
  request.platform = "m4";
  request.ram_budget = RamOnTheWay{0.3};
  const Stop stop{source.get_token(), {}, std::numeric_limits<double>::infinity()};
  const Result<PlanReport> report = make_plan(asked(request), stop, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->warnings.back(), "stopped on request, before the search was complete");
}

TEST(MakePlan, SuggestsNamesForUnknownOnes) {
  PlanRequest request = linear();
  request.formulation = "evnet";
  EXPECT_EQ(error_of(request), "unknown formulation 'evnet'; did you mean 'event'?");
  request = linear();
  request.solver = "cbcc";
  EXPECT_EQ(error_of(request), "unknown solver 'cbcc'; did you mean 'cbc'?");
}

}  // namespace
}  // namespace poet
