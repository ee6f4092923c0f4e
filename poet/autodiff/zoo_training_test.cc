// Every network of the zoo in training, with every option: what must hold for all of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "poet/autodiff/order.h"
#include "poet/autodiff/training_graph.h"
#include "poet/graph/operator_table.h"
#include "poet/model/networks_for_tests.h"
#include "poet/model/real_networks.h"
#include "tests/support/random_cases.h"

namespace poet {
namespace {

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

Model small(std::string_view name) {
  NetworkOptions options{.batch_size = 2};
  for (const RealNetwork& row : real_network_table()) {
    if (row.name != name) continue;
    if (row.image_size) options.image_size = std::max<std::int64_t>(32, row.least_image_size);
    if (row.sequence_length) options.sequence_length = 8;
  }
  return *real_network(name, options);
}

TrainingOptions options_for(const Model& model) {
  const Shape& output = at(model.graph.tensors, model.outputs[0].tensor).type.shape;
  TrainingOptions options;
  if (output.size() < 2) options.loss = Loss::MeanSquaredError;
  return options;
}

// The tensors whose bytes each is: views lead to their roots.
std::vector<TensorId> roots_of(const Graph& graph) {
  std::vector<TensorId> roots;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) roots.push_back(static_cast<TensorId>(i));
  for (const GraphOperation& operation : graph.operations)
    if (entry_of(operation.kind).view)
      roots[place_of(operation.outputs[0])] = roots[place_of(operation.inputs[0])];
  return roots;
}

// Nothing reads an old value after the operation that replaces it.
void expect_no_late_reads(const TrainingGraph& step) {
  const std::vector<TensorId> roots = roots_of(step.graph);
  std::set<TensorId> replaced;
  for (const GraphOperation& operation : step.graph.operations) {
    for (const TensorId input : operation.inputs)
      EXPECT_FALSE(replaced.contains(roots[place_of(input)]))
          << operation.name << " reads " << at(step.graph.tensors, input).name;
    for (const Replacement& replacement : step.replacements)
      if (std::count(operation.outputs.begin(), operation.outputs.end(), replacement.new_value) > 0)
        replaced.insert(replacement.old_value);
  }
  EXPECT_EQ(replaced.size(), step.replacements.size());
}

// What the table calls updates is what the step calls replacements, but for first accumulators.
void expect_the_tables_updates(const TrainingGraph& step) {
  std::set<std::pair<TensorId, TensorId>> by_table;
  for (const GraphOperation& operation : step.graph.operations)
    for (const SharedPlace& update : entry_of(operation.kind).updates)
      by_table.insert({operation.inputs[static_cast<std::size_t>(update.input)],
                       operation.outputs[static_cast<std::size_t>(update.output)]});
  std::set<std::pair<TensorId, TensorId>> replaced;
  for (const Replacement& replacement : step.replacements)
    replaced.insert({replacement.old_value, replacement.new_value});
  if (step.form == StepForm::First)
    EXPECT_TRUE(std::includes(replaced.begin(), replaced.end(), by_table.begin(), by_table.end()));
  else
    EXPECT_EQ(by_table, replaced);
}

// Every operation serves the loss, or a tensor that is replaced.
void expect_no_idle_operations(const TrainingGraph& step) {
  std::vector<bool> needed(step.graph.tensors.size());
  needed[place_of(step.loss)] = true;
  for (const Replacement& replacement : step.replacements)
    needed[place_of(replacement.new_value)] = true;
  for (auto operation = step.graph.operations.rbegin(); operation != step.graph.operations.rend();
       ++operation) {
    EXPECT_TRUE(std::any_of(operation->outputs.begin(), operation->outputs.end(),
                            [&](TensorId output) { return needed[place_of(output)]; }))
        << operation->name;
    for (const TensorId input : operation->inputs) needed[place_of(input)] = true;
  }
}

// The states of an optimiser first, then the parameter, with nothing between them.
void expect_updates_together(const TrainingGraph& step) {
  std::map<TensorId, std::size_t> maker;
  for (std::size_t v = 0; v < step.graph.operations.size(); ++v)
    for (const TensorId output : step.graph.operations[v].outputs) maker[output] = v;
  for (const TrainedParameter& trained : step.trained) {
    if (!trained.new_value) continue;
    std::size_t behind = maker[*trained.new_value] - trained.new_states.size();
    for (const TensorId state : trained.new_states)
      EXPECT_EQ(maker[state], behind++) << at(step.graph.tensors, state).name;
  }
}

void expect_sound(const Model& model, const TrainingOptions& options) {
  Result<TrainingGraph> made = training_graph(model, options);
  ASSERT_TRUE(made.ok()) << made.error().message;
  for (const bool reordered : {false, true}) {
    if (reordered) reorder(*made, {.max_orders = 50});
    const Failure failure = check_graph(made->graph);
    EXPECT_FALSE(failure) << failure->message;
    expect_no_late_reads(*made);
    expect_the_tables_updates(*made);
    expect_no_idle_operations(*made);
    expect_updates_together(*made);
  }
}

// Decoders of today have none.
bool has_bias(const Model& model) {
  return std::any_of(model.graph.tensors.begin(), model.graph.tensors.end(),
                     [](const GraphTensor& tensor) {
                       return tensor.role == TensorRole::Parameter && tensor.name.ends_with("bias");
                     });
}

class EveryNetwork : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryNetwork, TrainsWithEveryOptimiserAndForm) {
  const Model model = small(GetParam());
  TrainingOptions options = options_for(model);
  for (const Named<Optimiser>& optimiser : kOptimisers) {
    // Who has most states goes everywhere that others go.
    if (testing::kUnderSanitizers && optimiser.value != Optimiser::AdamW) continue;
    SCOPED_TRACE(optimiser.name);
    options.optimiser = optimiser.value;
    expect_sound(model, options);
  }
  options.optimiser = Optimiser::Adam;
  options.largest_gradient_norm = 1;
  for (const Named<StepForm>& form : kStepForms) {
    SCOPED_TRACE(form.name);
    options.form = form.value;
    options.micro_batches = form.value == StepForm::Whole ? 1 : 3;
    expect_sound(model, options);
  }
}

