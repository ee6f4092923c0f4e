// The gradients of whole training steps against central differences of the loss, and updates
// against their formulas. Everything is executed by the plain evaluator; the differences know
// nothing of differentiation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>

#include "poet/autodiff/order.h"
#include "poet/autodiff/training_graph.h"
#include "poet/kernels/evaluate.h"
#include "poet/model/low_rank_adapters.h"
#include "poet/model/network_builder.h"
#include "poet/model/real_networks.h"
#include "poet/model/zoo/decoder.h"
#include "poet/runtime/step.h"
#include "support/branching_networks.h"
#include "support/random_cases.h"

namespace poet {
namespace {

using Values = std::map<TensorId, TensorValue>;

TensorValue step_value(std::uint32_t number) {
  const poet_step_words step{.seed_low = 1,
                             .seed_high = 2,
                             .step = number,
                             .micro_batch = 0,
                             .learning_rate = 0.5F,
                             .first_correction = 0.1F,
                             .second_correction = 0.001F,
                             .loss_scale = 1};
  TensorValue value{.type = step_type()};
  value.bytes.resize(sizeof step);
  std::memcpy(value.bytes.data(), &step, sizeof step);
  return value;
}

TensorValue drawn(const TensorType& type, std::int64_t below, std::mt19937& random) {
  if (type.element == ElementType::Float32) {
    std::vector<float> values(static_cast<std::size_t>(value_count(type.shape)));
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000.0F - 1;
    return float_tensor(type.shape, values);
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(value_count(type.shape)));
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random()) % below;
  return int64_tensor(type.shape, values);
}

enum class Parameters { Drawn, ByTheirRules };

// Values of everything that is there before the step. Labels and indices are below `below`.
Values given_values(const TrainingGraph& step, std::int64_t below,
                    Parameters parameters = Parameters::Drawn) {
  std::mt19937 random(5);
  Values values;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i) {
    const GraphTensor& tensor = step.graph.tensors[i];
    const auto id = static_cast<TensorId>(i);
    if (tensor.home == Home::Made) continue;
    const auto initial = step.initial.find(id);
    if (tensor.role == TensorRole::Step) {
      values[id] = step_value(1);
    } else if (initial != step.initial.end() &&
               (tensor.role != TensorRole::Parameter || parameters == Parameters::ByTheirRules)) {
      values[id] = {tensor.type, initial_bytes(initial->second, tensor.type)};
    } else {
      values[id] = drawn(tensor.type, below, random);
    }
  }
  return values;
}

std::vector<TensorValue> made(const TrainingGraph& step, const Values& given,
                              const std::vector<TensorId>& wanted) {
  std::map<TensorId, TensorView> views;
  for (const auto& [id, value] : given) views[id] = view_of(value);
  Result<std::vector<TensorValue>> values = evaluate(step.graph, views, wanted);
  EXPECT_TRUE(values.ok()) << values.error().message;
  if (!values.ok()) return {};
  return *std::move(values);
}

double loss_of(const TrainingGraph& step, const Values& given) {
  return floats_of(made(step, given, {step.loss})[0])[0];
}

// The loss with a parameter moved along a direction.
double loss_at(const TrainingGraph& step, const Values& given, TensorId parameter,
               const std::vector<float>& direction, float distance) {
  Values moved = given;
  std::vector<float> values = floats_of(moved[parameter]);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += distance * direction[i];
  moved[parameter] = float_tensor(moved[parameter].type.shape, values);
  return loss_of(step, moved);
}

// Along a random direction for each parameter.
void expect_differences(const TrainingGraph& step, std::int64_t below = 2) {
  const Values given = given_values(step, below);
  std::mt19937 random(11);
  ASSERT_FALSE(step.trained.empty());
  for (const TrainedParameter& trained : step.trained) {
    const std::string& name = at(step.graph.tensors, trained.parameter).name;
    const std::vector<float> gradient = floats_of(made(step, given, {*trained.gradient})[0]);
    std::vector<float> direction(gradient.size());
    double by_gradient = 0;
    double size = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] = random() % 2 == 0 ? 1.0F : -1.0F;
      by_gradient += static_cast<double>(gradient[i]) * direction[i];
      size += std::abs(static_cast<double>(gradient[i]));
    }
    constexpr float kDistance = 0x1p-9F;
    const double by_differences = (loss_at(step, given, trained.parameter, direction, kDistance) -
                                   loss_at(step, given, trained.parameter, direction, -kDistance)) /
                                  (2 * static_cast<double>(kDistance));
    EXPECT_NEAR(by_gradient, by_differences, 2e-3 * size + 2e-4) << name;
    EXPECT_GT(size, 1e-4) << name;
  }
}

