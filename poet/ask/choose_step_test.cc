#include "poet/ask/choose_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/overlap/planner.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

// Its largest update needs so much with the whole gradient beside it.
constexpr std::int64_t kSeparateFits = 384'032;

Result<Instance> chosen(const PlanRequest& request) {
  const Question question = asked(request);
  QuestionSteps steps(question);
  return instance_to_plan(steps, {}, {});
}

TEST(StepOfABudget, CostsNoMoreBecauseThereIsMoreRam) {
  const Result<PlanReport> less = make_plan(asked(lenet5_on_m4(kSeparateFits - 1)), {}, {});
  const Result<PlanReport> more = make_plan(asked(lenet5_on_m4(kSeparateFits)), {}, {});
  ASSERT_TRUE(less.ok());
  ASSERT_TRUE(more.ok());
  EXPECT_LE(more->solve.objective, less->solve.objective * (1 + 1e-9));
  EXPECT_TRUE(more->choice.is_other);
  EXPECT_LT(*more->choice.objective, *more->choice.fitting_objective);
}

// The step that fits first is within 1 % of what no schedule can save, and another saves that.
TEST(StepOfABudget, OfFewOperationsIsLookedForWhereLittleCanBeSaved) {
  PlanRequest request{.model = "lenet5", .platform = "laptop"};
  request.ram_budget = RamBytes{300'000};
  const Result<Instance> instance = chosen(request);
  ASSERT_TRUE(instance.ok());
  EXPECT_TRUE(instance->choice.is_other);
  EXPECT_LT(*instance->choice.objective, 0.995 * *instance->choice.fitting_objective);
}

TEST(StepOfABudget, IsWholeAndSeparateWhereThatIsAsked) {
  PlanRequest request = lenet5_on_m4(kSeparateFits);
  request.training.updates = Updates::Separate;
  request.training.parts_by_budget = false;
  const Result<Instance> instance = chosen(request);
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(instance->choice.is_tried);
  EXPECT_TRUE(instance->updates.sliced.empty());
  EXPECT_FALSE(instance->parts.part_bytes);
}

TEST(StepOfABudget, IsOneOfThoseThatAreLeftOpen) {
  PlanRequest whole = lenet5_on_m4(kSeparateFits);
  whole.training.parts_by_budget = false;
  const Result<Instance> sliced = chosen(whole);
  ASSERT_TRUE(sliced.ok());
  EXPECT_TRUE(sliced->choice.is_other);
  EXPECT_FALSE(sliced->updates.sliced.empty());
  EXPECT_FALSE(sliced->parts.part_bytes);
  EXPECT_TRUE(sliced->choice.parts.empty());

  PlanRequest separate = lenet5_on_m4(kSeparateFits);
  separate.training.updates = Updates::Separate;
  const Result<Instance> parts = chosen(separate);
  ASSERT_TRUE(parts.ok());
  EXPECT_FALSE(parts->choice.parts.empty());
  EXPECT_EQ(parts->choice.is_other, parts->parts.part_bytes.has_value());
}

TEST(StepOfABudget, IsNotLookedForWhereNothingCanBeSaved) {
  const Result<Instance> instance = chosen(lenet5_on_m4(10'000'000));
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(instance->choice.is_tried);
  EXPECT_FALSE(instance->parts.part_bytes);
}

TEST(StepOfABudget, HasTheBudgetAndASchedule) {
  std::vector<std::int64_t> budgets = {kSeparateFits};
  if (!testing::kUnderSanitizers) budgets.insert(budgets.end(), {300'000, 219'712});
  for (const std::int64_t bytes : budgets) {
    const Result<Instance> instance = chosen(lenet5_on_m4(bytes));
    ASSERT_TRUE(instance.ok());
    EXPECT_EQ(instance->problem.ram_budget_bytes, bytes);
    EXPECT_LE(largest_working_set(instance->problem).bytes, bytes);
    if (instance->choice.is_other) {
      ASSERT_TRUE(instance->parts.start);
      EXPECT_TRUE(replay(instance->problem, *instance->parts.start).valid());
    }
  }
}

// A second search that begins anew may find less good ones than the first; what is known stays.
TEST(StepOfABudget, CostsNoMoreThanTheQuickScheduleOfItsParts) {
  if (testing::kUnderSanitizers) GTEST_SKIP() << "a question of costs; others call what it calls";
  PlanRequest request{.model = "ds-cnn", .platform = "m4"};
  request.ram_budget = RamBytes{80'672};
  const Result<Instance> instance = chosen(request);
  ASSERT_TRUE(instance.ok());
  ASSERT_TRUE(instance->choice.is_other);
  for (const TriedLevel& level : instance->choice.parts)
    if (level.objective) {
      EXPECT_LE(*instance->choice.objective, *level.objective * (1 + 1e-9));
    }
}

TEST(StepOfABudget, IsTheSameEachTime) {
  const Result<Instance> once = chosen(lenet5_on_m4(kSeparateFits));
  const Result<Instance> again = chosen(lenet5_on_m4(kSeparateFits));
  EXPECT_EQ(once->problem, again->problem);
  EXPECT_EQ(once->choice.objective, again->choice.objective);
}

TEST(StepOfABudget, IsThatOfThePlanToBeginWith) {
  const PlanRequest request = lenet5_on_m4(kSeparateFits);
  const Result<PlanReport> first = make_plan(asked(request), {}, {});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(first->plan);
  ASSERT_TRUE(first->choice.is_other);
  Question again = asked(request);
  again.start = AskedStart{.path = "first.json", .plan = *first->plan};
  const Result<PlanReport> second = make_plan(again, {}, {});
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->problem, first->problem);

  PlanRequest whole = request;
  whole.training.updates = Updates::Separate;
  whole.training.parts_by_budget = false;
  const Result<PlanReport> separate = make_plan(asked(whole), {}, {});
  ASSERT_TRUE(separate.ok());
  again.start = AskedStart{.path = "separate.json", .plan = *separate->plan};
  const Result<PlanReport> third = make_plan(again, {}, {});
  ASSERT_TRUE(third.ok()) << third.error().message;
  EXPECT_EQ(third->problem, separate->problem);
}

TEST(StepOfABudget, IsThatOfAPlanOfASmallerBudget) {
  const Result<PlanReport> small = make_plan(asked(lenet5_on_m4(kSeparateFits - 1)), {}, {});
  ASSERT_TRUE(small.ok());
  Question more = asked(lenet5_on_m4(kSeparateFits));
  more.start = AskedStart{.path = "small.json", .plan = *small->plan};
  const Result<PlanReport> report = make_plan(more, {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->updates.sliced, small->updates.sliced);
  EXPECT_TRUE(report->order.of_start);
}

PlanRequest overlapped(const char* model, const char* platform, std::int64_t bytes,
                       double deadline_s) {
  PlanRequest request{.model = model, .platform = platform};
  request.ram_budget = RamBytes{bytes};
  request.io = TimeMode::Overlapped;
  request.deadline = DeadlineSeconds{deadline_s};
  return request;
}

// Separate updates fit from 8,224 bytes on, and are slower.
TEST(StepOfADeadline, IsTheQuickestWhereNoOtherKeepsIt) {
  for (const std::int64_t bytes : {8'223, 8'224, 9'000}) {
    const Question question = asked(overlapped("digits-mlp", "laptop", bytes, 1.0738e-3));
    const Result<PlanReport> report = make_plan(question, {}, {});
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(report->plan) << bytes;
    EXPECT_FALSE(report->question.start);
    EXPECT_FALSE(report->order.of_start);
  }
}

TEST(StepOfADeadline, IsHeldAgainstTheWorstCase) {
  PlanRequest request = overlapped("digits-mlp", "m4", 8'544, 4.1532e-3);
  request.uncertainty = Uncertainty{.ratio = 0.2, .deviations = 3};
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->plan);
}

// Of a part of the time that all operations take, as of whole ones; slices take another.
TEST(StepOfADeadline, HasTheSameDeadlineAsTheOthers) {
  PlanRequest request = lenet5_on_m4(kSeparateFits);
  request.deadline = DeadlineRatio{100};
  const Question question = asked(request);
  QuestionSteps steps(question);
  const Result<const MadeStep*> whole = steps.first();
  const Result<const MadeStep*> sliced = steps.all_sliced();
  const Result<MadeStep> parts = steps.in_parts(65'536, 10'000, {});
  ASSERT_TRUE(whole.ok() && sliced.ok() && parts.ok());
  EXPECT_EQ((*whole)->instance.problem.deadline_s, (*sliced)->instance.problem.deadline_s);
  EXPECT_EQ((*whole)->instance.problem.deadline_s, parts->instance.problem.deadline_s);
}

TEST(StepOfABudget, IsNoOtherForAnotherFormulation) {
  PlanRequest request = lenet5_on_m4(kSeparateFits);
  Question question = asked(request);
  question.formulation = &planner_table().back();
  QuestionSteps steps(question);
  const Result<Instance> instance = instance_to_plan(steps, {}, {});
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(instance->choice.is_tried);
}

}  // namespace
}  // namespace poet