TEST_P(EveryNetwork, TrainsWhatIsChosen) {
  const Model model = small(GetParam());
  TrainingOptions options = options_for(model);
  for (const char* const choice : {"all", "last:1", "last:2", "bias", "regex:[02468]"}) {
    if (testing::kUnderSanitizers && choice != std::string_view("last:2")) continue;
    SCOPED_TRACE(choice);
    if (choice == std::string_view("bias") && !has_bias(model)) continue;
    options.train = choice;
    for (const Named<ParameterPlace>& place : kParameterPlaces) {
      options.parameters = place.value;
      expect_sound(model, options);
    }
  }
}

TEST_P(EveryNetwork, UpdatesEveryParameterAndEveryRunningStatistic) {
  const Model model = small(GetParam());
  const Result<TrainingGraph> step = training_graph(model, options_for(model));
  ASSERT_TRUE(step.ok());
  std::int64_t given = 0;
  for (const GraphTensor& tensor : model.graph.tensors)
    if (tensor.role == TensorRole::Parameter || tensor.role == TensorRole::Statistic) ++given;
  EXPECT_EQ(std::ssize(step->replacements), given);
}

// Those of docs/decisions/0012-real-training-graphs.md that an order helps most.
TEST(Reorder, LowersThePlainPeakWhereWeightsMakeIt) {
  const auto ratio = [](std::string_view name, const NetworkOptions& options) {
    TrainingGraph step = *training_graph(*real_network(name, options), {});
    const OrderFigures figures = reorder(step);
    return static_cast<double>(figures.peak_bytes) / static_cast<double>(figures.naive_peak_bytes);
  };
  EXPECT_LT(ratio("lenet5", {.batch_size = 8}), 0.85);
  EXPECT_LT(ratio("resnet18", {.batch_size = 8, .image_size = 32}), 0.92);
  EXPECT_LT(ratio("vgg16", {.batch_size = 8}), 0.80);
  EXPECT_LT(ratio("gpt2-small", {.batch_size = 8}), 0.93);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, ::testing::ValuesIn(testing::networks_of_every_form()),
                         [](const ::testing::TestParamInfo<std::string_view>& row) {
                           std::string name(row.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace poet
