#include "poet/poet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace poet::v1 {
namespace {

const Training kLinear{.model = "linear", .device = "m4"};

std::string file_in_test_folder(const char* name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(Lists, HaveTheNamesThatTrainingsTake) {
  const std::vector<std::string> names = models();
  EXPECT_NE(std::find(names.begin(), names.end(), "resnet18_cifar"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "linear"), names.end());
  EXPECT_EQ(devices().front(), "m0");
}

TEST(StepSizes, AreThoseOfTheStep) {
  const Result<StepSizes> sizes = step_sizes(kLinear);
  ASSERT_TRUE(sizes.ok()) << sizes.error().message;
  EXPECT_EQ(sizes->operations, 27);
  EXPECT_GT(sizes->plain_peak_bytes, sizes->least_working_set_bytes);
  EXPECT_GT(sizes->compute_s, 0);
}

TEST(StepSizes, AreThoseThatPlanningSpeaksOf) {
  const Training lenet{.model = "lenet5", .device = "m4"};
  const Result<StepSizes> sizes = step_sizes(lenet);
  ASSERT_TRUE(sizes.ok()) << sizes.error().message;
  EXPECT_EQ(sizes->plain_peak_bytes, 386'112);
  EXPECT_EQ(sizes->least_working_set_bytes, 219'712);
  EXPECT_LT(least_ram(lenet)->proved_bytes, sizes->least_working_set_bytes);  // in parts
  EXPECT_EQ(plan(lenet, {.ram_bytes = 1'000})->status, Status::Infeasible);
}

TEST(Planning, KeepsItsLimitsAndIsVerified) {
  const StepSizes sizes = *step_sizes(kLinear);
  const Result<Answer> answer =
      plan(kLinear, {.ram_bytes = 5000, .deadline_s = 1.5 * sizes.compute_s});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->status, Status::Optimal);
  ASSERT_TRUE(answer->plan);
  const Figures figures = answer->plan->figures();
  EXPECT_LE(figures.peak_ram_bytes, 5000);
  EXPECT_LE(figures.time_s, 1.5 * sizes.compute_s * (1 + 1e-9));
  EXPECT_GE(figures.energy_j, answer->least_energy_j * (1 - 1e-9));
  EXPECT_EQ(verify(*answer->plan), std::vector<std::string>{});
}

TEST(Planning, SaysNoInTheAnswer) {
  const Result<Answer> answer = plan(kLinear, {.ram_bytes = 100});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->status, Status::Infeasible);
  EXPECT_FALSE(answer->plan);
  EXPECT_NE(answer->why_not, "");
  ASSERT_TRUE(answer->working_ram_bytes);
  EXPECT_EQ(plan(kLinear, {.ram_bytes = *answer->working_ram_bytes})->status, Status::Optimal);
}

TEST(Planning, IsStoppedByItsCaller) {
  Search search;
  search.stop = [] { return true; };
  const Result<Answer> answer =
      plan({.model = "resnet18_cifar", .device = "m4"}, {.ram_bytes = 800'000}, search);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_NE(answer->status, Status::Optimal);
}

TEST(Actions, AreNamedAndInTheOrderOfTime) {
  const std::vector<Action> actions = plan(kLinear, {.ram_bytes = 5000})->plan->actions();
  ASSERT_FALSE(actions.empty());
  EXPECT_TRUE(std::any_of(actions.begin(), actions.end(),
                          [](const Action& action) { return action.verb == Verb::Compute; }));
  EXPECT_TRUE(std::none_of(actions.begin(), actions.end(),
                           [](const Action& action) { return action.name.empty(); }));
  EXPECT_TRUE(std::is_sorted(actions.begin(), actions.end(), [](const Action& a, const Action& b) {
    return a.begin_s < b.begin_s;
  }));
}

TEST(Plans, AreReadAsTheyWereWritten) {
  const std::string path = file_in_test_folder("interface_plan.json");
  const Plan made = *plan(kLinear, {.ram_bytes = 5000})->plan;
  EXPECT_FALSE(made.write(path));
  const Result<Plan> read = read_plan(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->text(), made.text());
  EXPECT_EQ(read->figures().energy_j, made.figures().energy_j);
  std::filesystem::remove(path);
}

TEST(LeastRam, IsProvedAndHasAPlan) {
  const Result<LeastRam> least = least_ram(kLinear);
  ASSERT_TRUE(least.ok()) << least.error().message;
  EXPECT_EQ(least->status, Status::Optimal);
  EXPECT_EQ(least->found_bytes, least->proved_bytes);
  ASSERT_TRUE(least->plan);
  EXPECT_EQ(least->plan->figures().peak_ram_bytes, least->proved_bytes);
}

TEST(Refusals, SayWhatWouldBeRight) {
  const auto refusal = [](const Training& training, const Limits& limits = {}) {
    const Result<Answer> answer = plan(training, limits);
    return answer.ok() ? "an answer" : answer.error().message;
  };
  EXPECT_EQ(refusal({.model = "linaer", .device = "m4"}),
            "unknown model 'linaer'; did you mean 'linear'?");
  EXPECT_EQ(refusal({.device = "m4"}), "a training needs a model");
  EXPECT_EQ(refusal({.model = "linear", .device = "m4", .batch_size = 0}),
            "batch_size must be at least 1");
  EXPECT_EQ(refusal(kLinear, {.ram_bytes = 0}), "ram_bytes must be at least 1");
  EXPECT_EQ(refusal(kLinear, {.deadline_s = -1}), "deadline_s must be a number above 0");
  EXPECT_EQ(least_ram(kLinear, {.ram_bytes = 1}).error().message,
            "ram_bytes is what least_ram() looks for; leave it out");
}

TEST(Refusals, SayOfWhichKindTheyAre) {
  EXPECT_EQ(plan({.model = "linaer", .device = "m4"}).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(read_plan(file_in_test_folder("no_such_plan.json")).error().kind, ErrorKind::NotFound);
  const Plan made = *plan(kLinear, {.ram_bytes = 5000})->plan;
  EXPECT_TRUE(made.write(file_in_test_folder("no_such_folder/plan.json")));
}

}  // namespace
}  // namespace poet::v1