TrainingGraph step_of(const Model& model, const TrainingOptions& options) {
  Result<TrainingGraph> step = training_graph(model, options);
  EXPECT_TRUE(step.ok()) << step.error().message;
  reorder(*step);
  EXPECT_FALSE(check_graph(step->graph));
  return *std::move(step);
}

TensorId add_pictures(NetworkBuilder& net) {
  return add_input(net, "image", {ElementType::Float32, {3, 2, 6, 6}});
}

TEST(TrainingGradient, AgreesForConvolutionsNormsAndShortcuts) {
  NetworkBuilder net;
  TensorId x = conv2d(net, "conv1", add_pictures(net), {.channels = 4, .padding = 1});
  x = batch_norm(net, "bn1", x);
  const TensorId shortcut = apply(net, Operator::Tanh, "tanh", {x});
  x = conv2d(net, "conv2", shortcut, {.channels = 4, .padding = 1, .groups = 2});
  x = apply(net, Operator::Add, "add", {batch_norm(net, "bn2", x), shortcut});
  x = average_pool2d(net, "pool", x, {});
  x = apply(net, Operator::GeluTanh, "gelu", {x});
  add_output(net, "y", linear(net, "fc", global_average_pool(net, "global", x), 2));
  expect_differences(step_of(net.model, {}));
}

TEST(TrainingGradient, AgreesForTransposedConvolutionsAndConcatenation) {
  NetworkBuilder net;
  const TensorId image = add_pictures(net);
  TensorId x = conv2d(net, "down", image, {.channels = 3, .kernel = 2, .stride = 2});
  x = conv_transpose2d(net, "up", x, {.channels = 2, .kernel = 2, .stride = 2, .bias = Bias::With});
  const TensorId side = conv2d(net, "side", image, {.channels = 2, .padding = 1});
  x = apply(net, {.name = "concat",
                  .kind = Operator::Concat,
                  .attributes = AxisAttributes{1},
                  .inputs = {side, x}});
  add_output(net, "y", conv2d(net, "out", x, {.channels = 2, .kernel = 1, .bias = Bias::With}));
  expect_differences(step_of(net.model, {}));
}

TEST(TrainingGradient, AgreesForAttentionAndTiedEmbeddings) {
  NetworkBuilder net;
  const TensorId tokens = add_input(net, "tokens", {ElementType::Int64, {2, 5}});
  const TensorId table = add_embedding_weight(net, "table", {7, 6});
  TensorId x = look_up(net, "words", table, tokens);
  const TensorId places = add_parameter(net, "places", {5, 6}, FilledWith{0});
  x = apply(net, Operator::Add, "add", {x, places});
  const TensorId normal = layer_norm(net, "norm", x, 1e-5F);
  TensorId y = attention(net, "self",
                         {.query = linear(net, "q", normal, 6),
                          .key = linear(net, "k", normal, 6, Bias::Without),
                          .value = linear(net, "v", normal, 6)},
                         {.heads = 2, .dropout_probability = 0.25F});
  y = dropout(net, "dropout", linear(net, "project", y, 6), 0.5F);
  x = apply(net, Operator::Add, "residual", {x, y});
  add_output(net, "logits",
             apply(net, {.name = "head",
                         .kind = Operator::MatMul,
                         .attributes = MatMulAttributes{.transpose_b = true},
                         .inputs = {x, table}}));
  expect_differences(step_of(net.model, {}), 7);
}

// Of a few values each; the sequence is longer than Gemma's window.
DecoderSize small_decoder() {
  return {.words = 7,
          .features = 8,
          .layers = 2,
          .heads = 4,
          .kv_heads = 2,
          .head_features = 4,
          .hidden = 6,
          .weight_deviation = 0.5F};
}

void expect_differences_of(const DecoderSize& size) {
  NetworkBuilder net;
  build_decoder(net, {.batch = 2, .sequence = 5}, size);
  expect_differences(step_of(net.model, {}), 7);
}

TEST(TrainingGradient, AgreesForLlamasDecoder) {
  DecoderSize size = small_decoder();
  size.stretch = RotaryStretch{.factor = 4, .original_length = 8};
  expect_differences_of(size);
}

TEST(TrainingGradient, AgreesForQwensDecoder) {
  DecoderSize size = small_decoder();
  size.qkv_bias = Bias::With;
  size.epsilon = 1e-6F;
  expect_differences_of(size);
}

TEST(TrainingGradient, AgreesForGemmasDecoder) {
  DecoderSize size = small_decoder();
  size.gate = Operator::GeluTanh;
  size.gemma = GemmaParts{.window = 2, .full_every = 2};
  expect_differences_of(size);
}

