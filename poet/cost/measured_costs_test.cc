#include "poet/cost/measured_costs.h"

#include <gtest/gtest.h>

#include "poet/cost/formula_costs.h"
#include "poet/graph/operator.h"

namespace poet {
namespace {

// Every figure a power of two, so that the costs below are exact.
Device device() {
  Device device;
  device.compute = {.flop_per_s = 1024, .flop_per_j = 4096};
  device.storage.read = {.latency_s = 0.5, .rate_bytes_per_s = 64, .active_power_w = 0.25};
  device.storage.write = {.latency_s = 1, .rate_bytes_per_s = 32, .active_power_w = 0.5};
  return device;
}

// Two ReLUs of one shape, a view, and a sigmoid: tensors x, relu_1, relu_2, flat, sigmoid.
Graph graph() {
  Graph graph;
  TensorId last = add_tensor(graph, {.name = "x",
                                     .type = {ElementType::Float32, {2, 256}},
                                     .role = TensorRole::Input,
                                     .home = Home::Storage});
  const auto add = [&](GraphOperation operation) {
    operation.inputs = {last};
    last = add_operation(graph, std::move(operation))->front();
  };
  add({.name = "relu_1", .kind = Operator::Relu});
  add({.name = "relu_2", .kind = Operator::Relu});
  add({.name = "flat", .kind = Operator::Reshape, .attributes = ShapeAttributes{{512}}});
  add({.name = "sigmoid", .kind = Operator::Sigmoid});
  return graph;
}

const char* const kRelu = "relu (float32 (2, 256)) -> (float32 (2, 256))";
const char* const kSigmoid = "sigmoid (float32 (512)) -> (float32 (512))";

MeasuredCosts measured() {
  return {.machine = "a machine",
          .measured = "once",
          .active_power_w = 4,
          .power_source = "assumed",
          .operations = {{.key = kRelu, .kernels = "reference", .seconds = 0.25},
                         {.key = kSigmoid, .kernels = "reference", .seconds = 2, .joules = 3.0},
                         {.key = kSigmoid, .kernels = "other", .seconds = 1}}};
}

Result<CostTable> costs(const MeasuredCosts& measured, const MeasuredChoice& choice = {}) {
  return measured_costs(graph(), device(), measured, choice, 1);
}

TEST(MeasuredCosts, StandForEveryOperationOfTheirKey) {
  const Result<CostTable> table = costs(measured());
  ASSERT_TRUE(table.ok());
  const OperationCost relu{.compute_j = 1, .compute_s = 0.25};  // by the power
  EXPECT_EQ(table->operations,
            (std::vector<OperationCost>{relu, relu, {}, {.compute_j = 3, .compute_s = 2}}));
  EXPECT_EQ(table->source, (CostSource{.kernels = "reference",
                                       .measured = "a machine, once",
                                       .from_measurements = 3,
                                       .from_formulas = 0}));
  EXPECT_EQ(to_text(table->source), "measured with reference kernels");
}

TEST(MeasuredCosts, InputsTakeWhatTheirExamplesDo) {
  MeasuredCosts with_examples = measured();
  with_examples.examples = {{.key = "float32 (2, 256)", .kernels = "examples", .seconds = 0.5},
                            {.key = "float32 (3, 256)", .kernels = "examples", .seconds = 7}};
  const Result<CostTable> table = costs(with_examples);
  ASSERT_TRUE(table.ok());
  std::vector<TensorCost> expected = formula_costs(graph(), device(), 1)->tensors;
  expected[0].page_in_s = 0.5;
  expected[0].page_in_j = 2;  // by the power of the processor
  EXPECT_EQ(table->tensors, expected);
}

TEST(MeasuredCosts, TransfersAreTheDevices) {
  EXPECT_EQ(costs(measured())->tensors, formula_costs(graph(), device(), 1)->tensors);
}

TEST(MeasuredCosts, OfOtherKernelsAreOtherCosts) {
  MeasuredCosts with_relu = measured();
  with_relu.operations[0].kernels = "other";
  const Result<CostTable> table = costs(with_relu, {.kernels = "other"});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->operations[3], (OperationCost{.compute_j = 4, .compute_s = 1}));
}

TEST(MeasuredCosts, ListEverythingThatIsMissingOnce) {
  MeasuredCosts none = measured();
  none.operations.clear();
  const Result<CostTable> table = costs(none);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().message,
            "2 different operations of the step are not measured with reference kernels ('poet "
            "profile' measures; --costs-missing formula takes formulas for them):\n  " +
                std::string(kRelu) + "\n  " + kSigmoid);
}

