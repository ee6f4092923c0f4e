#include "poet/autodiff/training_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "poet/graph/operator_table.h"
#include "poet/model/network_builder.h"

namespace poet {
namespace {

TrainingGraph step_of(const Model& model, const TrainingOptions& options = {}) {
  Result<TrainingGraph> step = training_graph(model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  if (!step.ok()) return {};
  const Failure failure = check_graph(step->graph);
  EXPECT_FALSE(failure) << failure->message;
  return *std::move(step);
}

std::string error_of(const Model& model, const TrainingOptions& options) {
  const Result<TrainingGraph> step = training_graph(model, options);
  return step.ok() ? "" : step.error().message;
}

// "kind(inputs) -> outputs" for each operation.
std::vector<std::string> listing(const Graph& graph) {
  std::vector<std::string> lines;
  for (const GraphOperation& operation : graph.operations) {
    std::string line(entry_of(operation.kind).name);
    line += "(";
    for (const TensorId input : operation.inputs) line += at(graph.tensors, input).name + " ";
    line.back() = ')';
    line += " ->";
    for (const TensorId output : operation.outputs) line += " " + at(graph.tensors, output).name;
    lines.push_back(line);
  }
  return lines;
}

const GraphTensor& tensor(const Graph& graph, std::string_view name) {
  for (const GraphTensor& candidate : graph.tensors)
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no tensor is called " << name;
  return graph.tensors.front();
}

bool has_tensor(const Graph& graph, std::string_view name) {
  return std::any_of(graph.tensors.begin(), graph.tensors.end(),
                     [&](const GraphTensor& candidate) { return candidate.name == name; });
}

TensorId add_vector(NetworkBuilder& net) {
  return add_input(net, "x", {ElementType::Float32, {2, 3}});
}

// x, fc1, relu, fc2, logits.
Model two_layers() {
  NetworkBuilder net;
  TensorId x = linear(net, "fc1", add_vector(net), 4);
  x = apply(net, Operator::Relu, "relu", {x});
  add_output(net, "logits", linear(net, "fc2", x, 5));
  return std::move(net.model);
}

TEST(TrainingGraph, HasTheLossTheGradientsAndTheUpdatesOfTwoLayers) {
  const TrainingGraph step = step_of(two_layers());
  EXPECT_EQ(listing(step.graph),
            (std::vector<std::string>{
                "matmul(x fc1.weight fc1.bias) -> fc1",
                "relu(fc1) -> relu",
                "matmul(relu fc2.weight fc2.bias) -> fc2",
                "softmax_cross_entropy(fc2 labels) -> loss",
                "softmax_cross_entropy_gradient(fc2 labels loss.grad) -> fc2.grad",
                "matmul(fc2.grad fc2.weight) -> relu.grad",
                "matmul(fc2.grad relu) -> fc2.weight.grad",
                "broadcast_sum(fc2.grad) -> fc2.bias.grad",
                "sgd(fc2.weight fc2.weight.grad step) -> fc2.weight.new",
                "sgd(fc2.bias fc2.bias.grad step) -> fc2.bias.new",
                "relu_gradient(relu relu.grad) -> fc1.grad",
                "matmul(fc1.grad x) -> fc1.weight.grad",
                "broadcast_sum(fc1.grad) -> fc1.bias.grad",
                "sgd(fc1.weight fc1.weight.grad step) -> fc1.weight.new",
                "sgd(fc1.bias fc1.bias.grad step) -> fc1.bias.new",
            }));
  EXPECT_EQ(step.trained.size(), 4U);
  EXPECT_EQ(step.replacements.size(), 4U);
  EXPECT_EQ(step.graph.outputs, std::vector<TensorId>{step.loss});
  EXPECT_EQ(tensor(step.graph, "labels").type, (TensorType{ElementType::Int64, {2}}));
  EXPECT_EQ(std::get<FilledWith>(step.initial.at(TensorId{static_cast<std::int32_t>(
                &tensor(step.graph, "loss.grad") - step.graph.tensors.data())})),
            FilledWith{1});
}

TEST(TrainingGraph, ComputesNothingForWhatIsFrozen) {
  const TrainingGraph step = step_of(two_layers(), {.train = "last:1"});
  EXPECT_EQ(listing(step.graph),
            (std::vector<std::string>{
                "matmul(x fc1.weight fc1.bias) -> fc1",
                "relu(fc1) -> relu",
                "matmul(relu fc2.weight fc2.bias) -> fc2",
                "softmax_cross_entropy(fc2 labels) -> loss",
                "softmax_cross_entropy_gradient(fc2 labels loss.grad) -> fc2.grad",
                "matmul(fc2.grad relu) -> fc2.weight.grad",
                "broadcast_sum(fc2.grad) -> fc2.bias.grad",
                "sgd(fc2.weight fc2.weight.grad step) -> fc2.weight.new",
                "sgd(fc2.bias fc2.bias.grad step) -> fc2.bias.new",
            }));
  EXPECT_EQ(tensor(step.graph, "fc1.weight").home, Home::Rom);
  EXPECT_EQ(tensor(step.graph, "fc2.weight").home, Home::Storage);
  const TrainingGraph stored =
      step_of(two_layers(), {.train = "last:1", .frozen = FrozenPlace::Storage});
  EXPECT_EQ(tensor(stored.graph, "fc1.weight").home, Home::Storage);
}

// y = (x w + s) + s with a shortcut s: its gradient is the sum of two, and no copy is made for
// sums.
TEST(TrainingGraph, SumsGradientsOfSharedTensorsAndPassesOnThoseOfSums) {
  NetworkBuilder net;
  const TensorId s =
      apply(net, Operator::Tanh, "s", {linear(net, "fc", add_vector(net), 3, Bias::Without)});
  const TensorId a = apply(net, Operator::Sigmoid, "a", {s});
  add_output(net, "y", apply(net, Operator::Add, "sum", {a, s}));
  const TrainingGraph step = step_of(net.model, {.loss = Loss::MeanSquaredError});
  EXPECT_EQ(listing(step.graph),
            (std::vector<std::string>{
                "matmul(x fc.weight) -> fc",
                "tanh(fc) -> s",
                "sigmoid(s) -> a",
                "add(a s) -> sum",
                "mean_squared_error(sum targets) -> loss",
                "mean_squared_error_gradient(sum targets loss.grad) -> sum.grad",
                "sigmoid_gradient(a sum.grad) -> s.grad",
                "add(sum.grad s.grad) -> s.grad.2",
                "tanh_gradient(s s.grad.2) -> fc.grad",
                "matmul(fc.grad x) -> fc.weight.grad",
                "sgd(fc.weight fc.weight.grad step) -> fc.weight.new",
            }));
}

// What is subtracted has the negative gradient, which is another tensor.
TEST(TrainingGraph, PassesOnTheGradientOfADifferenceToTheFirstOperandOnly) {
  NetworkBuilder net;
  const TensorId a = add_parameter(net, "a", {2, 3}, FilledWith{1});
  const TensorId b = add_parameter(net, "b", {2, 3}, FilledWith{1});
  const TensorId scaled = apply(net, Operator::Mul, "scaled", {b, add_vector(net)});
  add_output(net, "y", apply(net, Operator::Sub, "y", {a, scaled}));
  const TrainingGraph step = step_of(net.model, {.loss = Loss::MeanSquaredError});
  const std::vector<std::string> lines = listing(step.graph);
  EXPECT_EQ((std::vector<std::string>{lines.begin() + 3, lines.end()}),
            (std::vector<std::string>{
                "mean_squared_error_gradient(y targets loss.grad) -> y.grad",
                "broadcast_sum(y.grad) -> scaled.grad",
                "sgd(a y.grad step) -> a.new",
                "mul_gradient(scaled.grad x) -> b.grad",
                "sgd(b b.grad step) -> b.new",
            }));
}

// The same weights twice: one update, after everything that reads them.
TEST(TrainingGraph, UpdatesASharedParameterOnceWhenItsGradientIsWhole) {
  NetworkBuilder net;
  const TensorId w = add_parameter(net, "w", {3, 3}, FilledWith{0.5});
  const TensorId x = add_vector(net);
  const auto times = [&](const std::string& name, TensorId a) {
    return apply(net, {.name = name,
                       .kind = Operator::MatMul,
                       .attributes = MatMulAttributes{},
                       .inputs = {a, w}});
  };
  add_output(net, "y", times("second", times("first", x)));
  const TrainingGraph step = step_of(net.model, {.loss = Loss::BinaryCrossEntropy});
  EXPECT_EQ(listing(step.graph),
            (std::vector<std::string>{
                "matmul(x w) -> first",
                "matmul(first w) -> second",
                "binary_cross_entropy(second targets) -> loss",
                "binary_cross_entropy_gradient(second targets loss.grad) -> second.grad",
                "matmul(second.grad w) -> first.grad",
                "matmul(first second.grad) -> w.grad",
                "matmul(x first.grad) -> w.grad.2",
                "add(w.grad w.grad.2) -> w.grad.3",
                "sgd(w w.grad.3 step) -> w.new",
            }));
  EXPECT_EQ(step.trained.size(), 1U);
}

Model with_norm() {
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3, 4, 4}});
  x = batch_norm(net, "bn", conv2d(net, "conv", x, {.channels = 5}));
  x = global_average_pool(net, "pool", x);
  add_output(net, "logits", x);
  return std::move(net.model);
}