// Beside every weight of a decoder with biases: A and B away from their beginnings, and no gradient
// of anything else.
TEST(TrainingGradient, AgreesForAdaptersAlone) {
  DecoderSize size = small_decoder();
  size.qkv_bias = Bias::With;
  NetworkBuilder net;
  build_decoder(net, {.batch = 2, .sequence = 5}, size);
  const Result<Model> model =
      with_adapters(net.model, {.rank = 2, .alpha = 3, .targets = "all"}, 1);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const TrainingGraph step = step_of(*model, {.optimiser = Optimiser::AdamW});
  ASSERT_EQ(step.trained.size(), 2 * model->adapters.size());
  for (const TrainedParameter& trained : step.trained)
    EXPECT_NE(at(step.graph.tensors, trained.parameter).name.find(".lora_"), std::string::npos);
  std::int64_t states = 0;
  for (const GraphTensor& tensor : step.graph.tensors)
    states += tensor.role == TensorRole::OptimiserState && tensor.home == Home::Storage ? 1 : 0;
  EXPECT_EQ(states, 2 * std::ssize(step.trained));
  expect_differences(step, 7);
}

// With norms beside them, whose gradients then run through the adapters' products too.
TEST(TrainingGradient, AgreesForAdaptersAndWhatIsAddedToThem) {
  NetworkBuilder net;
  build_decoder(net, {.batch = 2, .sequence = 5}, small_decoder());
  const Model model = *with_adapters(net.model, {.rank = 1, .alpha = 1}, 1);
  const TrainingGraph step = step_of(model, {.train = "regex:layernorm"});
  EXPECT_EQ(step.trained.size(), 2 * model.adapters.size() + 4);
  expect_differences(step, 7);
}

TEST(TrainingGradient, AgreesForTheOtherLosses) {
  for (const Loss loss : {Loss::MeanSquaredError, Loss::BinaryCrossEntropy}) {
    NetworkBuilder net;
    const TensorId x = add_input(net, "x", {ElementType::Float32, {3, 4}});
    TensorId y = apply(net, Operator::Sigmoid, "sigmoid", {linear(net, "fc1", x, 5)});
    y = linear(net, "fc2", y, 2);
    add_output(net, "y", apply(net, Operator::Mul, "square", {y, y}));
    expect_differences(step_of(net.model, {.loss = loss}));
  }
}

// All parameters of a network, moved along their gradients.
Values moved_by(const TrainingGraph& step, const Values& given,
                const std::vector<TensorValue>& gradients, double factor) {
  Values moved = given;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    TensorValue& parameter = moved[step.trained[k].parameter];
    std::vector<float> values = floats_of(parameter);
    const std::vector<float> gradient = floats_of(gradients[k]);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += static_cast<float>(factor * gradient[i]);
    parameter = float_tensor(parameter.type.shape, values);
  }
  return moved;
}

double square_norm(const std::vector<TensorValue>& gradients) {
  double sum = 0;
  for (const TensorValue& gradient : gradients)
    for (const float value : floats_of(gradient)) sum += static_cast<double>(value) * value;
  return sum;
}

class WholeNetwork : public ::testing::TestWithParam<const char*> {};

// Along the gradient the loss changes by the square of its norm. Where pictures shrink to a
// thirty-second, batch norms of small ones would be over two values, and gradients without bound.
TEST_P(WholeNetwork, ChangesItsLossAsTheGradientSays) {
  const std::string name = GetParam();
  NetworkOptions sizes{.batch_size = 2};
  for (const RealNetwork& row : real_network_table()) {
    if (row.name != name) continue;
    if (row.image_size) sizes.image_size = std::max<std::int64_t>(32, row.least_image_size);
    if (name == "efficientnet-b0" || name == "mobilenetv3-small") sizes.image_size = 96;
    if (row.sequence_length) sizes.sequence_length = 8;
  }
  const TrainingGraph step = step_of(*real_network(name, sizes), {});
  const Values given = given_values(step, 2, Parameters::ByTheirRules);
  std::vector<TensorId> wanted;
  for (const TrainedParameter& trained : step.trained) wanted.push_back(*trained.gradient);
  const std::vector<TensorValue> gradients = made(step, given, wanted);

  // Of the loss; less would drown in the rounding of parameters.
  constexpr double kChange = 2e-3;
  const double square = square_norm(gradients);
  const double distance = kChange / square;
  const double change = loss_of(step, moved_by(step, given, gradients, distance)) -
                        loss_of(step, moved_by(step, given, gradients, -distance));
  EXPECT_NEAR(change / (2 * kChange), 1, 0.02) << "square norm " << square;
}

// Three of the larger ones have no kind of operation that no other has: sanitizers do without.
std::vector<const char*> whole_networks() {
  std::vector<const char*> names = {
      "mlp",         "lenet5",      "digits-mlp", "digits-cnn",        "resnet8",
      "mobilenetv2", "unet",        "bert-tiny",  "gpt2-tiny",         "llama-tiny",
      "gemma-tiny",  "lstm-small",  "vit-s16",    "mobilenetv3-small", "ds-cnn",
      "ddpm-tiny",   "mobilevit-xs"};
  if (!testing::kUnderSanitizers)
    names.insert(names.end(), {"resnet18", "convnext-t", "efficientnet-b0"});
  return names;
}

