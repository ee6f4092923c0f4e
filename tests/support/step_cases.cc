#include "support/step_cases.h"

#include <gtest/gtest.h>

#include <utility>

#include "poet/autodiff/order.h"
#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"
#include "support/random_schedule.h"
#include "support/training_runs.h"

namespace poet::testing {
namespace {

// Everything that an executor has to know about: convolutions with workspaces, batch norms,
// dropout, in-place rectifiers, views, a parameter that two operations read, several outputs.
Model small_network() {
  NetworkBuilder net;
  TensorId x = add_input(net, "image", {ElementType::Float32, {3, 2, 6, 6}});
  x = conv2d(net, "conv", x, {.channels = 4, .kernel = 3, .padding = 1});
  x = batch_norm(net, "norm", x);
  x = apply(net, Operator::Relu, "relu", {x});
  const TensorId skipped = x;
  x = conv2d(net, "conv_2", x, {.channels = 4, .kernel = 3, .padding = 1});
  x = apply(net, Operator::Add, "sum", {x, skipped});
  x = reshape(net, "flat", x, {3, 144});
  x = dropout(net, "dropout", x, 0.3F);
  x = linear(net, "fc", x, 5);
  x = apply(net, Operator::Tanh, "tanh", {x});
  add_output(net, "logits", linear(net, "fc_2", x, 3));
  return std::move(net.model);
}

// Rows of a table, attention with dropout, a layer norm: views and transpositions all over.
Model small_transformer() {
  NetworkBuilder net;
  const TensorId ids = add_input(net, "input_ids", {ElementType::Int64, {2, 6}});
  const TensorId table = add_embedding_weight(net, "embeddings.word", {.rows = 60, .features = 8});
  const TensorId words = look_up(net, "embeddings", table, ids);
  const QueryKeyValue x{linear(net, "query", words, 8), linear(net, "key", words, 8),
                        linear(net, "value", words, 8)};
  TensorId y = attention(net, "attention", x, {.heads = 2, .dropout_probability = 0.2F});
  y = layer_norm(net, "norm", apply(net, Operator::Add, "sum", {y, words}), 1e-5F);
  y = apply(net, Operator::GeluErf, "gelu", {linear(net, "fc", y, 16)});
  add_output(net, "logits", linear(net, "classes", flatten(net, "flat", y), 3));
  return std::move(net.model);
}

TrainingGraph ordered(const Model& model, const TrainingOptions& options) {
  Result<TrainingGraph> step = training_graph(model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  return *std::move(step);
}

std::vector<TrainingGraph> micro_batches(const Model& model, TrainingOptions options) {
  options.micro_batches = 3;
  std::vector<TrainingGraph> forms;
  for (const StepForm form : {StepForm::First, StepForm::Middle, StepForm::Last}) {
    options.form = form;
    forms.push_back(ordered(model, options));
  }
  return forms;
}

// The forward pass alone, by the running statistics that training leaves.
TrainingGraph evaluation(const Model& model) {
  return {.graph = model.graph, .initial = model.initial};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const StepCase& row) {
  return out << row.name;
}

std::vector<StepCase> step_cases() {
  const Model small = small_network();
  const Model lenet = *real_network("lenet5", {.batch_size = 2});
  const Model transformer = small_transformer();
  const TrainingOptions adam{.optimiser = Optimiser::Adam};
  TrainingOptions clipped{.optimiser = Optimiser::AdamW};
  clipped.largest_gradient_norm = 0.1F;
  TrainingOptions resident{.optimiser = Optimiser::Momentum};
  resident.parameters = ParameterPlace::Resident;
  TrainingOptions frozen{.optimiser = Optimiser::Adam};
  frozen.train = "last:1";
  TrainingOptions rows{.optimiser = Optimiser::Momentum};
  rows.train = "encoder";
  rows.frozen = FrozenPlace::Storage;
  TrainingOptions updated_rows{.optimiser = Optimiser::Sgd};
  updated_rows.updates = Updates::Sliced;
  return {{"small_momentum", {ordered(small, {.optimiser = Optimiser::Momentum})}},
          {"small_adam_clipped", {ordered(small, clipped)}},
          {"small_resident", {ordered(small, resident)}},
          {"small_choice_of_residents", {ordered(small, adam)}, true},
          {"small_frozen", {ordered(small, frozen)}},
          {"small_micro_batches", micro_batches(small, adam)},
          {"small_resident_micro_batches", micro_batches(small, resident)},
          {"small_and_its_evaluation", {ordered(small, adam), evaluation(small)}},
          {"lenet5", {ordered(lenet, adam)}},
          {"transformer_and_its_evaluation", {ordered(transformer, rows), evaluation(transformer)}},
          {"transformer", {ordered(transformer, clipped)}},
          {"transformer_rows", {ordered(transformer, updated_rows), evaluation(transformer)}}};
}

RunnableStep with_random_schedule(const StepCase& row, std::size_t form, TimeMode mode,
                                  std::uint64_t seed, std::int64_t alignment_bytes) {
  Problem problem = problem_to_run(row.forms[form], alignment_bytes);
  problem.time_mode = mode;
  if (row.may_be_resident)
    for (std::size_t i = 0; i < problem.tensors.size(); ++i)
      problem.tensors[i].may_be_resident = problem.tensors[i].home == Home::Storage;
  return runnable_step(row.forms[form], problem, random_schedule(problem, seed), alignment_bytes);
}

}  // namespace poet::testing
