#include "poet/plan/plan_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "poet/base/text_file.h"
#include "tests/support/source_folder.h"

namespace poet {
namespace {

OperationId op(int v) {
  return OperationId{v};
}
TensorId t(int i) {
  return TensorId{i};
}

// a (600 B) is written to storage, because the budget has no room for it beside the gradients; gb's
// buffer becomes ga's.
Plan example_plan() {
  Plan plan;
  plan.origin = {"tiny", "m4", "released",
                 "poet solve --model tiny --platform m4 --ram-budget 1300"};
  plan.proof = {"optimal", "event", "cbc 2.10.8", 0.0151};
  Problem& problem = plan.problem;
  problem.name = "tiny";
  problem.ram_budget_bytes = 1300;
  problem.deadline_s = 0.05;
  problem.tensors = {{.name = "image",
                      .size_bytes = 300,
                      .home = Home::Storage,
                      .page_in_j = 0.0003,
                      .page_in_s = 0.001},
                     {.name = "a",
                      .size_bytes = 600,
                      .page_in_j = 0.0006,
                      .page_out_j = 0.0009,
                      .page_in_s = 0.002,
                      .page_out_s = 0.003},
                     {.name = "b",
                      .size_bytes = 600,
                      .page_in_j = 0.0006,
                      .page_out_j = 0.0009,
                      .page_in_s = 0.002,
                      .page_out_s = 0.003},
                     {.name = "loss", .size_bytes = 4},
                     {.name = "gb",
                      .size_bytes = 600,
                      .page_in_j = 0.0006,
                      .page_out_j = 0.0009,
                      .page_in_s = 0.002,
                      .page_out_s = 0.003},
                     {.name = "ga",
                      .size_bytes = 600,
                      .page_in_j = 0.0006,
                      .page_out_j = 0.0009,
                      .page_in_s = 0.002,
                      .page_out_s = 0.003}};
  problem.operations = {
      {.name = "conv", .inputs = {t(0)}, .outputs = {t(1)}, .compute_j = 0.01, .compute_s = 0.02},
      {.name = "relu", .inputs = {t(1)}, .outputs = {t(2)}, .compute_j = 0.001, .compute_s = 0.002},
      {.name = "loss",
       .inputs = {t(2)},
       .outputs = {t(3)},
       .compute_j = 0.0001,
       .compute_s = 0.001},
      {.name = "loss gradient",
       .inputs = {t(2), t(3)},
       .outputs = {t(4)},
       .compute_j = 0.0002,
       .compute_s = 0.001,
       .backward = true},
      {.name = "relu gradient",
       .inputs = {t(1), t(4)},
       .outputs = {t(5)},
       .compute_j = 0.002,
       .compute_s = 0.003,
       .backward = true,
       .in_place = InPlace{t(4), t(5)}}};
  plan.schedule.actions = {PageIn{t(0)},   Compute{op(0)}, Drop{t(0)},     PageOut{t(1)},
                           Compute{op(1)}, Drop{t(1)},     Compute{op(2)}, Compute{op(3)},
                           Drop{t(2)},     Drop{t(3)},     PageIn{t(1)},   Compute{op(4)},
                           Drop{t(4)},     Drop{t(1)},     Drop{t(5)}};
  plan.buffers = buffers_of(plan.problem, plan.schedule);
  return plan;
}

TEST(PlanFile, ReadsBackWhatItWrote) {
  const Result<Plan> back = parse_plan(plan_text(example_plan()), "plan.json");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(*back, example_plan());
}

TEST(PlanFile, ABoundThatSaysNothingIsNotWritten) {
  Plan plan = example_plan();
  plan.proof.lower_bound = -std::numeric_limits<double>::infinity();
  const Result<Plan> back = parse_plan(plan_text(plan), "plan.json");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(back->proof.lower_bound, 0.0);
}

TEST(PlanFile, SavesAndLoads) {
  const std::string path = ::testing::TempDir() + "plan_file_test.json";
  ASSERT_EQ(save_plan(example_plan(), path), Failure{});
  EXPECT_EQ(*load_plan(path), example_plan());
  EXPECT_EQ(remove(path.c_str()), 0);
  EXPECT_EQ(to_string(load_plan(path).error()),
            "cannot read '" + path + "': No such file or directory");
}

// The example with one piece of its text replaced.
std::string error_with(const std::string& piece, const std::string& other) {
  std::string text = plan_text(example_plan());
  const std::size_t at = text.find(piece);
  if (at == std::string::npos) return "no such piece";
  text.replace(at, piece.size(), other);
  const Result<Plan> plan = parse_plan(text, "plan.json");
  return plan.ok() ? "no error" : to_string(plan.error());
}

TEST(PlanFile, RefusesOtherDocumentsAtOnce) {
  EXPECT_EQ(error_with("poet-plan", "poet-problem"),
            "plan.json:2:13: 'format' must be \"poet-plan\", found \"poet-problem\"");
  EXPECT_EQ(error_with("\"version\": 1", "\"version\": 9"),
            "plan.json:3:14: version 9 of poet-plan is not known here; version 1 is");
}

TEST(PlanFile, PointsIntoTheDocumentsInside) {
  EXPECT_EQ(error_with("poet-problem", "problem"),
            "plan.json:7:15: 'format' must be \"poet-problem\", found \"problem\"");
  EXPECT_EQ(error_with("\"size_bytes\": 300", "\"size_bytes\": -3"),
            "plan.json:15:48: 'size_bytes' must be a whole number from 0 to 2^62, found -3");
  EXPECT_EQ(error_with("optimal", "optimum"),
            "plan.json:5:23: 'status' must be optimal or feasible, found \"optimum\"; did you mean "
            "'optimal'?");
}

TEST(PlanFile, RefusesBuffersThatAreNotThoseOfTheSchedule) {
  EXPECT_EQ(error_with("\"end_action\": 3}", "\"end_action\": 4}"),
            "plan.json:53:5: buffer 0 of this schedule is "
            "{\"tensor\": 0, \"size_bytes\": 300, \"begin_action\": 0, \"end_action\": 3}, found "
            "{\"tensor\": 0, \"size_bytes\": 300, \"begin_action\": 0, \"end_action\": 4}");
  EXPECT_EQ(error_with(",\n    {\"tensor\": 5, \"size_bytes\": 600, \"begin_action\": 11, "
                       "\"end_action\": 15, \"shares\": 4}",
                       ""),
            "plan.json:52:14: this schedule has 7 buffers, found 6");
}

// So that `poet verify` can name every broken rule.
TEST(PlanFile, ReadsAScheduleThatBreaksRules) {
  EXPECT_EQ(error_with("[\"drop\", 5]", "[\"drop\", 9]"), "no error");
  EXPECT_EQ(error_with("\"ram_budget_bytes\": 1300", "\"ram_budget_bytes\": 13"), "no error");
}

// Such a plan may have a layout, which speaks of its buffers.
TEST(PlanFile, RefusesOtherBuffersOfAScheduleThatOnlyNeedsTooMuch) {
  Plan plan = example_plan();
  plan.problem.ram_budget_bytes = 13;
  plan.buffers[3].tensor = t(6);
  const Result<Plan> read = parse_plan(plan_text(plan), "plan.json");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("buffer 3 of this schedule is {\"tensor\": 3, "),
            std::string::npos);
}

// docs/formats/plan.md shows this file.
TEST(PlanFile, TheExampleOfTheDocumentationIsRead) {
  const std::string page = *read_text_file(testing::source_folder() + "/docs/formats/plan.md");
  const std::string fence = "```json\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const Result<Plan> plan = parse_plan(example, "plan.md");
  ASSERT_TRUE(plan.ok()) << to_string(plan.error());
  EXPECT_EQ(*plan, example_plan());
  EXPECT_EQ(plan_text(*plan), example);
}

}  // namespace
}  // namespace poet
