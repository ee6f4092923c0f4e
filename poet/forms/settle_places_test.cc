#include "poet/forms/settle_places.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "poet/ask/asked_for_tests.h"

namespace poet {
namespace {

FormsRequest training(ParameterPlace parameters) {
  PlanRequest plan;
  plan.model = "mlp";
  plan.platform = "m4";
  plan.batch_size = 4;
  plan.training.parameters = parameters;
  plan.ram_budget = RamBytes{1'000'000'000};
  return {.question = asked(plan), .evaluation = true};
}

StepForms forms_of_training(ParameterPlace parameters) {
  const Result<StepForms> forms = step_forms(training(parameters));
  EXPECT_TRUE(forms.ok());
  StepForms made = *forms;
  for (StepGraph& form : made.forms) form.instance.problem.ram_budget_bytes = made.ram_budget_bytes;
  return made;
}

std::set<std::string> settled(StepForms& forms) {
  const FormsRequest request = training(ParameterPlace::Chosen);
  const auto residents = settle_places(forms, request.question, {}, {}, {});
  EXPECT_TRUE(residents.ok() && residents->has_value());
  return **residents;
}

// Of every tensor of every form, by name.
std::string places(const StepForms& forms) {
  std::string text;
  for (const StepGraph& form : forms.forms)
    for (std::size_t i = 0; i < form.graph.tensors.size(); ++i) {
      const GraphTensor& named = form.graph.tensors[i];
      const Tensor& planned = form.instance.problem.tensors[i];
      text += form.name + " " + named.name + ": " + std::string(name_of(kHomes, named.home)) +
              ", " + std::string(name_of(kHomes, planned.home)) +
              (planned.may_be_resident ? ", or resident" : "") + "\n";
    }
  return text;
}

void expect_same_places(const StepForms& a, const StepForms& b) {
  EXPECT_EQ(places(a), places(b));
}

TEST(SettlePlaces, MakesAllResidentWhereThereIsRoom) {
  StepForms forms = forms_of_training(ParameterPlace::Chosen);
  EXPECT_FALSE(settled(forms).empty());
  expect_same_places(forms, forms_of_training(ParameterPlace::Resident));
}

TEST(SettlePlaces, MakesNoneResidentWithoutAPlan) {
  StepForms forms = forms_of_training(ParameterPlace::Chosen);
  for (StepGraph& form : forms.forms) form.instance.problem.ram_budget_bytes = 1000;
  EXPECT_TRUE(settled(forms).empty());
  for (StepGraph& form : forms.forms) form.instance.problem.ram_budget_bytes = 1'000'000'000;
  expect_same_places(forms, forms_of_training(ParameterPlace::Planned));
}

TEST(SettlePlaces, CanBeTakenBack) {
  StepForms forms = forms_of_training(ParameterPlace::Chosen);
  put_into_storage(forms, settled(forms));
  expect_same_places(forms, forms_of_training(ParameterPlace::Planned));
}

TEST(SettlePlaces, ChangesNothingWhereThePlanHadToBeInTheCache) {
  StepForms forms = forms_of_training(ParameterPlace::Chosen);
  const FormsRequest request = training(ParameterPlace::Chosen);
  const auto residents = settle_places(forms, request.question, {.only_from_cache = true}, {}, {});
  ASSERT_TRUE(residents.ok());
  EXPECT_FALSE(residents->has_value());
  expect_same_places(forms, forms_of_training(ParameterPlace::Chosen));
}

TEST(SettlePlaces, LeavesOtherTrainingsAlone) {
  StepForms forms = forms_of_training(ParameterPlace::Resident);
  EXPECT_TRUE(settled(forms).empty());
  expect_same_places(forms, forms_of_training(ParameterPlace::Resident));
}

}  // namespace
}  // namespace poet
