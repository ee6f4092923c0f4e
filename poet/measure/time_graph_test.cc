#include "poet/measure/time_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "poet/graph/operator.h"
#include "poet/runtime/step.h"

namespace poet {
namespace {

// A lookup of 64 rows in a table of 3, through a view of the indices: indices, table, flat, rows.
Graph lookup() {
  Graph graph;
  const TensorId indices = add_tensor(graph, {.name = "indices",
                                              .type = {ElementType::Int64, {8, 8}},
                                              .role = TensorRole::Input,
                                              .home = Home::Storage});
  const TensorId table = add_tensor(graph, {.name = "table",
                                            .type = {ElementType::Float32, {3, 2}},
                                            .role = TensorRole::Parameter,
                                            .home = Home::Storage});
  const TensorId flat = add_operation(graph, {.name = "flat",
                                              .kind = Operator::Reshape,
                                              .attributes = ShapeAttributes{{64}},
                                              .inputs = {indices}})
                            ->front();
  (void)*add_operation(graph, {.name = "rows",
                               .kind = Operator::Gather,
                               .attributes = AxisAttributes{.axis = 0},
                               .inputs = {table, flat}});
  return graph;
}

TEST(ValueFor, KeepsIndicesInTheTableAlsoThroughAView) {
  const TensorValue value = value_for(lookup(), TensorId{0});
  EXPECT_EQ(value.type, (TensorType{ElementType::Int64, {8, 8}}));
  std::vector<std::int64_t> indices(64);
  ASSERT_EQ(value.bytes.size(), 64 * sizeof(std::int64_t));
  std::memcpy(indices.data(), value.bytes.data(), value.bytes.size());
  for (const std::int64_t index : indices) EXPECT_TRUE(0 <= index && index < 3);
}

TEST(TimeGraph, TimesEachPassButTheFirst) {
  const Graph graph = lookup();
  const TensorValue indices = value_for(graph, TensorId{0});
  const TensorValue table = value_for(graph, TensorId{1});
  double now_s = 0;
  const auto timed = time_graph(
      graph, {{TensorId{0}, view_of(indices)}, {TensorId{1}, view_of(table)}}, {TensorId{3}},
      {.passes = 4}, {.token = {}, .elapsed_s = [&now_s] { return now_s += 0.5; }});
  ASSERT_TRUE(timed.ok());
  EXPECT_EQ(*timed, (Quartiles{0.5, 0.5, 0.5}));
}

TEST(TimeGraph, HasNoAnswerWhenItIsStoppedBefore) {
  std::stop_source source;
  source.request_stop();
  const auto timed = time_graph(lookup(), {}, {}, {},
                                {.token = source.get_token(), .elapsed_s = [] { return 0.0; }});
  ASSERT_TRUE(timed.ok());
  EXPECT_FALSE(timed->has_value());
}

TEST(TimeGraph, RefusesAMissingValue) {
  EXPECT_FALSE(
      time_graph(lookup(), {}, {TensorId{3}}, {}, {.token = {}, .elapsed_s = [] { return 0.0; }})
          .ok());
}

OperationTypes relu() {
  const TensorType type{ElementType::Float32, {4}};
  return {.kind = Operator::Relu, .inputs = {type}, .outputs = {type}};
}

// A clock that is a quarter of a second later whenever it is looked at.
Stop ticking(double& now_s) {
  return {.token = {}, .elapsed_s = [&now_s] { return now_s += 0.25; }};
}

TEST(TimeOperation, TakesSamplesUntilThereAreEnough) {
  double now_s = 0;
  const auto timing = time_operation(relu(), {.target_s = 1000, .samples = 7}, {}, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->samples, 7);
  EXPECT_EQ(timing->executions, 7);  // one execution is longer than the shortest sample
  EXPECT_EQ(timing->seconds, (Quartiles{0.25, 0.25, 0.25}));
  EXPECT_FALSE(timing->joules.has_value());
}

TEST(TimeOperation, ExecutesUntilASampleIsLongEnough) {
  double now_s = 0;
  // Only after eight executions does the clock show the shortest sample.
  int looks = 0;
  const Stop stop{.token = {}, .elapsed_s = [&] {
                    // Each doubling looks at the clock three times: whether to stop, begin, end.
                    return now_s += ++looks < 10 ? 1e-6 : 0.25;
                  }};
  const auto timing =
      time_operation(relu(), {.sample_s = 0.1, .target_s = 1000, .samples = 3}, {}, stop);
  ASSERT_TRUE(timing.has_value());
  EXPECT_GT(timing->executions, timing->samples);
  EXPECT_EQ(timing->executions % timing->samples, 0);
  EXPECT_EQ(timing->seconds.median, 0.25 * 3 / static_cast<double>(timing->executions));
}

TEST(TimeOperation, StopsAfterTheTargetWithTheFewestSamples) {
  double now_s = 0;
  const auto timing = time_operation(relu(), {.target_s = 0.1, .fewest = 3}, {}, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->samples, 3);
}

TEST(TimeOperation, HasNoAnswerWhenItWasStoppedBefore) {
  double now_s = 0;
  Stop stop = ticking(now_s);
  stop.limit_s = 1;
  EXPECT_FALSE(time_operation(relu(), {}, {}, stop).has_value());
}

TEST(TimeOperation, TakesWhatIsDrawnAtRestFromTheEnergy) {
  double now_s = 0;
  int readings = 0;
  // 12 J between the two readings, which lie 0.25 s and no look at the clock apart: 2 W at rest.
  const Instruments instruments{.energy_j = [&readings] { return 12.0 * readings++; }};
  const auto timing = time_operation(relu(), {.samples = 3, .energy_s = 0.5, .idle_w = 2},
                                     instruments, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->joules, (12 - 2 * 0.25) / 2);  // two executions of 0.25 s
}

TEST(TimeOperation, CountsWorkByTheClockOfWorkWhereThereIsOne) {
  double now_s = 0;
  double worked_s = 0;
  const Instruments instruments{.work_s = [&worked_s] { return worked_s += 0.125; }};
  const auto timing = time_operation(relu(), {.samples = 3}, instruments, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->seconds.median, 0.125);
}

TEST(TimeOperation, HasNoEnergyWhenTheCounterFails) {
  double now_s = 0;
  const Instruments instruments{.energy_j = [] { return std::optional<double>(); }};
  const auto timing = time_operation(relu(), {.samples = 3}, instruments, ticking(now_s));
  ASSERT_TRUE(timing.has_value());
  EXPECT_FALSE(timing->joules.has_value());
}

TensorType floats(Shape shape) {
  return {ElementType::Float32, std::move(shape)};
}

// The inputs of an operation, filled.
std::vector<std::vector<std::byte>> filled(const OperationTypes& types) {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::span<std::byte>> spans;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  for (std::vector<std::byte>& input : inputs) spans.emplace_back(input);
  fill_inputs(types, spans);
  return inputs;
}

template <typename T>
std::vector<T> values(const std::vector<std::byte>& bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  std::memcpy(list.data(), bytes.data(), bytes.size());
  return list;
}

TEST(FillInputs, GivesNumbersOfEitherSignThatAreNotSmall) {
  const auto numbers = values<float>(
      filled({.kind = Operator::Relu, .inputs = {floats({64})}, .outputs = {floats({64})}})[0]);
  int negative = 0;
  for (const float number : numbers) {
    EXPECT_GE(std::abs(number), 0.25F);
    EXPECT_LT(std::abs(number), 1.25F);
    negative += number < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 16);
  EXPECT_LT(negative, 48);
}

TEST(FillInputs, GivesRootsPositiveNumbers) {
  const auto numbers = values<float>(
      filled({.kind = Operator::Sqrt, .inputs = {floats({64})}, .outputs = {floats({64})}})[0]);
  for (const float number : numbers) EXPECT_GT(number, 0);
}

TEST(FillInputs, KeepsLabelsBelowTheClasses) {
  const auto labels =
      values<std::int64_t>(filled({.kind = Operator::SoftmaxCrossEntropy,
                                   .attributes = LossAttributes{},
                                   .inputs = {floats({64, 3}), {ElementType::Int64, {64}}},
                                   .outputs = {floats({})}})[1]);
  for (const std::int64_t label : labels) {
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 3);
  }
  EXPECT_NE(labels, std::vector<std::int64_t>(64, labels[0]));
}

TEST(FillInputs, TakesLabelsLikeAStepForLabels) {
  const auto labels = values<std::int32_t>(filled({.kind = Operator::SoftmaxCrossEntropy,
                                                   .attributes = LossAttributes{},
                                                   .inputs = {floats({8, 3}), step_type()},
                                                   .outputs = {floats({})}})[1]);
  for (const std::int32_t label : labels) {
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 3);
  }
}