TEST(TrainingGraph, NormalisesByTheBatchAndLetsRunningStatisticsFollow) {
  const TrainingGraph step = step_of(with_norm());
  EXPECT_EQ(listing(step.graph)[1],
            "batch_norm(conv bn.weight bn.bias) -> bn bn.mean bn.inverse_std");
  EXPECT_EQ(listing(step.graph)[2],
            "running_statistics(bn.running_mean bn.running_var bn.mean bn.inverse_std) -> "
            "bn.running_mean.new bn.running_var.new");
  EXPECT_EQ(step.graph.operations[2].attributes, Attributes(RunningAttributes{.count = 2 * 2 * 2}));
  EXPECT_EQ(step.replacements.size(), 5U);
  EXPECT_EQ(tensor(step.graph, "bn.running_mean").home, Home::Storage);
}

TEST(TrainingGraph, KeepsTheStatisticsOfFrozenNorms) {
  const TrainingGraph step = step_of(with_norm(), {.train = "regex:^conv"});
  EXPECT_EQ(listing(step.graph)[1],
            "batch_norm_inference(conv bn.weight bn.bias bn.running_mean bn.running_var) -> bn");
  EXPECT_EQ(tensor(step.graph, "bn.running_mean").home, Home::Rom);
  EXPECT_EQ(step.replacements.size(), 1U);
}

