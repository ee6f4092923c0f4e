#include "poet/autodiff/step_memory.h"

#include <gtest/gtest.h>

#include "poet/model/network_builder.h"

namespace poet {
namespace {

using Bytes = std::vector<std::int64_t>;

TensorId add_x(NetworkBuilder& net) {
  return add_input(net, "x", {ElementType::Float32, {4, 5}});
}

StepMemory memory_of(const NetworkBuilder& net, const TrainingOptions& options) {
  const Result<TrainingGraph> step = training_graph(net.model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  return step_memory(*step);
}

Bytes in_given_order(const StepMemory& memory) {
  Order order;
  for (std::size_t v = 0; v < memory.operations.size(); ++v)
    order.push_back(static_cast<std::int32_t>(v));
  return bytes_in_use(memory, order);
}

// x (4, 5), w (3, 5), y (4, 3) like the targets: 80, 60, 48, 48 bytes; the step has 32, the loss
// and its gradient 4 each; the gradient of the loss is a constant in ROM.
NetworkBuilder one_layer() {
  NetworkBuilder net;
  add_output(net, "y", linear(net, "fc", add_x(net), 3, Bias::Without));
  return net;
}

TEST(StepMemory, CountsWhatIsInUseWhileEachOperationRuns) {
  const StepMemory memory = memory_of(one_layer(), {.loss = Loss::MeanSquaredError});
  EXPECT_EQ(in_given_order(memory),
            (Bytes{
                32 + 80 + 60 + 48,           // product: x and w stay
                32 + 80 + 60 + 48 + 48 + 4,  // loss, which nobody reads
                32 + 80 + 60 + 48 + 48,      // gradient of y in its place; the targets die, too
                32 + 80 + 60 + 48 + 60,      // gradient of w: x dies
                32 + 60 + 60,                // w in its place
            }));
}

TEST(StepMemory, CountsResidentParametersAlwaysAndExcludedOnesNever) {
  const StepMemory resident = memory_of(
      one_layer(), {.loss = Loss::MeanSquaredError, .parameters = ParameterPlace::Resident});
  EXPECT_EQ(resident.resident_bytes, 32 + 60);
  EXPECT_EQ(in_given_order(resident), (Bytes{92 + 80 + 48, 92 + 80 + 48 + 48 + 4, 92 + 80 + 48 + 48,
                                             92 + 80 + 48 + 60, 92 + 60}));
  const StepMemory excluded = memory_of(
      one_layer(), {.loss = Loss::MeanSquaredError, .parameters = ParameterPlace::Excluded});
  EXPECT_EQ(excluded.resident_bytes, 32);
  EXPECT_EQ(in_given_order(excluded).back(), 32 + 60);
}

TEST(StepMemory, ViewsAreTheirRoots) {
  NetworkBuilder net;
  TensorId x = linear(net, "fc", add_x(net), 3, Bias::Without);
  x = reshape(net, "flat", x, {12});
  add_output(net, "y", apply(net, Operator::Sigmoid, "y", {x}));
  const StepMemory memory = memory_of(net, {.loss = Loss::MeanSquaredError});
  EXPECT_TRUE(memory.operations[1].makes.empty());
  EXPECT_EQ(memory.operations[1].reads, memory.operations[0].makes);
  // The sigmoid works in place of the view's root.
  EXPECT_EQ(in_given_order(memory)[2], 32 + 80 + 60 + 48);
}

// What is read through two inputs may not be written over, even where it dies.
TEST(StepMemory, TakesOverOnlyWhatIsReadOnce) {
  NetworkBuilder net;
  const TensorId x = linear(net, "fc", add_x(net), 3, Bias::Without);
  const TensorId other = apply(net, Operator::Tanh, "other", {x});
  const TensorId square = apply(net, Operator::Add, "twice", {other, other});
  add_output(net, "y", apply(net, Operator::Add, "y", {square, x}));
  const StepMemory memory = memory_of(net, {.loss = Loss::MeanSquaredError});
  EXPECT_TRUE(memory.operations[2].handovers.empty());
  EXPECT_EQ(memory.operations[3].handovers.size(), 2U);
}

TEST(StepMemory, PutsUpdatesBehindWhatReadsTheOldValue) {
  const StepMemory memory = memory_of(one_layer(), {.loss = Loss::MeanSquaredError});
  EXPECT_EQ(memory.before[4], (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(memory.before[0], std::vector<std::int32_t>{});
}

TEST(StepMemory, TakesOneHandoverOnly) {
  StepMemory memory{.bytes = {3, 5, 3, 5}};
  memory.operations = {{.reads = {0, 1}, .makes = {2, 3}, .handovers = {{0, 2}, {1, 3}}}};
  EXPECT_EQ(bytes_in_use(memory, {0}), (Bytes{3 + 5 + 5}));
}

// No more than three times a parameter is in use while Adam runs; the step has 32 bytes.
TEST(StepMemory, UpdatesEachStateInItsPlace) {
  const StepMemory memory =
      memory_of(one_layer(), {.loss = Loss::MeanSquaredError, .optimiser = Optimiser::Adam});
  const Bytes bytes = in_given_order(memory);
  EXPECT_EQ((Bytes{bytes.end() - 3, bytes.end()}),
            (Bytes{
                32 + 60 + 60 + 60,       // w waits; gradient, first moment
                32 + 60 + 60 + 60 + 60,  // and the second moment
                32 + 60 + 60 + 60,       // w in its place, both moments
            }));
}

TEST(StepMemory, KeepsTheUpdatesOfAParameterTogether) {
  const StepMemory memory =
      memory_of(one_layer(), {.loss = Loss::MeanSquaredError, .optimiser = Optimiser::Adam});
  std::vector<bool> follows;
  for (const MemoryUse& use : memory.operations) follows.push_back(use.follows);
  EXPECT_EQ(follows, (std::vector<bool>{false, false, false, false, false, true, true}));
}

}  // namespace
}  // namespace poet
