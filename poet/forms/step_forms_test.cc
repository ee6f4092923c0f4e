#include "poet/forms/step_forms.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/forms/times_in_step.h"

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

TEST(WriteBudget, IsTooSmallForSomeFormWhereItHoldsNotEveryNeed) {
  for (const StepGraph& form : forms_of(2, kParameterBytes).forms)
    EXPECT_LT(*form.instance.problem.write_budget_bytes, 2 * kParameterBytes) << form.name;
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