// As PyTorch's BatchNorm2d(affine=False) is written.
TEST(TrainingGraph, LetsANormOfConstantsGoWithTheNetwork) {
  Model model = with_norm();
  for (GraphTensor& tensor : model.graph.tensors)
    if (tensor.name == "bn.weight" || tensor.name == "bn.bias") {
      tensor.role = TensorRole::Constant;
      tensor.home = Home::Rom;
    }
  EXPECT_EQ(listing(step_of(model).graph)[1],
            "batch_norm(conv bn.weight bn.bias) -> bn bn.mean bn.inverse_std");

  NetworkBuilder net;
  net.model = std::move(model);
  const TensorId pooled = net.model.outputs.front().tensor;
  net.model.outputs.clear();
  net.model.graph.outputs.clear();
  add_output(net, "head", linear(net, "fc", pooled, 4));
  const TrainingGraph head = step_of(net.model, {.train = "last:1"});
  EXPECT_EQ(listing(head.graph)[1],
            "batch_norm_inference(conv bn.weight bn.bias bn.running_mean bn.running_var) -> bn");
}

TEST(TrainingGraph, NamesTheOutputsThatItLeavesOut) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  add_output(net, "y", linear(net, "fc1", x, 4));
  add_output(net, "h", linear(net, "fc2", x, 4));
  net.model.notes = {"it was read so"};
  EXPECT_EQ(
      step_of(net.model).notes,
      (std::vector<std::string>{
          "it was read so", "the network has 2 outputs: the loss is of 'y', and 'h' is left out"}));
  add_output(net, "i", linear(net, "fc3", x, 4));
  EXPECT_EQ(step_of(net.model, {.output = "h"}).notes.back(),
            "the network has 3 outputs: the loss is of 'h', and 'y', 'i' are left out");
}

