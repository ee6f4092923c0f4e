#include "poet/autodiff/joined_updates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "poet/graph/operator_table.h"
#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

TrainingGraph step_of(const TrainingOptions& options, const std::string& name = "lenet5") {
  NetworkOptions sizes;
  sizes.batch_size = 2;
  const Result<Model> model = real_network(name, sizes);
  EXPECT_TRUE(model.ok());
  Result<TrainingGraph> step = training_graph(*model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  const Failure failure = check_graph(step->graph);
  EXPECT_FALSE(failure) << failure->message;
  return *std::move(step);
}

std::ptrdiff_t count_of(const Graph& graph, Operator kind) {
  return std::count_if(graph.operations.begin(), graph.operations.end(),
                       [kind](const GraphOperation& operation) { return operation.kind == kind; });
}

const GraphOperation* find(const Graph& graph, const std::string& name) {
  for (const GraphOperation& operation : graph.operations)
    if (operation.name == name) return &operation;
  return nullptr;
}

TEST(JoinedUpdates, ReplaceTheGradientsOfWeightsAndNoOthers) {
  const TrainingGraph separate = step_of({.updates = Updates::Separate});
  const TrainingGraph sliced = step_of({.updates = Updates::Sliced});
  EXPECT_EQ(count_of(separate.graph, Operator::WeightUpdate), 0);
  EXPECT_EQ(count_of(sliced.graph, Operator::WeightUpdate), 5);  // two convolutions, three layers
  EXPECT_EQ(count_of(sliced.graph, Operator::Sgd), 5);           // biases
  EXPECT_EQ(count_of(sliced.graph, Operator::ConvWeightGradient), 0);
  EXPECT_EQ(sliced.graph.operations.size() + 5, separate.graph.operations.size());
  EXPECT_EQ(sliced.graph.tensors.size() + 5, separate.graph.tensors.size());
}

// Everything that names a tensor still names the same one.
TEST(JoinedUpdates, KeepWhatTheStepKnowsOfItsTensors) {
  const TrainingGraph separate =
      step_of({.optimiser = Optimiser::Adam, .updates = Updates::Separate});
  const TrainingGraph sliced = step_of({.optimiser = Optimiser::Adam, .updates = Updates::Sliced});
  const auto same = [&](TensorId a, TensorId b) {
    EXPECT_EQ(at(separate.graph.tensors, a), at(sliced.graph.tensors, b));
  };
  same(separate.loss, sliced.loss);
  same(separate.labels.at(0), sliced.labels.at(0));
  same(*separate.step, *sliced.step);
  same(separate.inputs.at(0).tensor, sliced.inputs.at(0).tensor);
  ASSERT_EQ(separate.trained.size(), sliced.trained.size());
  for (std::size_t k = 0; k < separate.trained.size(); ++k) {
    same(separate.trained[k].parameter, sliced.trained[k].parameter);
    same(*separate.trained[k].new_value, *sliced.trained[k].new_value);
    same(separate.trained[k].new_states[1], sliced.trained[k].new_states[1]);
  }
  ASSERT_EQ(separate.replacements.size(), sliced.replacements.size());
  for (std::size_t k = 0; k < separate.replacements.size(); ++k)
    same(separate.replacements[k].new_value, sliced.replacements[k].new_value);
  ASSERT_EQ(separate.initial.size(), sliced.initial.size());
  for (auto a = separate.initial.begin(), b = sliced.initial.begin(); b != sliced.initial.end();
       ++a, ++b)
    same(a->first, b->first);
}

// Both moments of Adam read the gradient: it is made for each.
TEST(JoinedUpdates, AreOnePerStateThatReadsTheGradient) {
  const auto joined_by = [](Optimiser optimiser) {
    const TrainingGraph step = step_of({.optimiser = optimiser, .updates = Updates::Sliced});
    return count_of(step.graph, Operator::WeightUpdate);
  };
  EXPECT_EQ(joined_by(Optimiser::Momentum), 5);
  EXPECT_EQ(joined_by(Optimiser::Nesterov), 10);
  EXPECT_EQ(joined_by(Optimiser::Adam), 10);
  EXPECT_EQ(joined_by(Optimiser::AdamW), 10);
}

TEST(JoinedUpdates, AreOnlyThoseThatAreTooLarge) {
  const TrainingGraph step = step_of({.too_large = {"fc1.weight.update", "nothing"}});
  EXPECT_EQ(count_of(step.graph, Operator::WeightUpdate), 1);
  const GraphOperation* const update = find(step.graph, "fc1.weight.update");
  ASSERT_NE(update, nullptr);
  EXPECT_EQ(update->kind, Operator::WeightUpdate);
  EXPECT_EQ(std::get<WeightUpdateAttributes>(update->attributes).update, Operator::Sgd);
}

// The norm of all gradients, and sums over micro-batches, need gradients as a whole.
TEST(JoinedUpdates, LeaveGradientsThatOthersRead) {
  TrainingOptions options{.largest_gradient_norm = 1.0F, .updates = Updates::Sliced};
  EXPECT_EQ(count_of(step_of(options).graph, Operator::WeightUpdate), 0);
  options = {.updates = Updates::Sliced, .form = StepForm::Last, .micro_batches = 2};
  EXPECT_EQ(count_of(step_of(options).graph, Operator::WeightUpdate), 0);
  options.form = StepForm::First;
  EXPECT_EQ(count_of(step_of(options).graph, Operator::WeightUpdate), 0);
}

// One weight, used twice: its gradient is a sum.
TEST(JoinedUpdates, LeaveAWeightThatIsUsedTwice) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  const TensorId w = add_parameter(net, "w", {3, 3}, FilledWith{0.5});
  const auto product = [&](const char* name, TensorId of) {
    return apply(net, {.name = name,
                       .kind = Operator::MatMul,
                       .attributes = MatMulAttributes{},
                       .inputs = {of, w}});
  };
  add_output(net, "y", product("y", product("h", x)));
  const Result<TrainingGraph> step =
      training_graph(net.model, {.loss = Loss::MeanSquaredError, .updates = Updates::Sliced});
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_EQ(count_of(step->graph, Operator::WeightUpdate), 0);
}

