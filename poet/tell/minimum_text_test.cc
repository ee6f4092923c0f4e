#include "poet/ask/minimum.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/base/json_out.h"
#include "poet/tell/minimum_text.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

PlanRequest linear_on_m4() {
  PlanRequest request;
  request.model = "linear";
  request.platform = "m4";
  request.solve.gap_ratio = 0;
  return request;
}

TEST(FindMinimum, PagesDownToTheLargestWorkingSetWhenTransfersAreFree) {
  const Result<MinimumReport> report = find_minimum(asked(linear_on_m4()), {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->asked, MinimumReport::Asked::LeastRam);
  EXPECT_EQ(report->status, SolveStatus::Optimal);
  EXPECT_EQ(report->proved_bytes, 3256);
  EXPECT_EQ(report->found_bytes, 3256);
  ASSERT_TRUE(report->plan);
  EXPECT_EQ(report->plan->problem.ram_budget_bytes, 3256);
  EXPECT_EQ(report->plan->proof.status, "feasible");
  EXPECT_TRUE(report->replay.valid());
}

TEST(FindMinimum, NeedsMoreRamWhereThereIsNoTimeForTransfers) {
  PlanRequest request = linear_on_m4();
  request.io = TimeMode::Blocking;
  request.deadline = DeadlineRatio{1.0};
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->status, SolveStatus::Optimal);
  EXPECT_EQ(report->found_bytes, 4280);
}

// A sum shows it only of a step that must be taken: 384,032 bytes are what separate updates need,
// and that updates by slices need as much here is found by a search.
TEST(FindMinimum, CallsNothingPlainThatASearchFound) {
  PlanRequest request{.model = "lenet5", .platform = "m4", .batch_size = 5};
  request.paging = false;
  request.rematerialisation = false;
  request.training.parts_by_budget = false;
  request.solve.gap_ratio = 0;
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->status, SolveStatus::Optimal);
  EXPECT_EQ(report->evidence, Evidence::Backend);
}

// Transfers beside the processor take no more RAM than when it waits for them, and less where that
// leaves no time for them.
TEST(FindMinimum, FindsLessRamWhereTransfersRunBesideTheProcessor) {
  PlanRequest request = linear_on_m4();
  request.io = TimeMode::Blocking;
  request.deadline = DeadlineRatio{1.3};
  const std::int64_t waiting_bytes = *find_minimum(asked(request), {}, {})->found_bytes;
  request.io = TimeMode::Overlapped;
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->plan);
  EXPECT_TRUE(report->replay.valid());
  EXPECT_LE(report->replay.time_s, *report->problem.deadline_s * (1 + 1e-9));
  EXPECT_LE(report->found_bytes, waiting_bytes);
  EXPECT_LE(report->proved_bytes, *report->found_bytes);
}

TEST(FindMinimum, FindsTheShortestDeadlineInABudget) {
  PlanRequest request = linear_on_m4();
  request.paging = false;
  request.ram_budget = RamBytes{3256};
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->asked, MinimumReport::Asked::LeastTime);
  EXPECT_EQ(report->status, SolveStatus::Optimal);
  ASSERT_TRUE(report->plan);
  EXPECT_EQ(report->plan->problem.deadline_s, report->found_s);
  // Both questions about one pair of limits agree.
  PlanRequest back = linear_on_m4();
  back.paging = false;
  back.deadline = DeadlineSeconds{*report->found_s};
  EXPECT_EQ(find_minimum(asked(back), {}, {})->found_bytes, 3256);
  back.deadline = DeadlineSeconds{*report->found_s * (1 - 1e-6)};
  EXPECT_GT(find_minimum(asked(back), {}, {})->found_bytes, 3256);
}

// Of operations in one piece each.
PlanRequest lenet5_on_m4() {
  PlanRequest request{.model = "lenet5", .platform = "m4"};
  request.training.parts_by_budget = false;
  return request;
}

