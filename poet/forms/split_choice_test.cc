#include "poet/forms/split_choice.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"
#include "poet/forms/choose_split.h"

namespace poet {
namespace {

TEST(SplitText, ReadsBackWhatItWrote) {
  const SplitChoice choice{.micro_batches = 4,
                           .ram_budget_bytes = 4096,
                           .why = "the whole batch at once has no plan: too large",
                           .trials = {{.micro_batches = 1, .bound = 2, .why_not = "too large"},
                                      {.micro_batches = 4, .bound = 2.5, .objective = 2.75}}};
  EXPECT_EQ(*parse_split(split_text(choice), "a.json"), choice);
}

FormsRequest request_of(const char* model, std::int64_t batch_size, const char* budget) {
  PlanRequest plan;
  plan.model = model;
  plan.platform = "m4";
  plan.graph = GraphKind::Real;
  plan.batch_size = batch_size;
  plan.alignment_bytes = 64;
  plan.network.image_size = 16;
  plan.ram_budget = *parse_ram_budget(budget);
  return {.question = asked(plan)};
}

SplitChoice chosen(const FormsRequest& request) {
  FormsMaker maker;
  const Result<std::optional<SplitChoice>> choice = choose_split(request, maker, {}, {}, {});
  EXPECT_TRUE(choice.ok());
  return **choice;
}

// Every split reads the parameters more often, and computes as much.
TEST(ChooseSplit, LeavesABatchWholeWhereThereIsRoom) {
  const SplitChoice choice = chosen(request_of("lenet5", 4, "100%"));
  EXPECT_EQ(choice.micro_batches, 1);
  ASSERT_EQ(choice.trials.size(), 3U);
  EXPECT_TRUE(choice.trials[0].objective);
  EXPECT_EQ(choice.trials[1].why_not, "no plan of it in whole operations can cost less");
  EXPECT_EQ(choice.trials[2].why_not, "no plan of it in whole operations can cost less");
}

TEST(ChooseSplit, SplitsWhatDoesNotFitAtOnce) {
  FormsRequest request = request_of("lenet5", 16, "100%");
  request.question.ram_budget = RamBytes{100'000};
  request.question.training.parts_by_budget = false;
  const SplitChoice choice = chosen(request);
  EXPECT_GT(choice.micro_batches, 1);
  EXPECT_NE(choice.why.find("no plan of the whole batch at once was found"), std::string::npos);
  EXPECT_EQ(choice.ram_budget_bytes, 100'000);
  for (const SplitTrial& trial : choice.trials)
    if (trial.objective) {
      EXPECT_GE(*trial.objective, trial.bound);
    }
}

TEST(ChooseSplit, KnowsThePlansInPartsThatTheTrainingMayTake) {
  FormsRequest request = request_of("lenet5", 16, "100%");
  request.question.ram_budget = RamBytes{100'000};
  const SplitChoice choice = chosen(request);
  ASSERT_FALSE(choice.trials.empty());
  EXPECT_TRUE(choice.trials.front().objective);
  for (const SplitTrial& trial : choice.trials)
    if (trial.micro_batches == choice.micro_batches) {
      EXPECT_LE(*trial.objective, *choice.trials.front().objective);
    }
}

TEST(ChooseSplit, NeverSplitsBatchStatistics) {
  const SplitChoice choice = chosen(request_of("resnet8", 4, "50%"));
  EXPECT_EQ(choice.micro_batches, 1);
  EXPECT_TRUE(choice.trials.empty());
  EXPECT_NE(choice.why.find("normalises by the statistics of its batch"), std::string::npos);
}

}  // namespace
}  // namespace poet
