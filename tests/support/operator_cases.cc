#include "support/operator_cases.h"

#include <utility>

namespace poet::testing {
namespace {

using Cases = std::vector<OperatorCase>;

CaseInput smooth(Shape shape) {
  return {.type = {ElementType::Float32, std::move(shape)}};
}

CaseInput positive(Shape shape) {
  return {.type = {ElementType::Float32, std::move(shape)}, .draw = Draw::Positive};
}

CaseInput distinct(Shape shape) {
  return {.type = {ElementType::Float32, std::move(shape)}, .draw = Draw::Distinct};
}

CaseInput whole(ElementType element, Shape shape, std::int64_t below) {
  return {.type = {element, std::move(shape)}, .draw = Draw::Whole, .below = below};
}

CaseInput mask(Shape shape) {
  return whole(ElementType::Bool, std::move(shape), 2);
}

CaseInput step() {
  return {.type = step_type(), .draw = Draw::Step};
}

CaseInput constant(CaseInput input) {
  input.has_gradient = false;
  return input;
}

void add_unary(Cases& cases) {
  const Shape shape{3, 5};
  cases.insert(
      cases.end(),
      {{"relu", Operator::Relu, {}, {distinct(shape)}},
       {"leaky relu", Operator::LeakyRelu, ScalarAttributes{.alpha = 0.125F}, {distinct(shape)}},
       {"clip", Operator::Clip, ScalarAttributes{.alpha = -0.5F, .beta = 0.75F}, {distinct(shape)}},
       {"sigmoid", Operator::Sigmoid, {}, {smooth(shape)}},
       {"tanh", Operator::Tanh, {}, {smooth(shape)}},
       {"gelu by erf", Operator::GeluErf, {}, {smooth(shape)}},
       {"gelu by tanh", Operator::GeluTanh, {}, {smooth(shape)}},
       {"erf", Operator::Erf, {}, {smooth(shape)}},
       {"exp", Operator::Exp, {}, {smooth(shape)}},
       {"log", Operator::Log, {}, {positive(shape)}},
       {"sqrt", Operator::Sqrt, {}, {positive(shape)}},
       {"reciprocal", Operator::Reciprocal, {}, {positive(shape)}},
       {"neg", Operator::Neg, {}, {smooth(shape)}},
       {"abs", Operator::Abs, {}, {distinct(shape)}},
       {"sin", Operator::Sin, {}, {smooth(shape)}},
       {"cos", Operator::Cos, {}, {smooth(shape)}},
       {"softplus", Operator::Softplus, {}, {smooth(shape)}},
       {"elu", Operator::Elu, ScalarAttributes{.alpha = 0.75F}, {distinct(shape)}},
       {"hard sigmoid",
        Operator::HardSigmoid,
        ScalarAttributes{.alpha = 0.5F, .beta = 0.5F},
        {distinct(shape)}},
       {"hard swish",
        Operator::HardSwish,
        ScalarAttributes{.alpha = 0.5F, .beta = 0.5F},
        {distinct(shape)}},
       {"silu", Operator::Silu, {}, {smooth(shape)}}});
}

// Shapes of two operands, which are broadcast in every manner.
const std::vector<std::pair<Shape, Shape>> kPairs{{{2, 3}, {2, 3}},    {{2, 3}, {3}},
                                                  {{}, {2, 3}},        {{2, 1, 3}, {4, 1}},
                                                  {{2, 3, 1}, {3, 2}}, {{1}, {}}};

using Draws = CaseInput (*)(Shape);

void add_pairs(Cases& cases, const std::string& name, Operator kind, Draws first, Draws second) {
  for (const auto& [a, b] : kPairs)
    cases.push_back({name + " " + to_text(a) + " " + to_text(b), kind, {}, {first(a), second(b)}});
}

void add_broadcast(Cases& cases) {
  add_pairs(cases, "add", Operator::Add, smooth, smooth);
  add_pairs(cases, "sub", Operator::Sub, smooth, smooth);
  add_pairs(cases, "mul", Operator::Mul, smooth, smooth);
  add_pairs(cases, "div", Operator::Div, smooth, positive);
  add_pairs(cases, "pow", Operator::Pow, positive, smooth);
  add_pairs(cases, "max", Operator::Max, distinct, distinct);
  add_pairs(cases, "min", Operator::Min, distinct, distinct);
}

void add_comparisons(Cases& cases) {
  for (const auto& [name, kind] : {std::pair<std::string, Operator>{"equal", Operator::Equal},
                                   {"less", Operator::Less},
                                   {"less or equal", Operator::LessOrEqual},
                                   {"greater", Operator::Greater},
                                   {"greater or equal", Operator::GreaterOrEqual}}) {
    cases.push_back({name, kind, {}, {smooth({2, 1, 3}), smooth({4, 1})}});
    cases.push_back({name + " of int64",
                     kind,
                     {},
                     {whole(ElementType::Int64, {2, 3}, 3), whole(ElementType::Int64, {3}, 3)}});
  }
  cases.insert(cases.end(),
               {{"not", Operator::Not, {}, {mask({2, 3})}},
                {"and", Operator::And, {}, {mask({2, 1, 3}), mask({4, 1})}},
                {"or", Operator::Or, {}, {mask({2, 3}), mask({})}},
                {"where", Operator::Where, {}, {mask({2, 3}), smooth({2, 3}), smooth({2, 3})}},
                {"where, all broadcast",
                 Operator::Where,
                 {},
                 {mask({2, 1, 1}), smooth({3, 1}), smooth({})}}});
}

// Named by how the operands lie and what they are.
void add_products(Cases& cases) {
  constexpr Operator kMatMul = Operator::MatMul;
  cases.insert(
      cases.end(),
      {{"matmul", kMatMul, MatMulAttributes{}, {smooth({2, 3}), smooth({3, 4})}},
       {"matmul, first transposed",
        kMatMul,
        MatMulAttributes{.transpose_a = true, .alpha = 0.5F},
        {smooth({3, 2}), smooth({3, 4})}},
       {"matmul, second transposed",
        kMatMul,
        MatMulAttributes{.transpose_b = true},
        {smooth({2, 3}), smooth({4, 3})}},
       {"matmul, both transposed",
        kMatMul,
        MatMulAttributes{.transpose_a = true, .transpose_b = true, .alpha = 2},
        {smooth({3, 2}), smooth({4, 3})}},
       {"matmul, batches", kMatMul, MatMulAttributes{}, {smooth({2, 2, 3}), smooth({2, 3, 2})}},
       {"matmul, both broadcast",
        kMatMul,
        MatMulAttributes{},
        {smooth({2, 1, 2, 3}), smooth({3, 3, 2})}},
       {"matmul, both broadcast and transposed",
        kMatMul,
        MatMulAttributes{.transpose_a = true, .transpose_b = true},
        {smooth({2, 1, 3, 2}), smooth({3, 2, 3})}},
       {"linear", kMatMul, MatMulAttributes{}, {smooth({2, 3, 4}), smooth({4, 2}), smooth({2})}},
       {"linear, weights transposed",
        kMatMul,
        MatMulAttributes{.transpose_b = true},
        {smooth({2, 3, 4}), smooth({2, 4}), smooth({2})}},
       {"gemm, bias by rows",
        kMatMul,
        MatMulAttributes{.alpha = 0.5F, .beta = 2},
        {smooth({2, 3}), smooth({3, 4}), smooth({2, 1})}},
       {"gemm, bias of the whole matrix",
        kMatMul,
        MatMulAttributes{.beta = 0.25F},
        {smooth({2, 3}), smooth({3, 4}), smooth({2, 4})}},
       {"gemm, bias of one value for a batch",
        kMatMul,
        MatMulAttributes{},
        {smooth({2, 2, 3}), smooth({3, 2}), smooth({1})}},
       {"matmul, summed",
        kMatMul,
        MatMulAttributes{.sum_to = Shape{2, 1}},
        {constant(smooth({2, 3, 2, 3})), constant(smooth({3, 3, 2}))}}});
}

WindowAttributes window(std::vector<std::int64_t> kernel, std::vector<std::int64_t> stride,
                        std::vector<std::int64_t> begin, std::vector<std::int64_t> end) {
  const std::size_t dimensions = kernel.size();
  return {.kernel = std::move(kernel),
          .stride = std::move(stride),
          .padding_begin = std::move(begin),
          .padding_end = std::move(end),
          .dilation = std::vector<std::int64_t>(dimensions, 1)};
}

WindowAttributes dilated(WindowAttributes attributes, std::vector<std::int64_t> dilation) {
  attributes.dilation = std::move(dilation);
  return attributes;
}

WindowAttributes grouped(WindowAttributes attributes, std::int64_t groups) {
  attributes.groups = groups;
  return attributes;
}

WindowAttributes output_padded(WindowAttributes attributes, std::vector<std::int64_t> padding) {
  attributes.output_padding = std::move(padding);
  return attributes;
}

WindowAttributes rounded_up(WindowAttributes attributes) {
  attributes.round_up = true;
  return attributes;
}

WindowAttributes counting(WindowAttributes attributes) {
  attributes.counts_padding = true;
  return attributes;
}

void add_convolutions(Cases& cases) {
  const WindowAttributes plain = window({3, 2}, {1, 1}, {0, 0}, {0, 0});
  const WindowAttributes odd = window({3, 2}, {2, 1}, {1, 0}, {0, 1});
  cases.insert(
      cases.end(),
      {{"conv", Operator::Conv, plain, {smooth({2, 2, 4, 3}), smooth({3, 2, 3, 2}), smooth({3})}},
       {"conv, strided, dilated, in groups",
        Operator::Conv,
        grouped(dilated(odd, {1, 2}), 2),
        {smooth({2, 4, 6, 5}), smooth({2, 2, 3, 2}), smooth({2})}},
       {"conv, depthwise",
        Operator::Conv,
        grouped(window({3, 3}, {1, 1}, {1, 1}, {1, 1}), 3),
        {smooth({1, 3, 4, 4}), smooth({3, 1, 3, 3})}},
       {"conv, pointwise",
        Operator::Conv,
        window({1, 1}, {1, 1}, {0, 0}, {0, 0}),
        {smooth({2, 3, 2, 2}), smooth({4, 3, 1, 1}), smooth({4})}},
       {"conv of signals",
        Operator::Conv,
        window({3}, {2}, {2}, {1}),
        {smooth({2, 2, 6}), smooth({2, 2, 3})}},
       {"conv of volumes",
        Operator::Conv,
        window({2, 1, 2}, {1, 1, 2}, {0, 0, 1}, {1, 0, 0}),
        {smooth({1, 2, 3, 2, 3}), smooth({2, 2, 2, 1, 2}), smooth({2})}},
       {"conv with a stride that leaves values out",
        Operator::Conv,
        window({1, 1}, {3, 2}, {0, 0}, {0, 0}),
        {smooth({1, 2, 5, 4}), smooth({2, 2, 1, 1})}},
       {"conv transpose",
        Operator::ConvTranspose,
        plain,
        {smooth({2, 3, 3, 3}), smooth({3, 2, 3, 2}), smooth({2})}},
       {"conv transpose, strided, dilated, in groups",
        Operator::ConvTranspose,
        output_padded(grouped(dilated(odd, {1, 2}), 2), {1, 1}),
        {smooth({1, 4, 3, 3}), smooth({4, 1, 3, 2}), smooth({2})}},
       {"conv transpose of signals",
        Operator::ConvTranspose,
        window({3}, {3}, {0}, {0}),
        {smooth({2, 2, 3}), smooth({2, 3, 3})}}});
}

void add_pools(Cases& cases) {
  const WindowAttributes stem = window({3, 3}, {2, 2}, {1, 1}, {1, 1});
  const WindowAttributes uneven = window({2, 3}, {2, 2}, {0, 1}, {1, 0});
  const WindowAttributes global = window({3, 4}, {1, 1}, {0, 0}, {0, 0});
  cases.insert(
      cases.end(),
      {{"max pool", Operator::MaxPool, stem, {distinct({1, 2, 5, 4})}},
       {"max pool, rounded up", Operator::MaxPool, rounded_up(uneven), {distinct({1, 1, 5, 6})}},
       {"max pool, dilated",
        Operator::MaxPool,
        dilated(window({2}, {1}, {1}, {1}), {2}),
        {distinct({2, 2, 6})}},
       {"average pool", Operator::AveragePool, stem, {smooth({1, 2, 5, 4})}},
       {"average pool, padding counted",
        Operator::AveragePool,
        counting(stem),
        {smooth({1, 2, 5, 4})}},
       {"average pool, rounded up",
        Operator::AveragePool,
        counting(rounded_up(uneven)),
        {smooth({1, 1, 5, 6})}},
       {"average pool, global", Operator::AveragePool, global, {smooth({2, 2, 3, 4})}},
       {"average pool of volumes",
        Operator::AveragePool,
        window({2, 2, 1}, {2, 1, 1}, {0, 0, 0}, {0, 0, 0}),
        {smooth({1, 2, 4, 3, 2})}}});
}

void add_norms(Cases& cases) {
  const NormAttributes norm{.epsilon = 0.0625F};
  const NormAttributes rows{.epsilon = 0.0625F, .axis = 1};
  const NormAttributes groups{.epsilon = 0.0625F, .groups = 2};
  const CaseInput x = smooth({3, 4, 2, 2});
  const CaseInput channels = smooth({4});
  const CaseInput mean = constant(smooth({4}));
  const CaseInput variance = constant(positive({4}));
  cases.insert(cases.end(),
               {{"batch norm", Operator::BatchNorm, norm, {x, channels, channels}},
                {"batch norm of features",
                 Operator::BatchNorm,
                 norm,
                 {smooth({6, 3}), smooth({3}), smooth({3})}},
                {"batch norm by running statistics",
                 Operator::BatchNormInference,
                 norm,
                 {x, channels, channels, mean, variance}},
                {"running statistics",
                 Operator::RunningStatistics,
                 RunningAttributes{.rate = 0.25F, .epsilon = 0.0625F, .count = 12},
                 {mean, variance, mean, variance}},
                {"layer norm",
                 Operator::LayerNorm,
                 rows,
                 {smooth({3, 4, 2}), smooth({4, 2}), smooth({4, 2})}},
                {"layer norm without scale", Operator::LayerNorm, rows, {smooth({3, 6})}},
                {"layer norm of everything",
                 Operator::LayerNorm,
                 norm,
                 {smooth({6}), smooth({6}), smooth({6})}},
                {"group norm", Operator::GroupNorm, groups, {x, channels, channels}},
                {"group norm without scale", Operator::GroupNorm, groups, {x}},
                {"instance norm",
                 Operator::GroupNorm,
                 NormAttributes{.epsilon = 0.0625F, .groups = 4},
                 {x, channels, channels}}});
  for (const std::int64_t axis : {0, 1, 2}) {
    const AxisAttributes along{.axis = axis};
    const std::string name = " along " + std::to_string(axis);
    cases.push_back({"softmax" + name, Operator::Softmax, along, {smooth({2, 3, 4})}});
    cases.push_back({"log softmax" + name, Operator::LogSoftmax, along, {smooth({2, 3, 4})}});
  }
}

void add_reductions(Cases& cases) {
  struct Row {
    std::string name;
    Operator kind;
    Draws draw;
  };
  const std::vector<Row> rows{{"sum", Operator::ReduceSum, smooth},
                              {"mean", Operator::ReduceMean, smooth},
                              {"max", Operator::ReduceMax, distinct},
                              {"min", Operator::ReduceMin, distinct},
                              {"product", Operator::ReduceProduct, smooth},
                              {"sum of squares", Operator::ReduceSumSquare, smooth},
                              {"l2", Operator::ReduceL2, positive},
                              {"log sum exp", Operator::ReduceLogSumExp, smooth}};
  const std::vector<ReduceAttributes> manners{{.axes = {1}, .keeps_dimensions = true},
                                              {.axes = {0, 2}, .keeps_dimensions = false},
                                              {.axes = {0, 1, 2}, .keeps_dimensions = false},
                                              {.axes = {}, .keeps_dimensions = true}};
  for (const Row& row : rows)
    for (const ReduceAttributes& manner : manners)
      cases.push_back(
          {row.name + " over " + to_text(manner.axes), row.kind, manner, {row.draw({2, 3, 4})}});
}

void add_moves(Cases& cases) {
  const PadAttributes margins{
      .begin = {1, 0}, .end = {0, 2}, .mode = PadMode::Constant, .value = 3};
  PadAttributes edge = margins;
  edge.mode = PadMode::Edge;
  PadAttributes reflected = margins;
  reflected.mode = PadMode::Reflect;
  PadAttributes cut = margins;
  cut.begin = {-1, 1};
  const AxisAttributes second{.axis = 1};
  cases.insert(
      cases.end(),
      {{"reshape", Operator::Reshape, ShapeAttributes{{3, 2}}, {smooth({2, 3})}},
       {"transpose", Operator::Transpose, TransposeAttributes{{2, 0, 1}}, {smooth({2, 3, 4})}},
       {"slice",
        Operator::Slice,
        SliceAttributes{.start = {1, 4}, .step = {1, -2}, .extent = {1, 3}},
        {smooth({3, 5})}},
       {"concat of two", Operator::Concat, second, {smooth({2, 1, 2}), smooth({2, 3, 2})}},
       {"concat of one", Operator::Concat, second, {smooth({2, 3})}},
       {"concat of three",
        Operator::Concat,
        second,
        {smooth({2, 1}), smooth({2, 2}), smooth({2, 3})}},
       {"pad", Operator::Pad, margins, {smooth({3, 4})}},
       {"pad, partly negative", Operator::Pad, cut, {smooth({3, 4})}},
       {"pad by edges", Operator::Pad, edge, {smooth({3, 4})}},
       {"pad by reflection", Operator::Pad, reflected, {smooth({3, 4})}},
       {"expand", Operator::Expand, ShapeAttributes{{2, 3, 4}}, {smooth({3, 1})}},
       {"gather",
        Operator::Gather,
        second,
        {smooth({2, 4, 3}), whole(ElementType::Int64, {2, 3}, 4)}},
       {"embedding",
        Operator::Gather,
        AxisAttributes{.axis = 0},
        {smooth({5, 2}), whole(ElementType::Int32, {6}, 5)}}});
}

void add_casts(Cases& cases) {
  const auto add = [&](const CaseInput& input, ElementType to) {
    cases.push_back(
        {"cast from " + to_text(input.type) + " to " + std::string(name_of(kElementTypes, to)),
         Operator::Cast,
         CastAttributes{to},
         {constant(input)}});
  };
  for (const ElementType to :
       {ElementType::Int32, ElementType::Int64, ElementType::Uint8, ElementType::Bool})
    add(positive({2, 3}), to);
  for (const ElementType from :
       {ElementType::Int32, ElementType::Int64, ElementType::Uint8, ElementType::Bool})
    add(whole(from, {2, 3}, 2), ElementType::Float32);
  add(whole(ElementType::Int32, {2, 3}, 100), ElementType::Int64);
  add(whole(ElementType::Int64, {2, 3}, 100), ElementType::Int32);
}

void add_dropouts(Cases& cases) {
  cases.push_back({"dropout",
                   Operator::Dropout,
                   DropoutAttributes{.probability = 0.25F, .number = 3},
                   {smooth({4, 5}), step()}});
}

void add_class_losses(Cases& cases) {
  const CaseInput scores = smooth({3, 4, 2});
  const CaseInput labels = whole(ElementType::Int64, {3, 2}, 4);
  const CaseInput few_labels = whole(ElementType::Int32, {3}, 4);
  const CaseInput weights = constant(positive({4}));
  for (const Reduction reduction : {Reduction::None, Reduction::Sum, Reduction::Mean}) {
    const std::string name = ", " + std::string(name_of(kReductions, reduction));
    const LossAttributes plain{.reduction = reduction};
    const LossAttributes ignoring{.reduction = reduction, .ignored_label = 1};
    const LossAttributes smoothed{
        .reduction = reduction, .ignored_label = 1, .label_smoothing = 0.125F};
    cases.insert(cases.end(), {{"cross-entropy" + name,
                                Operator::SoftmaxCrossEntropy,
                                plain,
                                {smooth({3, 4}), few_labels}},
                               {"cross-entropy, weighted" + name,
                                Operator::SoftmaxCrossEntropy,
                                ignoring,
                                {scores, labels, weights}},
                               {"cross-entropy, smoothed" + name,
                                Operator::SoftmaxCrossEntropy,
                                smoothed,
                                {scores, labels, weights}},
                               {"likelihood" + name,
                                Operator::NegativeLogLikelihood,
                                plain,
                                {smooth({3, 4}), few_labels}},
                               {"likelihood, weighted" + name,
                                Operator::NegativeLogLikelihood,
                                ignoring,
                                {scores, labels, weights}}});
  }
}

void add_value_losses(Cases& cases) {
  for (const Reduction reduction : {Reduction::None, Reduction::Sum, Reduction::Mean}) {
    const std::string name = ", " + std::string(name_of(kReductions, reduction));
    const LossAttributes loss{.reduction = reduction};
    cases.insert(cases.end(), {{"squared error" + name,
                                Operator::MeanSquaredError,
                                loss,
                                {smooth({3, 4}), smooth({3, 4})}},
                               {"binary cross-entropy" + name,
                                Operator::BinaryCrossEntropy,
                                loss,
                                {smooth({3, 4}), constant(smooth({3, 4}))}}});
  }
}

void add_updates(Cases& cases) {
  const CaseInput values = constant(smooth({2, 3}));
  const CaseInput squares = constant(positive({2, 3}));
  const CaseInput number = constant(positive({}));
  const UpdateAttributes decaying{.weight_decay = 0.125F, .momentum = 0.5F, .nesterov = true};
  cases.insert(
      cases.end(),
      {{"sgd", Operator::Sgd, UpdateAttributes{}, {values, values, step()}},
       {"sgd, clipped", Operator::Sgd, decaying, {values, values, step(), number}},
       {"momentum", Operator::Momentum, decaying, {values, values, values, step()}},
       {"momentum, clipped",
        Operator::Momentum,
        decaying,
        {values, values, values, step(), number}},
       {"adam", Operator::Adam, UpdateAttributes{}, {values, values, values, squares, step()}},
       {"adam, clipped",
        Operator::Adam,
        decaying,
        {values, values, values, squares, step(), number}},
       {"adamw", Operator::AdamW, decaying, {values, values, values, squares, step()}},
       {"adamw, clipped",
        Operator::AdamW,
        decaying,
        {values, values, values, squares, step(), number}},
       {"sum of squares", Operator::SumOfSquares, {}, {values}},
       {"sum of partials", Operator::SumOfPartials, {}, {number, number, number}},
       {"clip scale",
        Operator::ClipScale,
        UpdateAttributes{.largest_norm = 0.5F},
        {number, number}},
       {"accumulate", Operator::Accumulate, {}, {values, values}}});
}

Cases all_cases() {
  Cases cases;
  for (void (*const add)(Cases&) :
       {add_unary, add_broadcast, add_comparisons, add_products, add_convolutions, add_pools,
        add_norms, add_reductions, add_moves, add_casts, add_dropouts, add_class_losses,
        add_value_losses, add_updates})
    add(cases);
  return cases;
}

}  // namespace

const std::vector<OperatorCase>& operator_cases() {
  static const Cases cases = all_cases();
  return cases;
}

}  // namespace poet::testing