TEST(MeasuredCosts, AreMixedWithFormulasOnlyWhenAsked) {
  MeasuredCosts some = measured();
  some.operations.erase(some.operations.begin());
  const Result<CostTable> table = costs(some, {.missing = MissingCosts::Formula});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->operations[0], formula_costs(graph(), device(), 1)->operations[0]);
  EXPECT_EQ(table->operations[3], (OperationCost{.compute_j = 3, .compute_s = 2}));
  EXPECT_EQ(to_text(table->source),
            "measured with reference kernels, 2 of 3 operations by formula");
}

TEST(MeasuredCosts, OfFormulasAloneSaySo) {
  EXPECT_EQ(to_text(formula_costs(graph(), device(), 1)->source), "formulas");
}

TEST(FindCost, WantsKeyAndKernels) {
  const MeasuredCosts all = measured();
  ASSERT_NE(find_cost(all, kSigmoid, "other"), nullptr);
  EXPECT_EQ(find_cost(all, kSigmoid, "other")->seconds, 1);
  EXPECT_EQ(find_cost(all, kRelu, "other"), nullptr);
}

MeasuredCosts costs() {
  return {.machine = "a machine",
          .measured = "2026-01-02, 15 samples",
          .complete = false,
          .active_power_w = 2.5,
          .power_source = "assumed",
          .operations = {{.key = "relu (float32 (8)) -> (float32 (8))",
                          .kernels = "reference",
                          .seconds = 1.25e-7,
                          .spread_s = 1e-9,
                          .samples = 15,
                          .executions = 30000,
                          .uses = 3},
                         {.key = "tanh (float32 (8)) -> (float32 (8))",
                          .kernels = "reference",
                          .seconds = 0.1,
                          .joules = 0.25,
                          .samples = 3,
                          .executions = 3,
                          .uses = 1}},
          .examples = {{.key = "float32 (8)", .kernels = "examples", .seconds = 0.5}}};
}

std::string refusal(const std::string& text) {
  const Result<MeasuredCosts> parsed = parse_measured_costs(text, "my.costs.json");
  return parsed.ok() ? "not refused" : to_string(parsed.error());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(MeasuredCostsJson, ReadsWhatItWrites) {
  const Result<MeasuredCosts> parsed = parse_measured_costs(measured_costs_text(costs()), "file");
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(*parsed, costs());
}

TEST(MeasuredCostsJson, DoesWithoutExamples) {
  MeasuredCosts without = costs();
  without.examples.clear();
  const std::string text = measured_costs_text(without);
  EXPECT_EQ(text.find("\"examples\""), std::string::npos);
  const Result<MeasuredCosts> parsed = parse_measured_costs(text, "file");
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.error());
  EXPECT_EQ(*parsed, without);
}

TEST(MeasuredCostsJson, RefusesAnotherFormat) {
  EXPECT_EQ(refusal(R"({"format": "poet-plan", "version": 1})"),
            "my.costs.json:1:12: 'format' must be \"poet-costs\", found \"poet-plan\"");
}

TEST(MeasuredCostsJson, RefusesAKeyThatStandsThereTwice) {
  MeasuredCosts twice = costs();
  twice.operations[1].key = twice.operations[0].key;
  EXPECT_NE(refusal(measured_costs_text(twice))
                .find("the operation 'relu (float32 (8)) -> (float32 (8))' with 'reference' "
                      "kernels stands here twice"),
            std::string::npos);
}

TEST(MeasuredCostsJson, RefusesNegativeTimes) {
  EXPECT_NE(refusal(replaced(measured_costs_text(costs()), "\"seconds\": 0.1", "\"seconds\": -0.1"))
                .find("'seconds'"),
            std::string::npos);
}

TEST(MeasuredCostsJson, RefusesUnknownFields) {
  EXPECT_NE(
      refusal(replaced(measured_costs_text(costs()), "\"uses\": 1", "\"uses\": 1, \"used\": 2"))
          .find("used"),
      std::string::npos);
}

}  // namespace

}  // namespace poet