TEST(TrainingGraph, RefusesALossThatIsGiven) {
  NetworkBuilder net;
  add_output(net, "w", add_parameter(net, "w", {1}, FilledWith{0.5}));
  EXPECT_EQ(error_of(net.model, {.loss = Loss::None}),
            "without a loss, an operation must make the output of the network: w is given");
}

TEST(TrainingGraph, KeepsAllConstantsInOnePlace) {
  for (const FrozenPlace frozen : {FrozenPlace::Rom, FrozenPlace::Storage})
    for (const ParameterPlace place : {ParameterPlace::Planned, ParameterPlace::Excluded}) {
      const TrainingGraph step =
          step_of(two_layers(), {.train = "last:1", .parameters = place, .frozen = frozen});
      EXPECT_EQ(tensor(step.graph, "loss.grad").home, tensor(step.graph, "fc1.weight").home);
    }
}

// As exporters write them that keep equal values once.
TEST(TrainingGraph, RefusesBatchNormsThatShareARunningStatistic) {
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3}});
  x = batch_norm(net, "first", x);
  add_output(net, "logits", batch_norm(net, "second", x));
  GraphOperation& second = net.model.graph.operations.back();
  const std::string needs_own =
      " follows another batch norm or its other statistic, too; to be trained, each batch norm "
      "needs a mean and a variance of its own";

  second.inputs[3] = net.model.graph.operations.front().inputs[3];
  EXPECT_EQ(error_of(net.model, {}),
            "second: its running statistic first.running_mean" + needs_own);
  EXPECT_EQ(error_of(net.model, {.train = "regex:^second"}), "");

  second.inputs[3] = second.inputs[4];
  EXPECT_EQ(error_of(net.model, {}),
            "second: its running statistic second.running_var" + needs_own);
}

std::vector<std::string> last_lines(const Graph& graph, int count) {
  const std::vector<std::string> lines = listing(graph);
  return {lines.end() - count, lines.end()};
}

TEST(TrainingGraph, HasTheStatesOfItsOptimiser) {
  const TrainingGraph step = step_of(
      two_layers(), {.optimiser = Optimiser::AdamW,
                     .constants = {.weight_decay = 0.25F, .momentum = 0.5F, .epsilon = 1e-6F},
                     .train = "regex:fc2.bias"});
  EXPECT_EQ(last_lines(step.graph, 3),
            (std::vector<std::string>{
                "first_moment(fc2.bias.first_moment fc2.bias.grad) -> fc2.bias.first_moment.new",
                "second_moment(fc2.bias.second_moment fc2.bias.grad) -> fc2.bias.second_moment.new",
                "adam(fc2.bias fc2.bias.first_moment.new fc2.bias.second_moment.new step) -> "
                "fc2.bias.new",
            }));
  const std::size_t last = step.graph.operations.size() - 1;
  EXPECT_EQ(step.graph.operations[last - 2].attributes, Attributes(UpdateAttributes{}));
  EXPECT_EQ(step.graph.operations[last].attributes,
            Attributes(UpdateAttributes{.weight_decay = 0.25F, .epsilon = 1e-6F}));
  ASSERT_EQ(step.trained.size(), 1U);
  ASSERT_EQ(step.trained[0].states.size(), 2U);
  const TensorId state = step.trained[0].states[1];
  EXPECT_EQ(at(step.graph.tensors, state).role, TensorRole::OptimiserState);
  EXPECT_EQ(std::get<FilledWith>(step.initial.at(state)), FilledWith{0});
  EXPECT_EQ(step.replacements.size(), 3U);
}