TEST(FillInputs, KeepsIndicesInTheTable) {
  const auto indices =
      values<std::int32_t>(filled({.kind = Operator::GatherGradient,
                                   .attributes = AxisAttributes{.axis = 0},
                                   .inputs = {{ElementType::Int32, {64}}, floats({64, 2})},
                                   .outputs = {floats({5, 2})}})[0]);
  for (const std::int32_t index : indices) {
    EXPECT_GE(index, 0);
    EXPECT_LT(index, 5);
  }
}

TEST(FillInputs, GivesUpdatesAStep) {
  const auto inputs = filled({.kind = Operator::Sgd,
                              .attributes = UpdateAttributes{},
                              .inputs = {floats({4}), floats({4}), step_type()},
                              .outputs = {floats({4})}});
  poet_step_words step;
  std::memcpy(&step, inputs[2].data(), sizeof(step));
  EXPECT_EQ(step.step, 10U);
  EXPECT_GT(step.learning_rate, 0);
}

TEST(FillInputs, GivesTheSameEveryTime) {
  const OperationTypes add{
      .kind = Operator::Add, .inputs = {floats({32}), floats({32})}, .outputs = {floats({32})}};
  EXPECT_EQ(filled(add), filled(add));
  EXPECT_NE(filled(add)[0], filled(add)[1]);
}

}  // namespace

}  // namespace poet
