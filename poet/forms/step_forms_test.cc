#include "poet/forms/step_forms.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/forms/times_in_step.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

StepForms forms_of(std::int64_t micro_batches, std::int64_t write_budget_bytes) {
  PlanRequest plan;
  plan.model = "lenet5";
  plan.platform = "laptop";
  plan.batch_size = 4 * micro_batches;
  plan.training.optimiser = Optimiser::Momentum;
  plan.write_budget_bytes = write_budget_bytes;
  Result<StepForms> forms = step_forms({.question = asked(plan), .micro_batches = micro_batches});
  EXPECT_TRUE(forms.ok()) << forms.error().message;
  return *std::move(forms);
}

// LeNet-5 has 61,706 parameters of 4 bytes.
constexpr std::int64_t kParameterBytes = 4 * 61'706;

// Accumulators are written by all but the last micro-batch, which writes parameters and velocities.
TEST(WriteBudget, IsSharedByNeed) {
  const std::int64_t needed = 5 * kParameterBytes;  // 3 accumulations, then both
  const StepForms forms = forms_of(4, needed + 400);
  ASSERT_EQ(forms.forms.size(), 3U);  // first, middle, last
  EXPECT_EQ(forms.forms[0].instance.problem.write_budget_bytes, kParameterBytes + 100);
  EXPECT_EQ(forms.forms[1].instance.problem.write_budget_bytes, kParameterBytes + 100);
  EXPECT_EQ(forms.forms[2].instance.problem.write_budget_bytes, 2 * kParameterBytes + 100);
}

TEST(WriteBudget, IsThatOfTheOnlyForm) {
  EXPECT_EQ(forms_of(1, 1000).forms[0].instance.problem.write_budget_bytes, 1000);
}

TEST(WriteBudget, IsSharedOutWholeWhereItHoldsNotEveryNeed) {
  for (const std::int64_t missing_bytes : {std::int64_t{1}, std::int64_t{100}, kParameterBytes}) {
    const std::int64_t budget_bytes = 3 * kParameterBytes - missing_bytes;
    const StepForms forms = forms_of(2, budget_bytes);
    std::int64_t shared_bytes = 0;
    for (const StepGraph& form : forms.forms)
      shared_bytes += *form.instance.problem.write_budget_bytes;
    EXPECT_LE(shared_bytes, budget_bytes);
    EXPECT_LT(*forms.forms[0].instance.problem.write_budget_bytes, kParameterBytes);
    EXPECT_LT(*forms.forms[1].instance.problem.write_budget_bytes, 2 * kParameterBytes);
  }
}

StepForms forms_of_deadline(std::int64_t micro_batches, double deadline_s,
                            std::optional<RankPlace> rank = {}) {
  PlanRequest plan;
  plan.model = "digits-mlp";
  plan.platform = "m4";
  plan.batch_size = 2 * micro_batches;
  plan.io = TimeMode::Blocking;
  plan.deadline = DeadlineSeconds{deadline_s};
  Result<StepForms> forms = step_forms(
      {.question = asked(plan), .micro_batches = micro_batches, .rank = std::move(rank)});
  EXPECT_TRUE(forms.ok()) << forms.error().message;
  return *std::move(forms);
}

double deadline_of(const StepForms& forms, std::size_t form) {
  return *forms.forms[form].instance.problem.deadline_s;
}

double least_s(const StepForms& forms, std::size_t form) {
  return unavoidable(forms.forms[form].instance.problem).time_s;
}

// The last micro-batch takes longer than the others, and a deadline that holds nothing to spare is
// one that all of them can keep.
TEST(Deadline, IsSharedByWhatEachMicroBatchTakes) {
  const StepForms loose = forms_of_deadline(4, 1);
  ASSERT_EQ(loose.forms.size(), 3U);  // first, middle, last
  EXPECT_GT(least_s(loose, 2), least_s(loose, 0));
  EXPECT_NEAR(deadline_of(loose, 0) + 2 * deadline_of(loose, 1) + deadline_of(loose, 2), 1, 1e-9);

  const double whole_s = least_s(loose, 0) + 2 * least_s(loose, 1) + least_s(loose, 2);
  const StepForms tight = forms_of_deadline(4, whole_s);
  for (std::size_t k = 0; k < tight.forms.size(); ++k)
    EXPECT_TRUE(within_deadline(least_s(tight, k), deadline_of(tight, k))) << k;
}

// Of two ranks a fast one may take three of four micro-batches, and a part of the updates.
TEST(Deadline, IsThatOfTheRankThatTakesMost) {
  const StepForms forms = forms_of_deadline(4, 1, RankPlace{.own = 0, .count = 2});
  ASSERT_EQ(forms.forms.size(), 2U);  // first, update
  EXPECT_NEAR(3 * deadline_of(forms, 0) + deadline_of(forms, 1), 1, 1e-9);
}

TEST(WriteBudget, IsThatOfTheRankThatTakesMost) {
  PlanRequest plan;
  plan.model = "lenet5";
  plan.platform = "laptop";
  plan.batch_size = 16;
  plan.write_budget_bytes = 1 << 30;
  const Result<StepForms> forms = step_forms(
      {.question = asked(plan), .micro_batches = 8, .rank = RankPlace{.own = 0, .count = 2}});
  ASSERT_TRUE(forms.ok()) << forms.error().message;
  const auto bytes = [&](std::size_t form) {
    return *forms->forms[form].instance.problem.write_budget_bytes;
  };
  EXPECT_LE(7 * bytes(0) + bytes(1), 1 << 30);
  EXPECT_GE(7 * bytes(0) + bytes(1), (1 << 30) - 8);
}

TEST(Prediction, IsTheLastFormInABatchOfItsOwnAndNoPartOfTheStep) {
  PlanRequest plan;
  plan.model = "lenet5";
  plan.platform = "laptop";
  plan.batch_size = 4;
  const Result<StepForms> forms =
      step_forms({.question = asked(plan), .evaluation = true, .prediction_batch_size = 3});
  ASSERT_TRUE(forms.ok()) << forms.error().message;
  ASSERT_EQ(forms->forms.size(), 2U);
  const StepGraph& prediction = forms->forms.back();
  EXPECT_EQ(prediction.name, kPrediction);
  EXPECT_EQ(at(prediction.graph.tensors, prediction.graph.outputs.front()).type.shape,
            (Shape{3, 10}));
  EXPECT_EQ(forms->micro_batch_size, 4);
  EXPECT_EQ(forms->wanted.parts.size(), 2U);  // pictures and labels, as without it
  EXPECT_EQ(times_in_step(*forms, 1), (std::vector<std::int64_t>{1, 0}));
}

}  // namespace
}  // namespace poet
