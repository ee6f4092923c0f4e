#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/model/onnx/operators.h"
#include "poet/model/recurrent_pieces.h"

// LSTM, GRU and RNN: a graph over the time steps, so that each step's values can be kept, made
// again or paged by themselves. Rows of x_t are examples; W has a row for each value of each gate.

namespace poet {
namespace {

// More steps than anybody trains over, and operations that still fit in memory.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 13;

struct Activation {
  std::string name;
  float alpha = 0;
  float beta = 0;
};

// Those that ONNX has, with what alpha and beta are where they are not given; NaN: it has none.
struct KnownActivation {
  const char* name;
  float alpha;
  float beta;
};
constexpr float kHasNone = std::numeric_limits<float>::quiet_NaN();
constexpr KnownActivation kActivations[] = {{"Sigmoid", kHasNone, kHasNone},
                                            {"Tanh", kHasNone, kHasNone},
                                            {"Relu", kHasNone, kHasNone},
                                            {"Softsign", kHasNone, kHasNone},
                                            {"Softplus", kHasNone, kHasNone},
                                            {"LeakyRelu", 0.01F, kHasNone},
                                            {"ThresholdedRelu", 1, kHasNone},
                                            {"Elu", 1, kHasNone},
                                            {"HardSigmoid", 0.2F, 0.5F},
                                            {"ScaledTanh", 1, 1},
                                            {"Affine", 1, 0}};

TensorId with_scalars(NodeImport& node, Operator kind, TensorId x, float alpha, float beta = 0) {
  return node.add(kind, ScalarAttributes{.alpha = alpha, .beta = beta}, {x});
}

TensorId scaled(NodeImport& node, TensorId x, float factor) {
  return factor == 1 ? x : node.binary(Operator::Mul, x, node.scalar(factor));
}

TensorId activated(NodeImport& node, const Activation& how, TensorId x) {
  const std::string& name = how.name;
  if (name == "Sigmoid") return node.unary(Operator::Sigmoid, x);
  if (name == "Tanh") return node.unary(Operator::Tanh, x);
  if (name == "Relu") return node.unary(Operator::Relu, x);
  if (name == "Softplus") return node.unary(Operator::Softplus, x);
  if (name == "LeakyRelu") return with_scalars(node, Operator::LeakyRelu, x, how.alpha);
  if (name == "Elu") return with_scalars(node, Operator::Elu, x, how.alpha);
  if (name == "HardSigmoid")
    return with_scalars(node, Operator::HardSigmoid, x, how.alpha, how.beta);
  if (name == "ScaledTanh")
    return scaled(node, node.unary(Operator::Tanh, scaled(node, x, how.beta)), how.alpha);
  if (name == "Affine")
    return node.binary(Operator::Add, scaled(node, x, how.alpha), node.scalar(how.beta));
  if (name == "Softsign") {
    const TensorId below = node.binary(Operator::Add, node.unary(Operator::Abs, x), node.scalar(1));
    return node.binary(Operator::Div, x, below);
  }
  const TensorId over = node.binary(Operator::Greater, x, node.scalar(how.alpha));
  return node.add(Operator::Where, std::monostate{}, {over, x, node.scalar(0)});
}

// What all three operators have.
struct Recurrence {
  std::int64_t gates = 1;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;
  std::int64_t directions = 1;
  bool batch_first = false;
  bool only_reverse = false;
  float clip = 0;                            // 0: none
  std::vector<Activation> activations = {};  // those of the first direction, then of the second
  std::vector<std::int64_t> lengths = {};    // of each example's sequence; empty: all are whole
};

struct States {
  TensorId h{};
  std::optional<TensorId> c = {};  // LSTM
};

// One direction: its weights, and the states that it begins with.
struct Direction {
  TensorId w{};                       // (gates hidden, inputs)
  TensorId r{};                       // (gates hidden, hidden)
  std::optional<TensorId> bias = {};  // of both, or of the input's product alone
  std::optional<TensorId> r_bias = {};
  // GRU without linear_before_reset: the rows of the two gates, and of the candidate.
  TensorId r_of_gates{};
  TensorId r_of_candidate{};
  std::vector<TensorId> peepholes = {};  // LSTM: of i, o, f; (hidden)
  States first = {};
  const Activation* activations = nullptr;
};

std::vector<Activation> read_activations(NodeImport& node, std::int64_t directions,
                                         const std::vector<std::string>& usual) {
  std::vector<std::string> names = node.texts("activations");
  const std::vector<float> alphas = node.numbers("activation_alpha");
  const std::vector<float> betas = node.numbers("activation_beta");
  if (names.empty())
    for (std::int64_t d = 0; d < directions; ++d)
      names.insert(names.end(), usual.begin(), usual.end());
  if (names.size() != usual.size() * static_cast<std::size_t>(directions))
    node.refuse(
        fmt::format("has {} activations, not {} for each direction", names.size(), usual.size()));
  std::vector<Activation> activations;
  std::size_t next_alpha = 0, next_beta = 0;
  for (const std::string& name : names) {
    const auto* const known =
        std::find_if(std::begin(kActivations), std::end(kActivations),
                     [&name](const KnownActivation& one) { return one.name == name; });
    if (known == std::end(kActivations)) {
      node.refuse(fmt::format("POET does not know its activation {}", in_quotes(name)),
                  ErrorCode::Unsupported);
      return {};
    }
    Activation activation{known->name, known->alpha, known->beta};
    if (!std::isnan(known->alpha) && next_alpha < alphas.size())
      activation.alpha = alphas[next_alpha++];
    if (!std::isnan(known->beta) && next_beta < betas.size()) activation.beta = betas[next_beta++];
    activations.push_back(activation);
  }
  return activations;
}

void expect_shape(NodeImport& node, int i, const Shape& wanted, const char* what) {
  if (node.failed() || !node.has_input(i) || node.shape(i) == wanted) return;
  node.refuse(fmt::format("{} must be {}, not {}", what, to_text(wanted), to_text(node.shape(i))));
}

// Examples whose sequence is shorter keep their state after its end, and get zeros.
void read_lengths(NodeImport& node, Recurrence& about) {
  if (!node.has_input(4)) return;
  about.lengths = node.known_wholes(4, "its sequence_lens");
  expect_shape(node, 4, {about.batch}, "its sequence_lens");
  for (const std::int64_t length : about.lengths)
    if (length < 0 || length > about.steps)
      return node.refuse(fmt::format("a sequence has {} of {} steps", length, about.steps));
  if (std::all_of(about.lengths.begin(), about.lengths.end(),
                  [&about](std::int64_t length) { return length == about.steps; }))
    about.lengths.clear();
}

Recurrence read_recurrence(NodeImport& node, std::int64_t gates,
                           const std::vector<std::string>& activations) {
  Recurrence about{.gates = gates};
  const std::string direction = node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    node.refuse("direction must be forward, reverse or bidirectional");
  about.directions = direction == "bidirectional" ? 2 : 1;
  about.only_reverse = direction == "reverse";
  about.batch_first = node.flag("layout", false);
  about.clip = node.number("clip", 0);
  about.activations = read_activations(node, about.directions, activations);
  node.ignore("output_sequence");  // of before opset 7
  const Shape x = node.shape(0);
  const Shape r = node.shape(2);
  if (!node.failed() && (x.size() != 3 || r.size() != 3))
    node.refuse(fmt::format("takes x of three dimensions and weights of three, not {} and {}",
                            to_text(x), to_text(r)));
  if (node.failed()) return about;
  about.steps = x[about.batch_first ? 1 : 0];
  about.batch = x[about.batch_first ? 0 : 1];
  about.inputs = x[2];
  about.hidden = r[2];
  if (about.steps > kMostSteps)
    node.refuse(fmt::format("goes over {} time steps; POET takes up to {}, so give it shorter "
                            "sequences",
                            about.steps, kMostSteps),
                ErrorCode::Unsupported);
  if (about.hidden != node.whole("hidden_size", about.hidden))
    node.refuse(fmt::format("hidden_size is not that of the weights, {}", about.hidden));
  const std::int64_t rows = checked_multiply(gates, about.hidden).value_or(0);
  if (Failure failure = check_shape({about.batch, rows}, "what a step makes"))
    node.refuse(failure->message);
  expect_shape(node, 1, {about.directions, rows, about.inputs}, "its input weights");
  expect_shape(node, 2, {about.directions, rows, about.hidden}, "its recurrent weights");
  expect_shape(node, 3, {about.directions, 2 * rows}, "its bias");
  read_lengths(node, about);
  return about;
}

// What a tensor (directions, ...) has for direction d.
TensorId of_direction(NodeImport& node, TensorId x, std::int64_t d) {
  if (node.failed()) return {};
  const TensorId part = node.sliced(x, 0, d, 1);
  const Shape shape = node.shape_of(part);
  return node.reshaped(part, {shape.begin() + 1, shape.end()});
}

TensorId of_gate(NodeImport& node, const Recurrence& about, TensorId x, std::int64_t gate,
                 std::int64_t count = 1) {
  if (node.failed()) return {};
  return node.sliced(x, node.shape_of(x).size() - 1, gate * about.hidden, count * about.hidden);
}

TensorId clipped(NodeImport& node, const Recurrence& about, TensorId x) {
  return about.clip == 0 ? x : with_scalars(node, Operator::Clip, x, -about.clip, about.clip);
}

// From x_t and the states before, those after it: activation(x W' + h R' + biases) and what gates
// make of it.
using Step = States (*)(NodeImport& node, const Recurrence& about, const Direction& direction,
                        TensorId x, const States& before);

States rnn_step(NodeImport& node, const Recurrence& about, const Direction& direction, TensorId x,
                const States& before) {
  const TensorId from_x = row_product(node, x, direction.w, direction.bias);
  const TensorId sum = row_product(node, before.h, direction.r, from_x);
  return {.h = activated(node, direction.activations[0], clipped(node, about, sum))};
}

States lstm_step(NodeImport& node, const Recurrence& about, const Direction& direction, TensorId x,
                 const States& before) {
  const TensorId from_x = row_product(node, x, direction.w, direction.bias);
  const TensorId sum = row_product(node, before.h, direction.r, from_x);
  enum : std::int64_t { kIn, kOut, kForget, kCell };
  const auto gate = [&](std::int64_t which, TensorId cell) {
    TensorId value = of_gate(node, about, sum, which);
    if (!direction.peepholes.empty())
      value = node.binary(
          Operator::Add, value,
          node.binary(Operator::Mul, cell, direction.peepholes[static_cast<std::size_t>(which)]));
    return activated(node, direction.activations[0], clipped(node, about, value));
  };
  const TensorId in = gate(kIn, *before.c);
  const TensorId forget = node.flag("input_forget", false)
                              ? node.binary(Operator::Sub, node.scalar(1), in)
                              : gate(kForget, *before.c);
  const TensorId candidate = activated(node, direction.activations[1],
                                       clipped(node, about, of_gate(node, about, sum, kCell)));
  const TensorId c =
      next_cell(node, {.in = in, .forget = forget, .candidate = candidate}, *before.c);
  const TensorId out = gate(kOut, c);
  const TensorId shown = activated(node, direction.activations[2], clipped(node, about, c));
  return {.h = node.binary(Operator::Mul, out, shown), .c = c};
}

// h = candidate + update (before - candidate), which is (1 - update) candidate + update before.
States gru_step(NodeImport& node, const Recurrence& about, const Direction& direction, TensorId x,
                const States& before) {
  enum : std::int64_t { kUpdate, kReset, kCandidate };
  const TensorId from_x = row_product(node, x, direction.w, direction.bias);
  const auto gate = [&](TensorId sums, std::int64_t which) {
    return activated(node, direction.activations[0],
                     clipped(node, about, of_gate(node, about, sums, which)));
  };
  TensorId update{}, reset{}, sum{};
  if (node.flag("linear_before_reset", false)) {
    const TensorId from_h = row_product(node, before.h, direction.r, direction.r_bias);
    const TensorId sums = node.binary(Operator::Add, of_gate(node, about, from_x, kUpdate, 2),
                                      of_gate(node, about, from_h, kUpdate, 2));
    update = gate(sums, kUpdate);
    reset = gate(sums, kReset);
    sum = node.binary(Operator::Add, of_gate(node, about, from_x, kCandidate),
                      node.binary(Operator::Mul, reset, of_gate(node, about, from_h, kCandidate)));
  } else {
    const TensorId sums =
        row_product(node, before.h, direction.r_of_gates, of_gate(node, about, from_x, kUpdate, 2));
    update = gate(sums, kUpdate);
    reset = gate(sums, kReset);
    sum = row_product(node, node.binary(Operator::Mul, reset, before.h), direction.r_of_candidate,
                      of_gate(node, about, from_x, kCandidate));
  }
  const TensorId candidate = activated(node, direction.activations[1], clipped(node, about, sum));
  const TensorId kept =
      node.binary(Operator::Mul, update, node.binary(Operator::Sub, before.h, candidate));
  return {.h = node.binary(Operator::Add, candidate, kept)};
}

// (directions, batch, hidden), or with the batch first.
TensorId initial_state(NodeImport& node, const Recurrence& about, int input, std::int64_t d) {
  if (!node.has_input(input)) return node.filled({about.batch, about.hidden}, 0);
  const Shape wanted = about.batch_first ? Shape{about.batch, about.directions, about.hidden}
                                         : Shape{about.directions, about.batch, about.hidden};
  expect_shape(node, input, wanted, "its initial state");
  TensorId state = node.tensor(input);
  if (about.batch_first) state = node.transposed(state, {1, 0, 2});
  return of_direction(node, state, d);
}

// Both biases are added to the same sum, but where the recurrent one is within a product.
void read_bias(NodeImport& node, const Recurrence& about, std::int64_t d, bool apart,
               Direction& direction) {
  if (!node.has_input(3) || node.failed()) return;
  const TensorId both = of_direction(node, node.weight(3), d);
  const std::int64_t rows = about.gates * about.hidden;
  if (apart) {
    direction.bias = node.sliced(both, 0, 0, rows);
    direction.r_bias = node.sliced(both, 0, rows, rows);
  } else {
    direction.bias =
        node.add(Operator::ReduceSum, ReduceAttributes{.axes = {0}, .keeps_dimensions = false},
                 {node.reshaped(both, {2, rows})});
  }
}

Direction read_direction(NodeImport& node, const Recurrence& about, std::int64_t d,
                         std::size_t activations, bool bias_apart) {
  Direction direction{.w = of_direction(node, node.weight(1), d),
                      .r = of_direction(node, node.weight(2), d)};
  read_bias(node, about, d, bias_apart, direction);
  direction.first.h = initial_state(node, about, 5, d);
  direction.activations = about.activations.data() + static_cast<std::size_t>(d) * activations;
  return direction;
}

// Which examples have a step t, as a column.
Constant mask_of(const Recurrence& about, std::int64_t t) {
  std::vector<std::int64_t> values;
  for (const std::int64_t length : about.lengths) values.push_back(t < length ? 1 : 0);
  return constant_of({{ElementType::Bool, {about.batch, 1}}, std::move(values)});
}

struct Run {
  std::vector<TensorId> h;  // of each time step
  States last = {};
};

Run run_direction(NodeImport& node, const Recurrence& about, const Direction& direction, Step step,
                  const std::vector<TensorId>& x, bool reverse) {
  Run run{.h = std::vector<TensorId>(x.size()), .last = direction.first};
  for (std::size_t i = 0; i < x.size() && !node.failed(); ++i) {
    const std::size_t t = reverse ? x.size() - 1 - i : i;
    States states = step(node, about, direction, x[t], run.last);
    run.h[t] = states.h;
    if (!about.lengths.empty()) {
      const TensorId mask = node.known(mask_of(about, static_cast<std::int64_t>(t)), "mask");
      const auto kept = [&](TensorId after, TensorId before) {
        return node.add(Operator::Where, std::monostate{}, {mask, after, before});
      };
      run.h[t] = kept(states.h, node.scalar(0));
      states.h = kept(states.h, run.last.h);
      if (states.c) states.c = kept(*states.c, *run.last.c);
    }
    run.last = states;
  }
  return run;
}

// Of each direction (batch, hidden), to (1, directions, batch, hidden).
TensorId beside(NodeImport& node, const Recurrence& about, const std::vector<TensorId>& states) {
  std::vector<TensorId> parts;
  for (const TensorId state : states)
    parts.push_back(node.reshaped(state, {1, 1, about.batch, about.hidden}));
  return parts.size() == 1 ? parts[0] : node.add(Operator::Concat, AxisAttributes{1}, parts);
}

void output_last(NodeImport& node, const Recurrence& about, int k,
                 const std::vector<TensorId>& states) {
  if (!node.is_needed(k) || node.failed()) return;
  const TensorId all =
      node.reshaped(beside(node, about, states), {about.directions, about.batch, about.hidden});
  node.output(k, about.batch_first ? node.transposed(all, {1, 0, 2}) : all);
}

void output_all(NodeImport& node, const Recurrence& about, const std::vector<Run>& runs) {
  if (!node.is_needed(0) || node.failed()) return;
  std::vector<TensorId> steps;
  for (std::size_t t = 0; t < runs[0].h.size(); ++t) {
    std::vector<TensorId> states;
    for (const Run& run : runs) states.push_back(run.h[t]);
    steps.push_back(beside(node, about, states));
  }
  const TensorId y = joined_along_first(node, steps);
  node.output(0, about.batch_first ? node.transposed(y, {2, 0, 1, 3}) : y);
}

struct RecurrentOperator {
  std::int64_t gates = 1;
  std::vector<std::string> activations = {};
  Step step = nullptr;
  bool bias_apart = false;
  // What it alone has of a direction.
  void (*prepare)(NodeImport& node, const Recurrence& about, std::int64_t d,
                  Direction& direction) = nullptr;
};

void import_recurrent(NodeImport& node, const RecurrentOperator& what) {
  const Recurrence about = read_recurrence(node, what.gates, what.activations);
  if (node.failed()) return;
  TensorId x = node.tensor(0);
  if (about.batch_first) x = node.transposed(x, {1, 0, 2});
  std::vector<TensorId> steps;
  for (const TensorId part : parts_along_first(node, x))
    steps.push_back(node.reshaped(part, {about.batch, about.inputs}));
  std::vector<Run> runs;
  for (std::int64_t d = 0; d < about.directions && !node.failed(); ++d) {
    Direction direction = read_direction(node, about, d, what.activations.size(), what.bias_apart);
    if (what.prepare != nullptr) what.prepare(node, about, d, direction);
    runs.push_back(
        run_direction(node, about, direction, what.step, steps, d == 1 || about.only_reverse));
  }
  if (node.failed()) return;
  output_all(node, about, runs);
  std::vector<TensorId> last_h, last_c;
  for (const Run& run : runs) {
    last_h.push_back(run.last.h);
    if (run.last.c) last_c.push_back(*run.last.c);
  }
  output_last(node, about, 1, last_h);
  if (!last_c.empty()) output_last(node, about, 2, last_c);
}

void import_rnn(NodeImport& node) {
  node.expect_inputs(3, 6);
  import_recurrent(node, {.gates = 1, .activations = {"Tanh"}, .step = rnn_step});
}

void prepare_gru(NodeImport& node, const Recurrence& about, std::int64_t, Direction& direction) {
  if (node.flag("linear_before_reset", false)) return;
  direction.r_of_gates = node.sliced(direction.r, 0, 0, 2 * about.hidden);
  direction.r_of_candidate = node.sliced(direction.r, 0, 2 * about.hidden, about.hidden);
}

void prepare_lstm(NodeImport& node, const Recurrence& about, std::int64_t d, Direction& direction) {
  direction.first.c = initial_state(node, about, 6, d);
  if (!node.has_input(7)) return;
  expect_shape(node, 7, {about.directions, 3 * about.hidden}, "its peepholes");
  const TensorId all = of_direction(node, node.weight(7), d);
  for (std::int64_t gate = 0; gate < 3; ++gate)
    direction.peepholes.push_back(of_gate(node, about, all, gate));
}

void import_gru(NodeImport& node) {
  node.expect_inputs(3, 6);
  import_recurrent(node, {.gates = 3,
                          .activations = {"Sigmoid", "Tanh"},
                          .step = gru_step,
                          .bias_apart = node.flag("linear_before_reset", false),
                          .prepare = prepare_gru});
}

void import_lstm(NodeImport& node) {
  node.expect_inputs(3, 8);
  node.ignore("input_forget");
  import_recurrent(node, {.gates = 4,
                          .activations = {"Sigmoid", "Tanh", "Tanh"},
                          .step = lstm_step,
                          .prepare = prepare_lstm});
}

}  // namespace

std::vector<OnnxOperator> recurrent_onnx_operators() {
  return {{"RNN", import_rnn}, {"GRU", import_gru}, {"LSTM", import_lstm}};
}

}  // namespace poet
