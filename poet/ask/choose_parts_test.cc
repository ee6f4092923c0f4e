#include "poet/ask/choose_parts.h"
#include "poet/ask/part_levels.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/minimum.h"
#include "poet/ask/sweep.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

using Levels = std::vector<std::int64_t>;

PlanRequest whole(PlanRequest request) {
  request.training.parts_by_budget = false;
  return request;
}

Levels levels_of_at_least(std::int64_t bytes, Levels levels) {
  std::erase_if(levels, [bytes](std::int64_t level) { return level < bytes; });
  return levels;
}

TEST(LevelsToTry, AreTheOneAboveTheBudgetAndSomeFromItOn) {
  EXPECT_EQ(levels_to_try(253'440), (Levels{262'144, 253'440, 196'608, 131'072, 98'304, 65'536}));
  EXPECT_EQ(levels_to_try(262'144), (Levels{393'216, 262'144, 196'608, 131'072, 98'304, 65'536}));
  EXPECT_EQ(levels_to_try(196'608), (Levels{262'144, 196'608, 131'072, 98'304, 65'536, 49'152}));
  EXPECT_EQ(levels_to_try(1'500), (Levels{1'536, 1'500, 1'024, 768, 512, 384}));
}

TEST(LevelsToTry, LieCloserWhereOperationsAreFew) {
  EXPECT_EQ(coarse_levels_to_try(253'440),
            (Levels{262'144, 253'440, 229'376, 196'608, 163'840, 131'072}));
  EXPECT_EQ(coarse_levels_to_try(200'000),
            (Levels{262'144, 200'000, 196'608, 163'840, 131'072, 114'688}));
  EXPECT_EQ(coarse_levels_to_try(1'500), (Levels{1'536, 1'500, 1'280, 1'024, 896, 768}));
}

TEST(LevelsToTry, LieBesideTheBestAtLast) {
  const Levels levels = levels_to_try(253'440);
  EXPECT_EQ(levels_beside(196'608, levels), (Levels{180'224, 210'816}));
  EXPECT_EQ(levels_beside(262'144, levels), (Levels{259'968}));
  EXPECT_EQ(levels_beside(65'536, levels), (Levels{73'728}));
  EXPECT_EQ(levels_beside(1'000, levels), Levels{});
  EXPECT_EQ(levels_beside(1'500, {1'502, 1'500}), Levels{});
}

TEST(LevelsBetween, AreHalfWayFromEachToTheNext) {
  EXPECT_EQ(levels_between({8'192, 6'144, 4'096}), (Levels{7'168, 5'120}));
  EXPECT_EQ(levels_between({6, 5, 3}), Levels{4});
  EXPECT_EQ(levels_between({6'144}), Levels{});
}

TEST(CloseLevels, AreSixteenToEachDoublingAndTheSameForAllBudgets) {
  const Levels levels = close_levels(1'000);
  EXPECT_EQ(levels.front(), 1'984);
  EXPECT_EQ(levels[15], 1'024);
  EXPECT_EQ(levels[16], 992);
  EXPECT_EQ(levels.back(), 68);
  EXPECT_EQ(levels_of_at_least(128, close_levels(1'023)),
            levels_of_at_least(128, close_levels(1'000)));
  EXPECT_EQ(close_levels(1), Levels{});
}

// More RAM costs no more: in 42,745 bytes parts of 47,551 are best, which those that are tried
// first in 45,594 do not come near.
TEST(PartsByBudget, CostNoMoreInMoreRam) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "half a minute; others call what it calls";
  PlanRequest request{.model = "lenet5", .platform = "laptop"};
  const Question question = asked(request);
  QuestionSteps steps(question);
  const std::optional<Instance> less = choose_parts(steps, 42'745, {}, {});
  const std::optional<Instance> more = choose_parts(steps, 45'594, {}, {});
  ASSERT_TRUE(less && more);
  EXPECT_LE(replay(more->problem, *more->parts.start).energy_j,
            replay(less->problem, *less->parts.start).energy_j);
}

TEST(PartsByBudget, HaveNoMoreOperationsThanTheyMay) {
  Question question = asked(digits_mlp_on_m4(1'500));
  question.most_operations = 30;
  QuestionSteps steps(question);
  const std::optional<Instance> chosen = choose_parts(steps, 1'500, {}, {});
  ASSERT_TRUE(chosen);
  EXPECT_LE(chosen->parts.operations, 30);
  int left_out = 0;
  for (const TriedLevel& level : chosen->parts.tried)
    if (level.why_not == "it may have 30 operations") ++left_out;
  EXPECT_GT(left_out, 0);
  question.most_operations = 10;
  QuestionSteps few(question);
  EXPECT_FALSE(choose_parts(few, 1'500, {}, {}));
}

TEST(PartsByBudget, AreNoneWhereWholeOperationsFit) {
  const Result<Instance> instance = make_instance(lenet5_on_m4(219'712));
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(instance->parts.part_bytes);
  EXPECT_TRUE(instance->parts.by_budget);
  EXPECT_TRUE(instance->parts.tried.empty());
  EXPECT_EQ(instance->problem, make_instance(whole(lenet5_on_m4(219'712)))->problem);
}

TEST(PartsByBudget, AreOfTheSizeWithTheCheapestQuickSchedule) {
  const Result<Instance> instance = make_instance(digits_mlp_on_m4(2'500));
  ASSERT_TRUE(instance.ok());
  ASSERT_TRUE(instance->parts.part_bytes);
  ASSERT_TRUE(instance->parts.cuts);
  EXPECT_LE(largest_working_set(instance->problem).bytes, 2'500);
  EXPECT_EQ(instance->problem.ram_budget_bytes, 2'500);
  std::optional<double> least;
  std::int64_t best = 0;
  for (const TriedLevel& level : instance->parts.tried)
    if (level.objective && (!least || *level.objective < *least)) {
      least = level.objective;
      best = level.part_bytes;
    }
  EXPECT_EQ(instance->parts.part_bytes, best);
}

TEST(PartsByBudget, AreTheSameEachTime) {
  const Result<Instance> once = make_instance(digits_mlp_on_m4(2'500));
  const Result<Instance> again = make_instance(digits_mlp_on_m4(2'500));
  EXPECT_GT(once->parts.tried.size(), 5U);
  EXPECT_EQ(once->parts.part_bytes, again->parts.part_bytes);
  EXPECT_EQ(once->problem, again->problem);
}

TEST(PartsByBudget, AreOnlyOfNetworksAndReferenceKernels) {
  EXPECT_TRUE(leaves_parts_open(asked(lenet5_on_m4(40'000))));
  EXPECT_FALSE(leaves_parts_open(asked(whole(lenet5_on_m4(40'000)))));
  PlanRequest fast = lenet5_on_m4(40'000);
  fast.kernels.library = KernelLibrary::Onednn;
  EXPECT_FALSE(leaves_parts_open(asked(fast)));
  PlanRequest released{.model = "linear", .platform = "m4"};
  EXPECT_FALSE(leaves_parts_open(asked(released)));
}

TEST(PartsByBudget, MakePlansOfWhatWholeOperationsHaveNone) {
  PlanRequest request = digits_mlp_on_m4(3'000);
  request.solve.gap_ratio = 0.5;  // any plan will do
  const Result<PlanReport> no = make_plan(asked(whole(request)), {}, {});
  ASSERT_TRUE(no.ok());
  EXPECT_EQ(no->solve.status, SolveStatus::Infeasible);
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->plan);
  EXPECT_TRUE(report->replay.valid());
  EXPECT_LE(report->replay.peak_ram_bytes, 3'000);
  EXPECT_EQ(report->plan->origin.part_bytes, report->parts.part_bytes);
}

// Without paging a step needs more than its largest operation: all that is alive beside it.
TEST(PartsByBudget, AreTriedWhereOperationsFitAndTheStepDoesNot) {
  PlanRequest request{.model = "digits-cnn", .platform = "m4"};
  request.batch_size = 1;
  request.paging = false;
  const Result<MinimumReport> of_whole = find_minimum(asked(whole(request)), {}, {});
  ASSERT_TRUE(of_whole.ok());
  ASSERT_TRUE(of_whole->found_bytes);
  request.ram_budget = RamBytes{*of_whole->found_bytes - 1};
  ASSERT_LE(largest_working_set(of_whole->problem).bytes, *of_whole->found_bytes - 1);
  request.solve.gap_ratio = 0.5;  // any plan will do
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->plan);
  EXPECT_TRUE(report->parts.part_bytes);
}

// A search of a moment finds nothing in the sizes that it tries; the finest parts have a schedule.
TEST(PartsByBudget, AreTheFinestWhereNoneOfThoseThatWereTriedHasASchedule) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "half a minute; others call what it calls";
  PlanRequest request{.model = "lenet5", .platform = "m0"};
  request.paging = false;
  request.ram_budget = RamBytes{22'256};
  request.solve.gap_ratio = 0.5;  // any plan will do
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->plan);
  EXPECT_TRUE(report->replay.valid());
  EXPECT_LE(report->replay.peak_ram_bytes, 22'256);
}

// Time is up at the so many-th look at the clock.
Stop ends_at_look(int most, int& looks) {
  Stop stop;
  stop.elapsed_s = [&looks, most] { return ++looks >= most ? 2.0 : 0.0; };
  stop.limit_s = 1;
  return stop;
}

TEST(PartsByBudget, AreGivenUpWhereverTheTimeIsUp) {
  const Question question = asked(lenet5_on_m4(40'000));
  QuestionSteps steps(question);
  int looks = 0;
  ASSERT_TRUE(steps.in_parts(32'768, 10'000, ends_at_look(1'000'000, looks)).ok());
  const int of_all = looks;
  EXPECT_GT(of_all, 100);  // of 44 operations, 300 parts of them and ways to order these
  for (const int most : {1, 2, of_all / 8, of_all / 2, of_all}) {
    looks = 0;
    const Result<MadeStep> step = steps.in_parts(32'768, 10'000, ends_at_look(most, looks));
    ASSERT_FALSE(step.ok());
    EXPECT_EQ(step.error().message,
              "the search was ended before the step was in parts of this size");
    EXPECT_LE(looks, most + of_all / 2);
  }
}

TEST(PartsByBudget, AreTheBestOfThoseThatThereWasTimeFor) {
  const Question question = asked(lenet5_on_m4(40'000));
  QuestionSteps steps(question);
  int looks = 0;
  std::size_t tried = 0;
  for (const int most : {1, 200, 2'000, 20'000, 1'000'000'000}) {
    looks = 0;
    const std::optional<Instance> chosen =
        choose_parts(steps, 40'000, ends_at_look(most, looks), {});
    EXPECT_EQ(chosen.has_value(), most > 1'000) << most;
    if (!chosen) continue;
    EXPECT_GE(chosen->parts.tried.size(), tried);
    tried = chosen->parts.tried.size();
    EXPECT_TRUE(replay(chosen->problem, *chosen->parts.start).valid());
  }
}

// Levels of 2^k and 3 * 2^k need more than this by themselves, or are not reached.
TEST(PartsByBudget, AreOfASizeBetweenLevelsWhereThatAloneFits) {
  const Question question = asked(digits_mlp_on_m4(132));
  QuestionSteps steps(question);
  const std::optional<Instance> chosen = choose_parts(steps, 132, {}, {});
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(replay(chosen->problem, *chosen->parts.start).valid());
  EXPECT_LE(largest_working_set(chosen->problem).bytes, 132);
  for (const std::int64_t level : levels_to_try(132)) EXPECT_NE(chosen->parts.part_bytes, level);
}

// What `poet minimum` says works, `poet solve` finds.
TEST(PartsByBudget, DoInTheLeastRamThatWasFound) {
  std::vector<const char*> models = {"digits-mlp"};
  if (!testing::kUnderSanitizers) models.push_back("digits-cnn");
  for (const char* const model : models) {
    PlanRequest request{.model = model, .platform = "m4"};
    const Result<MinimumReport> least = find_minimum(asked(request), {}, {});
    ASSERT_TRUE(least.ok());
    ASSERT_TRUE(least->found_bytes);
    ASSERT_TRUE(least->parts.part_bytes);
    const Question question = asked(request);
    QuestionSteps steps(question);
    const std::optional<Instance> chosen = choose_parts(steps, *least->found_bytes, {}, {});
    ASSERT_TRUE(chosen) << model << " in " << *least->found_bytes;
    EXPECT_EQ(chosen->problem.ram_budget_bytes, *least->found_bytes);
    EXPECT_TRUE(replay(chosen->problem, *chosen->parts.start).valid());
  }
}

// Parts of other sizes may do with less than the whole operation that is too large.
TEST(PartsByBudget, LeaveTheSmallestBudgetOfARefusalOpen) {
  PlanRequest request{.model = "digits-cnn", .platform = "m0"};
  request.training.largest_gradient_norm = 1;  // which parts have not
  request.ram_budget = RamBytes{9'247};
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->solve.infeasibility);
  EXPECT_FALSE(report->solve.infeasibility->least_budget_bytes);
}

TEST(Minimum, IsLessInParts) {
  PlanRequest request{.model = "lenet5", .platform = "m4"};
  const Result<MinimumReport> report = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->found_bytes);
  ASSERT_TRUE(report->parts.part_bytes);
  EXPECT_LT(*report->found_bytes, 5'000);  // 5,664 in parts of 6 KiB; of 4.5 KiB there are none
  EXPECT_LE(*report->found_bytes, *report->parts.part_bytes + resident_bytes(report->problem));
  EXPECT_EQ(report->plan->origin.part_bytes, report->parts.part_bytes);
  EXPECT_EQ(find_minimum(asked(whole(request)), {}, {})->found_bytes, 219'712);
}

// Parts save a thousandth of the time, which is shorter all the same.
TEST(Minimum, OfTimeIsNoMoreInMoreRam) {
  PlanRequest request{.model = "digits-mlp", .platform = "laptop"};
  request.batch_size = 2;
  request.ram_budget = RamBytes{6'000};
  const Result<MinimumReport> less = find_minimum(asked(request), {}, {});
  request.ram_budget = RamBytes{1'000'000};
  const Result<MinimumReport> more = find_minimum(asked(request), {}, {});
  ASSERT_TRUE(less.ok() && less->found_s && more.ok() && more->found_s);
  EXPECT_LE(*more->found_s, *less->found_s * (1 + 1e-9));
}

TEST(Sweep, CutsTheStepForEachBudgetThatNoneFits) {
  SweepRequest request;
  request.plan.platform = "m4";
  request.models = {"digits-mlp"};
  request.platforms = {"m4"};
  request.budgets = {RamBytes{1'500}, RamBytes{3'000}, RamBytes{6'000}, RamBytes{9'000}};
  const Result<SweepPlan> plan = plan_sweep(request);
  ASSERT_TRUE(plan.ok());
  const SweepInstance& instance = plan->instances.front();
  const auto parts_in = [&](std::int64_t bytes) {
    const std::size_t step = step_at(instance, bytes);
    return step == 0 ? std::nullopt : instance.smaller[step - 1].parts.part_bytes;
  };
  EXPECT_FALSE(parts_in(9'000));
  EXPECT_FALSE(parts_in(6'000));
  EXPECT_TRUE(parts_in(3'000));
  EXPECT_TRUE(parts_in(1'500));
  EXPECT_NE(parts_in(3'000), parts_in(1'500));
  for (const std::int64_t bytes : {1'500, 3'000})
    EXPECT_LE(largest_working_set(problem_of_step(instance, step_at(instance, bytes))).bytes,
              bytes);
}

}  // namespace
}  // namespace poet