// Adam's decay is in the gradient that both moments see.
TEST(TrainingGraph, GivesAdamsMomentsTheParameterThatDecays) {
  const TrainingGraph step =
      step_of(two_layers(), {.optimiser = Optimiser::Adam,
                             .constants = {.weight_decay = 0.25F, .beta1 = 0.5, .beta2 = 0.75},
                             .train = "regex:fc2.bias"});
  EXPECT_EQ(last_lines(step.graph, 3),
            (std::vector<std::string>{
                "first_moment(fc2.bias.first_moment fc2.bias.grad fc2.bias) -> "
                "fc2.bias.first_moment.new",
                "second_moment(fc2.bias.second_moment fc2.bias.grad fc2.bias) -> "
                "fc2.bias.second_moment.new",
                "adam(fc2.bias fc2.bias.first_moment.new fc2.bias.second_moment.new step) -> "
                "fc2.bias.new",
            }));
  const std::size_t last = step.graph.operations.size() - 1;
  EXPECT_EQ(step.graph.operations[last - 2].attributes,
            Attributes(UpdateAttributes{.weight_decay = 0.25F, .beta1 = 0.5}));
  EXPECT_EQ(step.graph.operations[last - 1].attributes,
            Attributes(UpdateAttributes{.weight_decay = 0.25F, .beta2 = 0.75}));
  EXPECT_EQ(step.graph.operations[last].attributes, Attributes(UpdateAttributes{}));
}

TEST(TrainingGraph, StepsAlongTheVelocityWithMomentum) {
  const TrainingGraph step =
      step_of(two_layers(), {.optimiser = Optimiser::Momentum,
                             .constants = {.weight_decay = 0.25F, .momentum = 0.9F},
                             .train = "regex:fc2.bias"});
  EXPECT_EQ(last_lines(step.graph, 2),
            (std::vector<std::string>{
                "velocity(fc2.bias.velocity fc2.bias.grad fc2.bias step) -> fc2.bias.velocity.new",
                "sgd(fc2.bias fc2.bias.velocity.new step) -> fc2.bias.new",
            }));
  EXPECT_EQ(step.graph.operations.back().attributes, Attributes(UpdateAttributes{}));
}

TEST(TrainingGraph, HasNesterovsMomentum) {
  const TrainingGraph step =
      step_of(two_layers(), {.optimiser = Optimiser::Nesterov, .train = "regex:fc2.bias"});
  EXPECT_EQ(last_lines(step.graph, 2),
            (std::vector<std::string>{
                "velocity(fc2.bias.velocity fc2.bias.grad step) -> fc2.bias.velocity.new",
                "nesterov(fc2.bias fc2.bias.velocity.new fc2.bias.grad step) -> fc2.bias.new",
            }));
  EXPECT_EQ(step.graph.operations.back().attributes,
            Attributes(UpdateAttributes{.momentum = 0.9F}));
}

// What is clipped once is not clipped again: the velocity holds it.
TEST(TrainingGraph, ClipsTheGradientWhereItIsRead) {
  const auto updates = [](Optimiser optimiser, int count) {
    return last_lines(
        step_of(two_layers(),
                {.optimiser = optimiser, .largest_gradient_norm = 0.5F, .train = "regex:fc2.bias"})
            .graph,
        count);
  };
  EXPECT_EQ(updates(Optimiser::Momentum, 2),
            (std::vector<std::string>{
                "velocity(fc2.bias.velocity fc2.bias.grad step clip_scale) -> "
                "fc2.bias.velocity.new",
                "sgd(fc2.bias fc2.bias.velocity.new step) -> fc2.bias.new",
            }));
  EXPECT_EQ(updates(Optimiser::Nesterov, 1)[0],
            "nesterov(fc2.bias fc2.bias.velocity.new fc2.bias.grad step clip_scale) -> "
            "fc2.bias.new");
  EXPECT_EQ(updates(Optimiser::Adam, 2)[0],
            "second_moment(fc2.bias.second_moment fc2.bias.grad clip_scale) -> "
            "fc2.bias.second_moment.new");
}

