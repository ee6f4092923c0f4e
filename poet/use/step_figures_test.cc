#include "poet/use/step_figures.h"

#include <gtest/gtest.h>

#include "poet/ask/asked_for_tests.h"

namespace poet {
namespace {

StepFigures some_figures() {
  StepFigures figures{.steps = 5, .step_s = 0.25};
  figures.costs.active_power_w = 10;
  figures.costs.operations = {{.key = "relu (float32 (2)) -> (float32 (2))",
                               .kernels = "reference",
                               .seconds = 0.125,
                               .samples = 5,
                               .executions = 15,
                               .uses = 3}};
  figures.reads = {{1000, 0.002}, {3000, 0.004}};
  return figures;
}

Question question() {
  PlanRequest request;
  request.model = "lenet5";
  request.platform = "laptop";
  return asked(request);
}

TEST(StepFigures, AreReadAsTheyWereWritten) {
  StepFigures figures = some_figures();
  figures.writes = {{4096, 0.5}};
  figures.transfer_ratio = 1.75;
  figures.costs.examples = {{.key = "float32 (8, 1, 16, 16)",
                             .kernels = "examples",
                             .seconds = 0.5,
                             .samples = 5,
                             .executions = 10,
                             .uses = 2}};
  const std::string text = step_figures_text(figures);
  const Result<StepFigures> read = parse_step_figures(text, "f.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(step_figures_text(*read), text);
  EXPECT_EQ(read->costs.operations, figures.costs.operations);
  EXPECT_EQ(read->costs.examples, figures.costs.examples);
  EXPECT_EQ(read->transfer_ratio, 1.75);
}

TEST(StepFigures, RefuseWhatIsNone) {
  const Result<StepFigures> read = parse_step_figures(
      R"({"format": "poet-step-figures", "version": 1, "steps": 5, "step_s": -1})", "f.json");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(to_string(read.error()),
            "f.json:1:69: 'step_s' must be a number of at least 0, found -1");
}

TEST(WithFigures, FitsALineToTransfersOfSeveralSizes) {
  const Question measured = with_figures(question(), some_figures());
  EXPECT_NEAR(measured.device->storage.read.latency_s, 0.001, 1e-9);
  EXPECT_NEAR(measured.device->storage.read.rate_bytes_per_s, 1e6, 1);
  EXPECT_EQ(measured.device->storage.write,
            question().device->storage.write);  // none were measured
  EXPECT_EQ(measured.missing_costs, MissingCosts::Formula);
  ASSERT_TRUE(measured.costs);
  EXPECT_EQ(measured.costs->measured.operations, some_figures().costs.operations);
}

// The laptop's: 0.1 ms and 500 MB/s, so that 50,000 bytes take 0.2 ms.
TEST(WithFigures, SlowsAStorageDownOfWhichOneSizeIsKnown) {
  StepFigures figures = some_figures();
  figures.reads = {{50'000, 0.0006}};
  const StorageLink read = with_figures(question(), figures).device->storage.read;
  EXPECT_NEAR(read.latency_s, 0.0003, 1e-9);
  EXPECT_NEAR(transfer_s(read, 50'000), 0.0006, 1e-9);
}

TEST(WithFigures, TakesARatioWhereTransfersRanBesideTheProcessor) {
  StepFigures figures = some_figures();
  figures.overlapped = true;
  EXPECT_EQ(with_figures(question(), figures).device->storage, question().device->storage);
  figures.transfer_ratio = 2;
  const DeviceStorage storage = with_figures(question(), figures).device->storage;
  EXPECT_NEAR(transfer_s(storage.read, 50'000), 0.0004, 1e-9);
  EXPECT_NEAR(storage.write.latency_s, 0.0002, 1e-9);
}

TEST(WithFigures, KeepsCostsThatAUserBroughtForWhatNoStepExecuted) {
  Question before = question();
  before.costs = AskedCosts{.path = "c.json", .measured = {.active_power_w = 3}};
  before.costs->measured.operations = {
      {.key = "elsewhere", .kernels = "reference", .seconds = 7},
      {.key = "relu (float32 (2)) -> (float32 (2))", .kernels = "reference", .seconds = 9}};
  const MeasuredCosts costs = with_figures(before, some_figures()).costs->measured;
  EXPECT_EQ(costs.active_power_w, 3);
  EXPECT_EQ(find_cost(costs, "elsewhere", "reference")->seconds, 7);
  EXPECT_EQ(find_cost(costs, "relu (float32 (2)) -> (float32 (2))", "reference")->seconds, 0.125);
}

}  // namespace
}  // namespace poet