// --- Rows of tables

// A table of 40 words, looked up by 6, whose rows go through a layer: with `tied`, by the table.
TrainingGraph step_with_table(bool tied, TrainingOptions options) {
  NetworkBuilder net;
  const TensorId ids = add_input(net, "ids", {ElementType::Int64, {6}});
  const TensorId table = add_parameter(net, "table", {40, 4}, FilledWith{0.5});
  const TensorId words = look_up(net, "words", table, ids);
  if (tied)
    add_output(net, "y",
               apply(net, {.name = "y",
                           .kind = Operator::MatMul,
                           .attributes = MatMulAttributes{.transpose_b = true},
                           .inputs = {words, table}}));
  else
    add_output(net, "y", linear(net, "fc", words, 3));
  options.loss = Loss::MeanSquaredError;
  options.updates = Updates::Separate;
  const Result<TrainingGraph> step = training_graph(net.model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  return *step;
}

std::ptrdiff_t row_updates(const TrainingGraph& step) {
  const TrainingGraph joined = with_row_updates(step);
  const Failure failure = check_graph(joined.graph);
  EXPECT_FALSE(failure) << failure->message;
  return count_of(joined.graph, Operator::RowUpdate);
}

TEST(RowUpdates, StandForTheGradientAndTheUpdateOfATableThatIsLookedUp) {
  const TrainingGraph step = step_with_table(false, {});
  EXPECT_EQ(row_updates(step), 1);
  const TrainingGraph joined = with_row_updates(step);
  EXPECT_EQ(count_of(joined.graph, Operator::GatherGradient), 0);
  EXPECT_EQ(count_of(joined.graph, Operator::Sgd), 2);  // of the layer
  EXPECT_EQ(find(joined.graph, "table.update")->kind, Operator::RowUpdate);
}

TEST(RowUpdates, LeaveTablesOfWhichEveryRowChanges) {
  EXPECT_EQ(row_updates(step_with_table(true, {})), 0);
  EXPECT_EQ(row_updates(step_with_table(false, {.optimiser = Optimiser::Momentum})), 0);
  EXPECT_EQ(row_updates(step_with_table(false, {.optimiser = Optimiser::Adam})), 0);
  EXPECT_EQ(row_updates(step_with_table(false, {.constants = {.weight_decay = 0.1F}})), 0);
  EXPECT_EQ(row_updates(step_with_table(false, {.largest_gradient_norm = 1.0F})), 0);
  EXPECT_EQ(row_updates(step_with_table(false, {.form = StepForm::Last, .micro_batches = 2})), 0);
  EXPECT_EQ(row_updates(step_with_table(false, {.parameters = ParameterPlace::Resident})), 0);
}

}  // namespace
}  // namespace poet