TEST(TrainingGraph, ClipsByTheNormOfAllGradientsBeforeAnyUpdate) {
  const TrainingGraph step =
      step_of(two_layers(), {.largest_gradient_norm = 0.5F, .train = "last:1"});
  EXPECT_EQ(last_lines(step.graph, 5),
            (std::vector<std::string>{
                "sum_of_squares(fc2.weight.grad) -> fc2.weight.grad.square",
                "sum_of_squares(fc2.bias.grad) -> fc2.bias.grad.square",
                "clip_scale(fc2.weight.grad.square fc2.bias.grad.square) -> clip_scale",
                "sgd(fc2.weight fc2.weight.grad step clip_scale) -> fc2.weight.new",
                "sgd(fc2.bias fc2.bias.grad step clip_scale) -> fc2.bias.new",
            }));
}

TEST(TrainingGraph, SumsSquaresOfManyGradientsByEights) {
  NetworkBuilder net;
  TensorId x = add_vector(net);
  for (int i = 0; i < 35; ++i)
    x = apply(net, Operator::Add, "add" + std::to_string(i),
              {x, add_parameter(net, "p" + std::to_string(i), {3}, FilledWith{0})});
  add_output(net, "y", x);
  const TrainingGraph step =
      step_of(net.model, {.loss = Loss::MeanSquaredError, .largest_gradient_norm = 1.0F});
  std::vector<std::size_t> sums;
  for (const GraphOperation& operation : step.graph.operations)
    if (operation.kind == Operator::SumOfPartials || operation.kind == Operator::ClipScale)
      sums.push_back(operation.inputs.size());
  EXPECT_EQ(sums, (std::vector<std::size_t>{8, 8, 8, 8, 3, 5}));
}

TEST(TrainingGraph, AccumulatesOverMicroBatches) {
  const auto tail = [](StepForm form) {
    const TrainingGraph step =
        step_of(two_layers(), {.train = "regex:fc2.weight", .form = form, .micro_batches = 4});
    EXPECT_EQ(step.form, form);
    const std::vector<std::string> lines = listing(step.graph);
    return std::vector<std::string>(lines.begin() + 5, lines.end());
  };
  EXPECT_EQ(tail(StepForm::First),
            (std::vector<std::string>{"matmul(fc2.grad relu) -> fc2.weight.grad"}));
  EXPECT_EQ(tail(StepForm::Middle),
            (std::vector<std::string>{"matmul(fc2.grad relu) -> fc2.weight.grad",
                                      "accumulate(fc2.weight.grad.accumulated fc2.weight.grad) -> "
                                      "fc2.weight.grad.accumulated.new"}));
  EXPECT_EQ(tail(StepForm::Last),
            (std::vector<std::string>{
                "matmul(fc2.grad relu) -> fc2.weight.grad",
                "add(fc2.weight.grad fc2.weight.grad.accumulated) -> fc2.weight.grad.total",
                "sgd(fc2.weight fc2.weight.grad.total step) -> fc2.weight.new"}));
}

TEST(TrainingGraph, FillsAccumulatorsInTheFirstMicroBatch) {
  const TrainingGraph step = step_of(
      two_layers(), {.train = "regex:fc2.weight", .form = StepForm::First, .micro_batches = 4});
  ASSERT_EQ(step.trained.size(), 1U);
  EXPECT_EQ(step.replacements,
            (std::vector<Replacement>{{*step.trained[0].accumulator, *step.trained[0].gradient}}));
  EXPECT_FALSE(step.step);
  EXPECT_FALSE(step.trained[0].new_value);
}

TrainingGraph updates_of(const Model& model, TrainingOptions options,
                         std::optional<UpdatePart> part = {}) {
  options.form = StepForm::Update;
  options.micro_batches = 4;
  options.update_part = part;
  return step_of(model, options);
}