INSTANTIATE_TEST_SUITE_P(Zoo, WholeNetwork, ::testing::ValuesIn(whole_networks()),
                         [](const ::testing::TestParamInfo<const char*>& row) {
                           std::string name(row.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class BranchingNetworks : public ::testing::TestWithParam<testing::BranchingNetwork> {};

// Without kinks, which differences would meet.
Model smooth(Model model) {
  for (GraphOperation& operation : model.graph.operations) {
    if (operation.kind == Operator::Relu) operation.kind = Operator::Tanh;
    if (operation.kind == Operator::MaxPool) operation.kind = Operator::AveragePool;
  }
  return model;
}

TEST_P(BranchingNetworks, HaveTheGradientsOfTheirDifferences) {
  expect_differences(step_of(smooth(GetParam().make()), {}));
}

INSTANTIATE_TEST_SUITE_P(Zoo, BranchingNetworks, ::testing::ValuesIn(testing::branching_networks()),
                         [](const ::testing::TestParamInfo<testing::BranchingNetwork>& network) {
                           return network.param.name;
                         });

// One layer x w with the mean of squares: dw = 2/n x'(x w - target).
struct OneLayer {
  NetworkBuilder net = {};
  TrainingGraph step = {};
  Values given = {};

  explicit OneLayer(const TrainingOptions& options) {
    const TensorId x = add_input(net, "x", {ElementType::Float32, {2, 2}});
    add_output(net, "y", linear(net, "fc", x, 1, Bias::Without));
    step = step_of(net.model, options);
    given = given_values(step, 2);
    given[step.inputs[0].tensor] = float_tensor({2, 2}, {1, 2, 3, 4});
    given[step.labels.at(0)] = float_tensor({2, 1}, {0, 1});
    given[step.trained[0].parameter] = float_tensor({1, 2}, {0.5F, -0.25F});
  }

  std::vector<float> value(TensorId id) const { return floats_of(made(step, given, {id})[0]); }
};

// y = (0, 0.5), y - target = (0, -0.5), dw = (2/2) (1 0 + 3 -0.5, 2 0 + 4 -0.5) = (-1.5, -2).
TEST(TrainingUpdate, MovesAgainstTheGradient) {
  const OneLayer layer({.loss = Loss::MeanSquaredError});
  EXPECT_EQ(layer.value(*layer.step.trained[0].gradient), (std::vector<float>{-1.5F, -2}));
  EXPECT_EQ(layer.value(*layer.step.trained[0].new_value), (std::vector<float>{1.25F, 0.75F}));
}

// The norm of (-1.5, -2) is 2.5; limited to 1.25, the step is half as long.
TEST(TrainingUpdate, IsShorterWhenTheGradientIsClipped) {
  const OneLayer layer({.loss = Loss::MeanSquaredError, .largest_gradient_norm = 1.25F});
  const std::vector<float> moved = layer.value(*layer.step.trained[0].new_value);
  EXPECT_NEAR(moved[0], 0.5 + 0.375, 1e-6);
  EXPECT_NEAR(moved[1], -0.25 + 0.5, 1e-6);
}

TEST(TrainingUpdate, RemembersVelocity) {
  const OneLayer layer({.loss = Loss::MeanSquaredError, .optimiser = Optimiser::Momentum});
  EXPECT_EQ(layer.value(layer.step.trained[0].new_states[0]), (std::vector<float>{-1.5F, -2}));
}

// Each of two micro-batches brings half of its gradient; the accumulator had (1, 1).
TEST(TrainingUpdate, AddsUpMicroBatches) {
  TrainingOptions options{.loss = Loss::MeanSquaredError};
  options.micro_batches = 2;
  const auto with_ones = [&](StepForm form) {
    options.form = form;
    OneLayer layer(options);
    layer.given[*layer.step.trained[0].accumulator] = float_tensor({1, 2}, {1, 1});
    return layer;
  };
  const OneLayer first = with_ones(StepForm::First);
  EXPECT_EQ(first.value(*first.step.trained[0].gradient), (std::vector<float>{-0.75F, -1}));
  const OneLayer middle = with_ones(StepForm::Middle);
  EXPECT_EQ(middle.value(*middle.step.trained[0].gradient), (std::vector<float>{0.25F, 0}));
  const OneLayer last = with_ones(StepForm::Last);
  EXPECT_EQ(last.value(*last.step.trained[0].new_value), (std::vector<float>{0.375F, -0.25F}));
}

}  // namespace
}  // namespace poet
