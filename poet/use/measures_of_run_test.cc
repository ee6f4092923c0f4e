#include "poet/use/measures_of_run.h"

#include <gtest/gtest.h>

#include "poet/forms/sample_planned_form.h"

namespace poet {
namespace {

std::vector<ActionTime> run_from(double begin_s) {
  std::vector<ActionTime> times;
  for (int a = 0; a < 7; ++a)
    times.push_back({.begin_s = begin_s + a, .wait_s = 0.25, .end_s = begin_s + a + 1});
  return times;
}

TEST(StepRecord, KeepsWhatThePlanSaysOfEachAction) {
  const StepTrace trace = StepRecord(sample::one_form(), {"whole"}, {1}, 2).take("a title");
  EXPECT_EQ(trace.title, "a title");
  EXPECT_TRUE(trace.steps.empty());
  EXPECT_TRUE(trace.runs.empty());
  ASSERT_EQ(trace.forms.size(), 1U);
  const TracedForm& form = trace.forms.front();
  ASSERT_EQ(form.actions.size(), 4U);  // drops take no work
  EXPECT_EQ(form.actions[2].name, "a");
  EXPECT_EQ(form.actions[2].kind, ActionKind::PageIn);
  EXPECT_EQ(form.actions[2].action, 3);
  EXPECT_EQ(form.arena_ram_bytes, (std::vector<std::int64_t>{12, 8, 8, 8, 20, 16, 8}));
}

TEST(StepRecord, EndsWithTheLastStepThatWasAskedFor) {
  StepRecord record(sample::one_form(), {"whole"}, {2}, 2);
  for (int step = 5; step < 9; ++step) {
    for (int run = 0; run < 2; ++run) record.add(0, run_from(100 * step + 10 * run));
    record.end_step(step, 100 * step, 100 * step + 20, 0.5);
  }
  const StepTrace trace = record.take("");
  ASSERT_EQ(trace.steps.size(), 2U);
  EXPECT_EQ(
      trace.steps[1],
      (TracedStep{
          .step = 6, .begin_s = 600, .end_s = 620, .loss = 0.5, .first_run = 2, .end_run = 4}));
  ASSERT_EQ(trace.runs.size(), 4U);
  EXPECT_EQ(trace.runs[3].times[1], (TracedTime{.begin_s = 611, .wait_s = 0.25, .end_s = 612}));
}

TEST(StepRecord, LeavesOutFormsThatDoNotRunInAStep) {
  PlannedForms planned = sample::one_form();
  planned.steps.push_back(planned.steps.front());
  planned.replays.push_back(planned.replays.front());
  StepRecord record(planned, {"evaluation", "whole"}, {0, 1}, 1);
  record.add(1, run_from(0));
  record.end_step(1, 0, 7, 0);
  const StepTrace trace = record.take("");
  ASSERT_EQ(trace.forms.size(), 1U);
  EXPECT_EQ(trace.forms.front().name, "whole");
  EXPECT_EQ(trace.runs.front().form, 0U);
}

}  // namespace
}  // namespace poet
