#include "poet/forms/plan_in_budget.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/stop_warning.h"

namespace poet {
namespace {

constexpr double kEffort_s = 1;  // of which parts of a search take parts; no clock

// A training of one example at a time. Whole, its largest update needs 5,472 bytes.
FormsRequest digits(std::int64_t ram_budget_bytes) {
  PlanRequest plan{.model = "digits-mlp", .platform = "laptop", .batch_size = 1};
  plan.ram_budget = RamBytes{ram_budget_bytes};
  plan.solve.gap_ratio = 0.5;  // any plan will do
  plan.solve.max_nodes = 1;
  plan.solve.max_iterations = 1;
  return {.question = asked(plan)};
}

FormsRequest digits_cnn_with_evaluation(std::int64_t ram_budget_bytes) {
  PlanRequest plan{.model = "digits-cnn", .platform = "laptop", .batch_size = 8};
  plan.ram_budget = RamBytes{ram_budget_bytes};
  plan.training.optimiser = Optimiser::Adam;
  plan.solve.gap_ratio = 0.5;
  plan.solve.max_nodes = 1;
  plan.solve.max_iterations = 1;
  return {.question = asked(plan), .evaluation = true};
}

PlannedForms planned(const FormsRequest& request) {
  FormsMaker maker;
  Result<StepForms> forms = maker.forms(request);
  EXPECT_TRUE(forms.ok()) << forms.error().message;
  Result<PlannedForms> answer =
      plan_in_budget(request, maker, *forms, {}, {.whole_s = kEffort_s}, {});
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return *std::move(answer);
}

std::optional<std::int64_t> budget_named(const std::string& no) {
  const std::string words = "; the smallest budget found to work is --ram-budget ";
  const std::size_t at = no.find(words);
  if (at == std::string::npos) return std::nullopt;
  return std::stoll(no.substr(at + words.size()));
}

TEST(PlanInBudget, NamesABudgetInPartsWhereThesePlanTheStep) {
  const PlannedForms refused = planned(digits(128));
  ASSERT_TRUE(refused.steps.empty());
  EXPECT_NE(refused.no.find("; in parts of operations none was found either"), std::string::npos);
  const std::optional<std::int64_t> works = budget_named(refused.no);
  ASSERT_TRUE(works) << refused.no;
  EXPECT_LT(*works, 5'472 / 3);
  EXPECT_FALSE(planned(digits(*works)).steps.empty());
}

TEST(PlanInBudget, NamesABudgetOfWholeOperationsWhereTheseWereAskedFor) {
  FormsRequest request = digits(128);
  request.question.training.parts_by_budget = false;
  const PlannedForms refused = planned(request);
  ASSERT_TRUE(refused.steps.empty());
  EXPECT_EQ(refused.no.find("none was found either"), std::string::npos) << refused.no;
  EXPECT_EQ(budget_named(refused.no), 5'472);
}

// In parts of 25,600 bytes the training's step fits, and an operation of the evaluation does not.
TEST(PlanInBudget, TakesPartsOfWhichEveryFormHasAPlan) {
  FormsRequest request = digits_cnn_with_evaluation(20 << 10);
  FormsMaker maker;
  Result<StepForms> forms = maker.forms(request);
  ASSERT_TRUE(forms.ok()) << forms.error().message;
  const Result<PlannedForms> answer =
      plan_in_budget(request, maker, *forms, {.steps = 60}, {.whole_s = kEffort_s}, {});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->no, "");
  ASSERT_EQ(answer->steps.size(), forms->forms.size());
  for (const Replay& replayed : answer->replays) EXPECT_TRUE(replayed.valid());
}

// Where a form has none, nothing is left of the others.
TEST(PlanInBudget, HasNoStepsWithoutAPlanForEveryForm) {
  FormsRequest request = digits_cnn_with_evaluation(20 << 10);
  request.question.training.part_bytes = 25'600;
  const PlannedForms refused = planned(request);
  EXPECT_NE(refused.no.find("there is no plan for the evaluation step"), std::string::npos)
      << refused.no;
  EXPECT_TRUE(refused.steps.empty());
}

// Of a search that proves nothing, with kept plans in a folder of their own.
class KeptPlans : public ::testing::Test {
 protected:
  KeptPlans() : folder_(::testing::TempDir() + "/kept_plans") {
    std::filesystem::remove_all(folder_);
    request_.question.solve.gap_ratio = 0;
  }

  PlannedForms plan(const Stop& stop, bool takes_any = false) {
    FormsMaker maker;
    Result<StepForms> forms = maker.forms(request_);
    EXPECT_TRUE(forms.ok()) << forms.error().message;
    Result<PlannedForms> answer =
        plan_forms(*forms, request_.question,
                   {.cache = {.folder = folder_}, .takes_any_kept = takes_any}, stop, {});
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_FALSE(answer->steps.empty());
    return *std::move(answer);
  }

  // By a clock that stands still.
  static Stop limit(double limit_s) {
    return {.elapsed_s = [] { return 0.0; }, .limit_s = limit_s};
  }
  static Stop over() {
    return {.elapsed_s = [] { return 2.0; }, .limit_s = 2};
  }

  std::string folder_;
  // Not all can be kept.
  FormsRequest request_ = digits_cnn_with_evaluation(40 << 10);
};

TEST_F(KeptPlans, AreSearchedAgainWithMuchMoreTime) {
  EXPECT_FALSE(plan(limit(2)).from_cache);
  EXPECT_TRUE(plan(limit(1)).from_cache);
  EXPECT_TRUE(plan(limit(2.5)).from_cache);
  EXPECT_TRUE(plan(limit(60), true).from_cache);
  EXPECT_FALSE(plan(limit(60)).from_cache);
  EXPECT_TRUE(plan(limit(60)).from_cache);
}

TEST_F(KeptPlans, SayThatAClockEndedTheirSearch) {
  EXPECT_FALSE(plan(over()).from_cache);
  const PlannedForms kept = plan(limit(2));
  EXPECT_TRUE(kept.from_cache);
  EXPECT_EQ(kept.search_notes, std::vector<std::string>{limit_warning(2)});
}

TEST_F(KeptPlans, AreNoneThatWereInterrupted) {
  std::stop_source interrupt;
  interrupt.request_stop();
  plan({.token = interrupt.get_token()});
  EXPECT_FALSE(plan(limit(2)).from_cache);
}

}  // namespace
}  // namespace poet