// The space of plans is that of a solve: below separate updates' 384,032 bytes there are slices.
TEST(FindMinimum, FindsTheLeastBudgetInWhichASolveFindsASchedule) {
  const Result<MinimumReport> report = find_minimum(asked(lenet5_on_m4()), {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->status, SolveStatus::Optimal);
  ASSERT_TRUE(report->found_bytes);
  EXPECT_LT(*report->found_bytes, 384'032);
  EXPECT_FALSE(report->updates.sliced.empty());
  PlanRequest request = lenet5_on_m4();
  request.ram_budget = RamBytes{*report->found_bytes};
  EXPECT_TRUE(make_plan(asked(request), {}, {})->plan);
  request.ram_budget = RamBytes{*report->found_bytes - 1};
  const Result<PlanReport> refused = make_plan(asked(request), {}, {});
  ASSERT_TRUE(refused.ok());
  ASSERT_TRUE(refused->solve.infeasibility);
  EXPECT_EQ(refused->solve.infeasibility->working_budget_bytes, report->found_bytes);
}

// However far below, a refusal names the budget that minimum finds.
TEST(FindMinimum, AgreesWithARefusalInHardlyAnyRam) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "half a minute; others call what it calls";
  PlanRequest request{.model = "digits-cnn", .platform = "m4"};
  request.batch_size = 5;
  request.ram_budget = RamBytes{100};
  const Result<PlanReport> refused = make_plan(asked(request), {}, {});
  ASSERT_TRUE(refused.ok());
  ASSERT_TRUE(refused->solve.infeasibility);
  request.ram_budget.reset();
  EXPECT_EQ(refused->solve.infeasibility->working_budget_bytes,
            find_minimum(asked(request), {}, {})->found_bytes);
}

TEST(FindMinimum, SaysWhichUpdatesItSpeaksOf) {
  PlanRequest request = lenet5_on_m4();
  const Result<MinimumReport> sliced = find_minimum(asked(request), {}, {});
  EXPECT_EQ(minimum_to_json(*sliced)["updates"]["asked"], "auto");
  EXPECT_EQ(minimum_to_json(*sliced)["updates"]["sliced"][0], "fc1.weight");
  EXPECT_NE(minimum_text(*sliced).find("  updates     auto: by slices for fc1.weight"),
            std::string::npos)
      << minimum_text(*sliced);
  request.training.updates = Updates::Separate;
  const Result<MinimumReport> separate = find_minimum(asked(request), {}, {});
  EXPECT_EQ(separate->found_bytes, 384'032);
  EXPECT_NE(minimum_text(*separate).find("  updates     separate\n"), std::string::npos)
      << minimum_text(*separate);
}

TEST(FindMinimum, SaysInWhatPartsItIs) {
  PlanRequest request = lenet5_on_m4();
  request.training.parts_by_budget = true;
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  const JsonOut parts = minimum_to_json(*report)["parts"];
  EXPECT_EQ(parts["asked"], "auto");
  ASSERT_TRUE(report->parts.part_bytes);
  EXPECT_EQ(parts["part_bytes"], *report->parts.part_bytes);
  EXPECT_GT(parts["tried"].size(), 1U);
  const std::string text = minimum_text(*report);
  EXPECT_NE(text.find("the smallest RAM budget in parts of at most "), std::string::npos) << text;
  EXPECT_NE(text.find(" bytes of what stays in RAM, is "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  parts       auto: "), std::string::npos) << text;
}

// With 64 examples it takes more than the board has, whole or in parts.
TEST(FindMinimum, SaysOfWhichStepTheBoardHasTooLittle) {
  PlanRequest request = lenet5_on_m4();
  request.batch_size = 64;
  request.paging = false;
  request.rematerialisation = false;
  const auto last_warning = [&request] {
    return find_minimum(asked(request), {}, {})->warnings.back();
  };
  EXPECT_EQ(last_warning(),
            "m4 has 262,144 bytes of RAM, and no schedule of whole operations fits in that; in "
            "parts one may (--parts auto)");
  request.training.part_bytes = 100'000;
  EXPECT_EQ(last_warning(),
            "m4 has 262,144 bytes of RAM, and no schedule in these parts fits in that");
}

// Each size of parts that is looked at takes ten seconds here, and nothing else takes any.
TEST(FindMinimum, CountsTheSearchForParts) {
  PlanRequest request{.model = "digits-mlp", .platform = "m4", .batch_size = 1};
  double clock_s = 0;
  const Result<MinimumReport> report = find_minimum(
      asked(request), {.elapsed_s = [&clock_s] { return clock_s; }},
      [&clock_s](const SolveProgress& news) { clock_s += news.phase == "parts" ? 10 : 0; });
  ASSERT_TRUE(report.ok());
  EXPECT_GE(clock_s, 10);
  EXPECT_EQ(report->timing.prepare_s, 0);
  EXPECT_EQ(report->timing.solve_s, clock_s);
}

TEST(FindMinimum, RefusesTwoQuestionsAtOnce) {
  PlanRequest request = linear_on_m4();
  request.ram_budget = RamBytes{5000};
  request.deadline = DeadlineRatio{1.5};
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message,
            "a RAM budget asks for the shortest deadline, and a deadline for the smallest RAM "
            "budget; give one of them");
}

TEST(FindMinimum, SaysWhyNothingWorks) {
  PlanRequest request = linear_on_m4();
  request.deadline = DeadlineRatio{0.5};
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->status, SolveStatus::Infeasible);
  EXPECT_FALSE(report->plan);
  EXPECT_EQ(report->why_not,
            "one execution of every operation takes 0.04149823058 s, and the deadline is "
            "0.02074911529 s; the shortest deadline that works is 0.04149823058 s");
  EXPECT_EQ(minimum_to_json(*report)["reason"], *report->why_not);
}

// The sentences, whatever the search did.
MinimumReport stopped() {
  MinimumReport report;
  report.question.origin = {.model = "chain", .graph = "file"};
  report.problem.tensors = {{.name = "a", .size_bytes = 6}, {.name = "b", .size_bytes = 4}};
  report.problem.operations = {
      {.name = "make a", .outputs = {TensorId{0}}, .compute_s = 2},
      {.name = "make b", .inputs = {TensorId{0}}, .outputs = {TensorId{1}}, .compute_s = 1}};
  report.problem.deadline_s = 4;
  report.status = SolveStatus::Feasible;
  report.proved_bytes = 1'000;
  report.found_bytes = 2'000;
  report.timing.solve_s = 60;
  report.backend = "cbc 2.10.8";
  return report;
}

std::string second_line(const MinimumReport& report) {
  const std::string text = minimum_text(report);
  const std::size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(MinimumText, SaysBetweenWhatAndWhatWhenStopped) {
  EXPECT_EQ(second_line(stopped()),
            "the smallest RAM budget for the deadline of 4 s is between 1,000 and 2,000 bytes, "
            "after 60 s (cbc 2.10.8)");
  MinimumReport report = stopped();
  report.asked = MinimumReport::Asked::LeastTime;
  report.problem.ram_budget_bytes = 10;
  report.proved_s = 3;
  report.found_s = 3.5;
  EXPECT_EQ(second_line(report),
            "the shortest deadline within 10 bytes of RAM is between 3 s and 3.5 s, after 60 s "
            "(cbc 2.10.8)");
}

TEST(MinimumText, SaysWhenNothingWasFound) {
  MinimumReport report = stopped();
  report.status = SolveStatus::Unknown;
  report.found_bytes.reset();
  report.problem.deadline_s.reset();
  EXPECT_EQ(second_line(report),
            "the smallest RAM budget is at least 1,000 bytes, and nothing was found to work, after "
            "60 s (cbc 2.10.8)");
}

TEST(MinimumText, ShowsWhereABudgetLies) {
  MinimumReport report = stopped();
  report.status = SolveStatus::Optimal;
  report.proved_bytes = 10;
  report.found_bytes = 10;
  EXPECT_NE(
      minimum_text(report).find(
          "  RAM                  bytes  of the peak  of the way up\n"
          "  largest working set     10        100 %            0 %  of make b\n"
          "  smallest budget         10        100 %            0 %  works, and nothing smaller "
          "does\n"
          "  plain peak              10        100 %            0 %  what keeping everything "
          "needs\n"),
      std::string::npos)
      << minimum_text(report);
}

}  // namespace
}  // namespace poet
