#include "poet/forms/plan_in_budget.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "poet/ask/asked_for_tests.h"

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

}  // namespace
}  // namespace poet
