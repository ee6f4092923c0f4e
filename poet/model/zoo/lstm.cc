// Language models of W. Zaremba, I. Sutskever, O. Vinyals, "Recurrent neural network
// regularization" (2014) for the Penn Treebank: dropouts between layers and not between time steps.

#include "poet/model/recurrent_pieces.h"
#include "poet/model/zoo/transformer.h"

namespace poet {
namespace {

constexpr std::int64_t kWords = 10'000;
constexpr std::int64_t kLayers = 2;

struct LstmSize {
  std::int64_t hidden = 200;
  float dropout_probability = 0;
  float bound = 0.1F;  // of initial weights
};

// As PyTorch keeps them: rows of the gates i, f, g, o, one below the other.
struct LstmWeights {
  TensorId of_x{};
  TensorId of_h{};
  TensorId bias{};
};

LstmWeights add_lstm_weights(NetworkBuilder& net, const std::string& layer, const LstmSize& size) {
  const auto drawn = [&](const char* which, Shape shape) {
    return add_parameter(net, "lstm." + std::string(which) + "_" + layer, std::move(shape),
                         UniformDraw{.bound = size.bound, .seed = next_seed(net)});
  };
  const std::int64_t rows = 4 * size.hidden;
  return {.of_x = drawn("weight_ih", {rows, size.hidden}),
          .of_h = drawn("weight_hh", {rows, size.hidden}),
          .bias = drawn("bias_ih", {rows})};
}

struct LstmState {
  TensorId h{};
  TensorId c{};
};

LstmState lstm_step(Composer& to, TensorId x, const LstmWeights& weights, const LstmState& before) {
  const TensorId from_x = row_product(to, x, weights.of_x, weights.bias);
  const TensorId sums = row_product(to, before.h, weights.of_h, from_x);
  if (to.failed()) return before;
  const std::int64_t hidden = to.shape_of(before.h)[1];
  const auto gate = [&](std::int64_t which, Operator activation) {
    return to.add(activation, std::monostate{}, {to.sliced(sums, 1, which * hidden, hidden)});
  };
  const LstmGates gates{.in = gate(0, Operator::Sigmoid),
                        .forget = gate(1, Operator::Sigmoid),
                        .candidate = gate(2, Operator::Tanh)};
  const TensorId c = next_cell(to, gates, before.c);
  const TensorId shown = to.add(Operator::Tanh, std::monostate{}, {c});
  return {.h = to.add(Operator::Mul, std::monostate{}, {gate(3, Operator::Sigmoid), shown}),
          .c = c};
}

// x of every time step, (N, features) each, to h of every time step.
std::vector<TensorId> lstm_layer(NetworkBuilder& net, const std::string& layer,
                                 std::vector<TensorId> x, const LstmSize& size) {
  const LstmWeights weights = add_lstm_weights(net, layer, size);
  LayerComposer to(net, "lstm." + layer);
  if (net.failure) return x;
  const TensorId zeros = to.filled(to.shape_of(x[0]), 0);
  LstmState state{.h = zeros, .c = zeros};
  for (std::size_t t = 0; t < x.size(); ++t) {
    const std::string name = "dropout." + layer + "." + std::to_string(t);
    state = lstm_step(to, dropout(net, name, x[t], size.dropout_probability), weights, state);
    x[t] = state.h;
  }
  return x;
}

// (S, N, features) to (N, features) for each time step.
std::vector<TensorId> time_steps(Composer& to, TensorId x) {
  std::vector<TensorId> steps = parts_along_first(to, x);
  for (TensorId& step : steps) {
    if (to.failed()) return {};
    const Shape shape = to.shape_of(step);
    step = to.reshaped(step, {shape[1], shape[2]});
  }
  return steps;
}

TensorId joined_steps(Composer& to, std::vector<TensorId> steps) {
  for (TensorId& step : steps) {
    if (to.failed()) return step;
    const Shape shape = to.shape_of(step);
    step = to.reshaped(step, {1, shape[0], shape[1]});
  }
  return joined_along_first(to, std::move(steps));
}

void build_lstm(NetworkBuilder& net, const NetworkSizes& sizes, const LstmSize& size) {
  const TensorId words = add_tokens(net, "input_ids", sizes);
  const TensorId table = add_parameter(net, "embedding.weight", {kWords, size.hidden},
                                       UniformDraw{.bound = size.bound, .seed = next_seed(net)});
  TensorId x = look_up(net, "embedding", table, words);
  LayerComposer to(net, "steps");
  std::vector<TensorId> steps = time_steps(to, to.transposed(x, {1, 0, 2}));
  for (std::int64_t layer = 0; layer < kLayers; ++layer)
    steps = lstm_layer(net, "l" + std::to_string(layer), std::move(steps), size);
  x = to.transposed(joined_steps(to, std::move(steps)), {1, 0, 2});
  x = dropout(net, "dropout", x, size.dropout_probability);
  add_output(net, "logits", linear(net, "head", x, kWords));
}

}  // namespace

void build_lstm_small(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_lstm(net, sizes, {});
}

void build_lstm_medium(NetworkBuilder& net, const NetworkSizes& sizes) {
  build_lstm(net, sizes, {.hidden = 650, .dropout_probability = 0.5F, .bound = 0.05F});
}

}  // namespace poet
