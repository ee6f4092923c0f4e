#include "poet/use/step_meter.h"

#include <gtest/gtest.h>

#include "poet/forms/sample_planned_form.h"
#include "poet/graph/operator.h"

namespace poet {
namespace {

// The actions of sample::one_form(): make a, write a, drop, read a, make b of a, drop, drop.
PlannedForms one_form() {
  PlannedForms planned = sample::one_form();
  Graph& graph = planned.steps.front().graph;
  for (GraphTensor& tensor : graph.tensors) tensor.type = {ElementType::Float32, {2}};
  graph.operations.resize(2);
  graph.operations[0] = {
      .name = "make a", .kind = Operator::Relu, .inputs = {TensorId{1}}, .outputs = {TensorId{0}}};
  graph.operations[1] = {
      .name = "make b", .kind = Operator::Relu, .inputs = {TensorId{0}}, .outputs = {TensorId{1}}};
  return planned;
}

std::vector<ActionTime> run_of(double compute_s, double write_s, double read_s) {
  std::vector<ActionTime> times(7);
  for (std::size_t a : {0, 4}) times[a].end_s = compute_s;
  times[1].end_s = write_s;
  times[3] = {.begin_s = 1, .wait_s = 2, .end_s = 3 + read_s};
  return times;
}

void take_step(StepMeter& meter, const std::vector<ActionTime>& times, double step_s) {
  meter.add(0, times);
  meter.end_step(step_s);
}

TEST(StepMeter, TakesMediansOfTheStepsAfterTheFirst) {
  StepMeter meter(one_form(), {1}, 3);
  take_step(meter, run_of(100, 100, 100), 400);
  take_step(meter, run_of(1, 2, 3), 7);
  take_step(meter, run_of(2, 9, 3), 8);
  EXPECT_FALSE(meter.is_full());
  take_step(meter, run_of(9, 3, 4), 25);
  ASSERT_TRUE(meter.is_full());
  take_step(meter, run_of(9, 9, 9), 9);  // is not looked at
  const MeteredSteps steps = meter.metered();
  EXPECT_EQ(steps.step_s, 8);
  EXPECT_EQ(steps.predicted_step_s, 1 + 3 + 2 + 1);
  ASSERT_EQ(steps.works.size(), 3U);  // both operations are the same work
  EXPECT_EQ(steps.works[0], (MeteredWork{.key = "relu (float32 (2)) -> (float32 (2))",
                                         .times = 2,
                                         .needed = 2,
                                         .predicted_s = 1,
                                         .measured_s = 2}));
  EXPECT_EQ(steps.works[1].work, ActionWork::Write);
  EXPECT_EQ(steps.works[1].measured_s, 3);
  EXPECT_EQ(steps.works[2].measured_s, 3);  // without waiting
}

TEST(StepMeter, CountsAnOperationThatIsComputedAgainAsNeededOnce) {
  PlannedForms planned = one_form();
  Schedule& schedule = planned.steps.front().plan.schedule;
  schedule.actions = {Compute{OperationId{0}}, Drop{TensorId{0}}, Compute{OperationId{0}},
                      Compute{OperationId{1}}, Drop{TensorId{0}}, Drop{TensorId{1}}};
  StepMeter meter(planned, {2}, 1);
  for (int step = 0; step < 2; ++step) {
    for (int run = 0; run < 2; ++run) {
      std::vector<ActionTime> times(6);
      for (std::size_t a : {0, 2, 3}) times[a].end_s = 0.5;
      meter.add(0, times);
    }
    meter.end_step(3);
  }
  const MeteredSteps steps = meter.metered();
  ASSERT_EQ(steps.works.size(), 1U);
  EXPECT_EQ(steps.works[0].times, 6);
  EXPECT_EQ(steps.works[0].needed, 4);
  EXPECT_EQ(steps.works[0].measured_s, 0.5);
}

TEST(StepMeter, KnowsExamplesFromReads) {
  PlannedForms planned = one_form();
  planned.steps.front().graph.tensors[0].role = TensorRole::Input;
  StepMeter meter(planned, {1}, 1);
  for (int step = 0; step < 2; ++step) take_step(meter, run_of(1, 2, 3), 7);
  const MeteredSteps steps = meter.metered();
  ASSERT_EQ(steps.works.size(), 3U);
  EXPECT_EQ(steps.works[2], (MeteredWork{.work = ActionWork::Input,
                                         .key = "float32 (2)",
                                         .times = 1,
                                         .needed = 1,
                                         .predicted_s = 2,
                                         .measured_s = 3}));
  const StepFigures figures = figures_of(steps, "reference", 1);
  EXPECT_TRUE(figures.reads.empty());
  ASSERT_EQ(figures.costs.examples.size(), 1U);
  EXPECT_EQ(figures.costs.examples[0].seconds, 3);
}

TEST(StepMeter, LeavesTransfersBesideTheProcessorAlone) {
  PlannedForms planned = one_form();
  planned.steps.front().plan.problem.time_mode = TimeMode::Overlapped;
  StepMeter meter(planned, {1}, 1);
  for (int step = 0; step < 2; ++step) take_step(meter, run_of(1, 0, 0), 5);
  const MeteredSteps steps = meter.metered();
  EXPECT_TRUE(steps.overlapped);
  ASSERT_EQ(steps.works.size(), 1U);
  EXPECT_EQ(steps.works[0].work, ActionWork::Compute);
}

TEST(StepMeter, GivesFiguresToPlanWith) {
  StepMeter meter(one_form(), {1}, 1);
  for (int step = 0; step < 2; ++step) take_step(meter, run_of(1, 2, 3), 7);
  const StepFigures figures = figures_of(meter.metered(), "reference", 12.5);
  EXPECT_EQ(figures.steps, 1);
  EXPECT_EQ(figures.step_s, 7);
  ASSERT_EQ(figures.costs.operations.size(), 1U);
  EXPECT_EQ(figures.costs.operations[0].seconds, 1);
  EXPECT_EQ(figures.costs.operations[0].uses, 2);
  EXPECT_EQ(figures.costs.active_power_w, 12.5);
  ASSERT_EQ(figures.writes.size(), 1U);
  EXPECT_EQ(figures.writes[0].size_bytes, 8);
  EXPECT_EQ(figures.writes[0].seconds, 2);
  EXPECT_EQ(figures.reads[0].seconds, 3);
}

}  // namespace
}  // namespace poet