TEST(TrainingGraph, UpdatesByTheSumOfAllMicroBatches) {
  const TrainingGraph step =
      updates_of(two_layers(), {.optimiser = Optimiser::Momentum, .train = "last:1"});
  EXPECT_EQ(
      listing(step.graph),
      (std::vector<std::string>{"velocity(fc2.weight.velocity fc2.weight.grad.accumulated step) -> "
                                "fc2.weight.velocity.new",
                                "sgd(fc2.weight fc2.weight.velocity.new step) -> fc2.weight.new",
                                "velocity(fc2.bias.velocity fc2.bias.grad.accumulated step) -> "
                                "fc2.bias.velocity.new",
                                "sgd(fc2.bias fc2.bias.velocity.new step) -> fc2.bias.new"}));
  EXPECT_TRUE(step.graph.outputs.empty());
  EXPECT_TRUE(step.inputs.empty());
  EXPECT_TRUE(step.labels.empty());
  EXPECT_EQ(step.replacements.size(), 4U);
  for (const auto& [id, initial] : step.initial)
    EXPECT_NE(at(step.graph.tensors, id).home, Home::Made) << at(step.graph.tensors, id).name;
  ASSERT_TRUE(step.step);
  EXPECT_EQ(at(step.graph.tensors, *step.step).name, "step");
}

// fc1.weight has 12 numbers, fc2.weight 20, the biases 4 and 5.
TEST(TrainingGraph, UpdatesOnePartOfTheParameters) {
  const auto names = [](int own, int count) {
    std::vector<std::string> parameters;
    const TrainingGraph step = updates_of(two_layers(), {}, UpdatePart{.own = own, .count = count});
    for (const TrainedParameter& trained : step.trained)
      parameters.push_back(at(step.graph.tensors, trained.parameter).name);
    EXPECT_EQ(step.graph.operations.size(), parameters.size());
    return parameters;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(0, 2), (Names{"fc2.weight"}));
  EXPECT_EQ(names(1, 2), (Names{"fc1.weight", "fc1.bias", "fc2.bias"}));
  EXPECT_EQ(names(2, 3), (Names{"fc1.bias", "fc2.bias"}));
  EXPECT_EQ(names(4, 5), (Names{"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}));
}

// Two parameters with one gradient, which would otherwise be in two places.
TEST(TrainingGraph, CopiesAGradientThatFillsTwoAccumulators) {
  NetworkBuilder net;
  const TensorId a = add_parameter(net, "a", {2, 3}, FilledWith{1});
  const TensorId b = add_parameter(net, "b", {2, 3}, FilledWith{1});
  const TensorId sum = apply(net, Operator::Add, "sum", {a, b});
  add_output(net, "y", apply(net, Operator::Mul, "y", {sum, add_vector(net)}));
  const TrainingGraph step = step_of(
      net.model, {.loss = Loss::MeanSquaredError, .form = StepForm::First, .micro_batches = 2});
  ASSERT_EQ(step.trained.size(), 2U);
  EXPECT_NE(step.trained[0].gradient, step.trained[1].gradient);
  EXPECT_EQ(listing(step.graph).back(), "broadcast_sum(sum.grad) -> b.grad.copy");
}

TEST(TrainingGraph, PutsParametersWhereTheyAreWanted) {
  const auto homes = [](ParameterPlace place) {
    const TrainingGraph step =
        step_of(two_layers(), {.optimiser = Optimiser::Momentum, .parameters = place});
    return std::vector<Home>{tensor(step.graph, "fc1.weight").home,
                             tensor(step.graph, "fc1.weight.velocity").home,
                             tensor(step.graph, "fc1.weight.new").home,
                             tensor(step.graph, "x").home, tensor(step.graph, "step").home};
  };
  EXPECT_EQ(
      homes(ParameterPlace::Planned),
      (std::vector<Home>{Home::Storage, Home::Storage, Home::Made, Home::Storage, Home::Resident}));
  EXPECT_EQ(homes(ParameterPlace::Resident),
            (std::vector<Home>{Home::Resident, Home::Resident, Home::Made, Home::Storage,
                               Home::Resident}));
}

TEST(TrainingGraph, LeavesOutWhatTheLossDoesNotNeed) {
  NetworkBuilder net;
  const TensorId x = add_vector(net);
  const TensorId unused = add_input(net, "unused", {ElementType::Float32, {7}});
  add_output(net, "y", linear(net, "fc", x, 2));
  add_output(net, "aside", apply(net, Operator::Relu, "aside", {unused}));
  const TrainingGraph step = step_of(net.model);
  EXPECT_FALSE(has_tensor(step.graph, "aside"));
  EXPECT_FALSE(has_tensor(step.graph, "unused"));
  ASSERT_EQ(step.inputs.size(), 1U);
  EXPECT_EQ(step.inputs[0].name, "x");
}

TEST(TrainingGraph, TakesTheLastDimensionOfSequencesForClasses) {
  NetworkBuilder net;
  const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 3, 4}});
  add_output(net, "logits", linear(net, "fc", x, 7));
  const TrainingGraph step = step_of(net.model, {.label_smoothing = 0.5F});
  EXPECT_EQ(tensor(step.graph, "labels").type.shape, (Shape{2, 3}));
  EXPECT_EQ(listing(step.graph)[1], "reshape(fc) -> loss.scores");
  EXPECT_EQ(tensor(step.graph, "loss.scores").type.shape, (Shape{6, 7}));
}

TEST(TrainingGraph, TakesTheModelsOwnLoss) {
  NetworkBuilder net;
  const TensorId y = linear(net, "fc", add_vector(net), 2);
  add_output(net, "y", y);
  add_output(net, "mean",
             apply(net, {.name = "mean",
                         .kind = Operator::ReduceMean,
                         .attributes = ReduceAttributes{{0, 1}, false},
                         .inputs = {y}}));
  const TrainingGraph step = step_of(net.model, {.loss = Loss::None, .output = "mean"});
  EXPECT_EQ(at(step.graph.tensors, step.loss).name, "mean");
  EXPECT_TRUE(step.labels.empty());
  EXPECT_EQ(error_of(net.model, {.loss = Loss::None}),
            "without a loss, the output of the network must be one float32 number: fc is float32 "
            "(2, 2)");
  EXPECT_EQ(error_of(net.model, {.output = "men"}),
            "the network has no output 'men'; did you mean 'mean'?");
  EXPECT_EQ(error_of(net.model, {.output = "mean"}),
            "cross-entropy needs scores (N, C, ...): the output of the network is ()");
}

TEST(TrainingGraph, KeepsNamesApart) {
  NetworkBuilder net;
  const TensorId labels = add_input(net, "labels", {ElementType::Float32, {2, 3}});
  add_output(net, "loss", linear(net, "loss", labels, 2));
  const TrainingGraph step = step_of(net.model);
  EXPECT_TRUE(has_tensor(step.graph, "labels.2"));
  EXPECT_TRUE(has_tensor(step.graph, "loss.2"));
}

TEST(TrainingGraph, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of(two_layers(), {.micro_batches = 0}),
            "a step has at least 1 micro-batch, not 0");
  EXPECT_EQ(error_of(two_layers(), {.micro_batches = 2}),
            "a step of 2 micro-batches has the forms first, middle and last, not whole");
  EXPECT_EQ(error_of(two_layers(), {.form = StepForm::Last}),
            "a step of 1 micro-batch has the form whole, not last");
  EXPECT_EQ(error_of(two_layers(), {.constants = {.weight_decay = -1}}),
            "fc2.weight.update (sgd): the weight decay is -1: it must be at least 0");

  NetworkBuilder net;
  const TensorId x = add_vector(net);
  add_output(net, "y", apply(net, Operator::Relu, "relu", {x}));
  add_output(net, "z", linear(net, "fc", x, 2));
  EXPECT_EQ(error_of(net.model, {}),
            "the loss does not depend on any parameter that is to be trained");
}

// The statistics of a norm have no gradient of their own; to leave it out would be wrong.
TEST(TrainingGraph, RefusesOutputsThatHaveNoGradient) {
  NetworkBuilder net;
  const TensorId x = linear(net, "fc", add_vector(net), 4);
  layer_norm(net, "norm", x, 1e-5F);
  const TensorId mean = net.model.graph.operations.back().outputs[1];
  add_output(net, "mean",
             apply(net, {.name = "sum",
                         .kind = Operator::ReduceSum,
                         .attributes = ReduceAttributes{{0}, false},
                         .inputs = {mean}}));
  EXPECT_EQ(error_of(net.model, {.loss = Loss::None}),
            "norm (layer_norm): the loss depends on output 1, which has no gradient");
}

}  // namespace
}  // namespace poet
