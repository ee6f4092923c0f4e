#include <fmt/format.h>

#include <algorithm>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/graph/operators/axes.h"
#include "poet/graph/operators/families.h"
#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/shape_rules.h"
#include "poet/graph/operators/strided_walk.h"
#include "poet/runtime/matmul.h"

// Matrix products. What a product's gradients need are products again.

namespace poet {
namespace {

const MatMulAttributes& attributes_of(const OperationTypes& types) {
  return std::get<MatMulAttributes>(types.attributes);
}

// The dimensions before the last two.
Shape batch_of(const Shape& shape) {
  return Shape(shape.begin(), shape.end() - 2);
}

// A matrix in the last two dimensions, as the product sees it.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

Matrix matrix_of(const Shape& shape, bool transposed) {
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  return transposed ? Matrix{columns, rows} : Matrix{rows, columns};
}

// A value of `small` for each of `large`, or for several.
bool broadcasts_to(const Shape& small, const Shape& large) {
  if (small.size() > large.size()) return false;
  const Result<Shape> both = broadcast_shape(small, large);
  return both.ok() && *both == large;
}

Failure check_bias(const OperationTypes& types, const Shape& y) {
  if (types.inputs.size() < 3) return std::nullopt;
  const Shape matrix(y.end() - 2, y.end());
  if (broadcasts_to(types.inputs[2].shape, matrix)) return std::nullopt;
  return bad_input(fmt::format("the bias {} does not broadcast to the matrix {}",
                               to_text(types.inputs[2].shape), to_text(matrix)));
}

Failure check_operands(const OperationTypes& types) {
  if (!std::holds_alternative<MatMulAttributes>(types.attributes))
    return wrong_attributes("matrix product");
  if (Failure failure = demand_float32(types)) return failure;
  for (std::size_t i = 0; i < 2; ++i)
    if (rank_of(types.inputs[i]) < 2 || rank_of(types.inputs[i]) > kMaxRank)
      return bad_input(fmt::format("takes matrices of 2 to {} dimensions, not {}", kMaxRank,
                                   to_text(types.inputs[i].shape)));
  return std::nullopt;
}

// What y's dimensions before the last two are.
Result<Shape> batch_of_output(const MatMulAttributes& attributes, const Shape& batch) {
  if (!attributes.sum_to) return batch;
  if (broadcasts_to(*attributes.sum_to, batch)) return *attributes.sum_to;
  return bad_input(fmt::format("the dimensions {} cannot be summed to {}", to_text(batch),
                               to_text(*attributes.sum_to)));
}

Result<std::vector<TensorType>> output_types(const OperationTypes& types) {
  if (Failure failure = check_operands(types)) return *failure;
  const MatMulAttributes& attributes = attributes_of(types);
  const Shape& shape_a = types.inputs[0].shape;
  const Shape& shape_b = types.inputs[1].shape;
  const Matrix a = matrix_of(shape_a, attributes.transpose_a);
  const Matrix b = matrix_of(shape_b, attributes.transpose_b);
  if (a.columns != b.rows)
    return bad_input(fmt::format("the matrices {} and {} do not fit: {} for {}", to_text(shape_a),
                                 to_text(shape_b), counted(a.columns, "column"),
                                 counted(b.rows, "row")));
  const Result<Shape> batch = broadcast_shape(batch_of(shape_a), batch_of(shape_b));
  if (!batch.ok())
    return bad_input(fmt::format("before their last two dimensions, {}", batch.error().message));
  Result<Shape> y = batch_of_output(attributes, *batch);
  if (!y.ok()) return y.error();
  y->insert(y->end(), {a.rows, b.columns});
  if (Failure failure = check_bias(types, *y)) return *failure;
  Shape factors = *batch;
  factors.insert(factors.end(), {a.rows, b.columns, a.columns});
  if (Failure failure = demand_countable_work(factors)) return *failure;
  return std::vector<TensorType>{{ElementType::Float32, *y}};
}

// The broadcast dimensions of a and b, before anything is summed.
Shape batch_of_product(const OperationTypes& types) {
  return *broadcast_shape(batch_of(types.inputs[0].shape), batch_of(types.inputs[1].shape));
}

// A multiply-add for each product; for each value of y, one multiplication by an alpha that is not
// 1, and an addition of the bias, with one multiplication where beta is not 1.
std::int64_t flop(const OperationTypes& types) {
  const MatMulAttributes& attributes = attributes_of(types);
  const Matrix a = matrix_of(types.inputs[0].shape, attributes.transpose_a);
  const Matrix b = matrix_of(types.inputs[1].shape, attributes.transpose_b);
  const std::int64_t products =
      value_count(batch_of_product(types)) * a.rows * b.columns * a.columns;
  std::int64_t after = attributes.alpha == 1 ? 0 : 1;
  if (types.inputs.size() == 3) after += attributes.beta == 1 ? 1 : 2;
  return 2 * products + after * value_count(types.outputs[0].shape);
}

struct GradientFactor {
  GradientOperand operand;
  bool transposed = false;
};

// The gradient by input `input`, the product of two factors.
GradientPart product_part(const OperationTypes& types, int input, const GradientFactor& left,
                          const GradientFactor& right) {
  MatMulAttributes attributes{.transpose_a = left.transposed,
                              .transpose_b = right.transposed,
                              .alpha = attributes_of(types).alpha};
  const Shape batch = batch_of(types.inputs[static_cast<std::size_t>(input)].shape);
  if (batch != batch_of_product(types)) attributes.sum_to = batch;
  return {.kind = Operator::MatMul,
          .attributes = attributes,
          .operands = {left.operand, right.operand},
          .of_inputs = {input}};
}

// dA = alpha dY B' and dB = alpha A' dY, for A and B as the product sees them; their transposes
// where they are given so.
std::vector<GradientPart> gradient(const OperationTypes& types) {
  const MatMulAttributes& attributes = attributes_of(types);
  // A product with sum_to is a gradient itself.
  POET_CHECK(!attributes.sum_to);
  const bool a_turned = attributes.transpose_a;
  const bool b_turned = attributes.transpose_b;
  const GradientFactor a{ForwardInput{0}, !a_turned};
  const GradientFactor b{ForwardInput{1}, !b_turned};
  const GradientFactor dy{OutputGradient{0}, false};
  const GradientFactor dy_turned{OutputGradient{0}, true};
  std::vector<GradientPart> parts;
  parts.push_back(a_turned ? product_part(types, 0, {ForwardInput{1}, b_turned}, dy_turned)
                           : product_part(types, 0, dy, b));
  parts.push_back(b_turned ? product_part(types, 1, dy_turned, {ForwardInput{0}, a_turned})
                           : product_part(types, 1, a, dy));
  if (types.inputs.size() == 3)
    parts.push_back({.kind = Operator::BroadcastSum,
                     .attributes = ScalarAttributes{.alpha = attributes.beta},
                     .operands = {OutputGradient{0}},
                     .of_inputs = {2}});
  return parts;
}

// The product as loops: over the matrices of y, over what is summed into each of them, and over
// rows, columns and inner dimension. Strides are in elements.
struct Loops {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  StridedWalk batch = {};   // by a, b and y
  StridedWalk summed = {};  // by a and b
  std::int64_t a_row_stride = 0;
  std::int64_t a_inner_stride = 0;
  std::int64_t b_inner_stride = 0;
  std::int64_t b_column_stride = 0;
  std::int64_t bias_row_stride = 0;
  std::int64_t bias_column_stride = 0;
};

std::int64_t matrix_values(const Shape& shape) {
  return shape[shape.size() - 2] * shape.back();
}

// Where the matrices of `shape` begin, along the broadcast dimensions.
std::vector<std::int64_t> matrix_strides(const Shape& shape, const Shape& batch) {
  std::vector<std::int64_t> strides = broadcast_strides(batch_of(shape), batch);
  for (std::int64_t& stride : strides) stride *= matrix_values(shape);
  return strides;
}

// Tells the dimensions that y has from those that are summed.
void add_batch(Loops& loops, const OperationTypes& types) {
  const Shape batch = batch_of_product(types);
  const std::vector<std::int64_t> a = matrix_strides(types.inputs[0].shape, batch);
  const std::vector<std::int64_t> b = matrix_strides(types.inputs[1].shape, batch);
  const std::vector<std::int64_t> y = matrix_strides(types.outputs[0].shape, batch);
  StridedWalk kept{.strides = std::vector<std::vector<std::int64_t>>(3)};
  StridedWalk summed{.strides = std::vector<std::vector<std::int64_t>>(2)};
  for (std::size_t d = 0; d < batch.size(); ++d) {
    StridedWalk& walk = y[d] == 0 && batch[d] > 1 ? summed : kept;
    walk.extents.push_back(batch[d]);
    walk.strides[0].push_back(a[d]);
    walk.strides[1].push_back(b[d]);
    if (&walk == &kept) walk.strides[2].push_back(y[d]);
  }
  loops.batch = merged(kept);
  loops.summed = merged(summed);
}

void drop_last(StridedWalk& walk) {
  walk.extents.pop_back();
  for (std::vector<std::int64_t>& strides : walk.strides) strides.pop_back();
}

// Matrices of a that follow each other and meet the same b are one matrix with more rows: (batch,
// words, features) times (features, outputs) becomes one large product. No sum changes. y is dense,
// so its matrices always follow each other.
void join_rows(Loops& loops) {
  if (loops.batch.extents.empty() || loops.bias_row_stride != 0) return;
  const std::vector<std::vector<std::int64_t>>& strides = loops.batch.strides;
  if (strides[0].back() != loops.rows * loops.a_row_stride || strides[1].back() != 0) return;
  loops.rows *= loops.batch.extents.back();
  drop_last(loops.batch);
}

// What is summed outside the inner dimension and goes on where that ends is a part of it. The order
// of the sum stays.
void join_inner(Loops& loops) {
  if (loops.summed.extents.empty()) return;
  if (loops.summed.strides[0].back() != loops.inner * loops.a_inner_stride ||
      loops.summed.strides[1].back() != loops.inner * loops.b_inner_stride)
    return;
  loops.inner *= loops.summed.extents.back();
  drop_last(loops.summed);
}

Loops loops_of(const OperationTypes& types) {
  const MatMulAttributes& attributes = attributes_of(types);
  const Matrix a = matrix_of(types.inputs[0].shape, attributes.transpose_a);
  const Matrix b = matrix_of(types.inputs[1].shape, attributes.transpose_b);
  Loops loops{.rows = a.rows,
              .columns = b.columns,
              .inner = a.columns,
              .a_row_stride = attributes.transpose_a ? 1 : a.columns,
              .a_inner_stride = attributes.transpose_a ? a.rows : 1,
              .b_inner_stride = attributes.transpose_b ? 1 : b.columns,
              .b_column_stride = attributes.transpose_b ? b.rows : 1};
  if (types.inputs.size() == 3) {
    const std::vector<std::int64_t> bias =
        broadcast_strides(types.inputs[2].shape, {a.rows, b.columns});
    loops.bias_row_stride = bias[0];
    loops.bias_column_stride = bias[1];
  }
  add_batch(loops, types);
  join_rows(loops);
  join_inner(loops);
  return loops;
}

// POET_MATMUL_DIMS of poet/runtime/matmul.h.
constexpr std::size_t kKernelDimensions = 6;

void add_array(KernelWords& words, std::string_view field, const std::vector<std::int64_t>& values,
               std::int64_t rest) {
  POET_CHECK(values.size() <= kKernelDimensions);
  for (std::size_t d = 0; d < kKernelDimensions; ++d)
    words.integer(fmt::format("{}[{}]", field, d), d < values.size() ? values[d] : rest);
}

KernelCall kernel_call(const OperationTypes& types) {
  const MatMulAttributes& attributes = attributes_of(types);
  const Loops loops = loops_of(types);
  KernelWords words;
  words.integer("rows", loops.rows).integer("columns", loops.columns).integer("inner", loops.inner);
  words.integer("batch_rank", static_cast<std::int64_t>(loops.batch.extents.size()));
  add_array(words, "batch_extents", loops.batch.extents, 1);
  add_array(words, "a_batch_strides", loops.batch.strides[0], 0);
  add_array(words, "b_batch_strides", loops.batch.strides[1], 0);
  add_array(words, "y_batch_strides", loops.batch.strides[2], 0);
  words.integer("sum_rank", static_cast<std::int64_t>(loops.summed.extents.size()));
  add_array(words, "sum_extents", loops.summed.extents, 1);
  add_array(words, "a_sum_strides", loops.summed.strides[0], 0);
  add_array(words, "b_sum_strides", loops.summed.strides[1], 0);
  words.integer("a_row_stride", loops.a_row_stride)
      .integer("a_inner_stride", loops.a_inner_stride)
      .integer("b_inner_stride", loops.b_inner_stride)
      .integer("b_column_stride", loops.b_column_stride)
      .integer("bias_row_stride", loops.bias_row_stride)
      .integer("bias_column_stride", loops.bias_column_stride)
      .real("alpha", attributes.alpha)
      .real("beta", attributes.beta);
  const bool has_bias = types.inputs.size() == 3;
  return {.function = POET_KERNEL(poet_matmul_forward_f32),
          .shape = words.take(),
          .inputs = {0, 1, has_bias ? std::optional<int>{2} : std::nullopt},
          .outputs = {0}};
}

Division along_rows(const KernelCall& call) {
  return {.along = "rows",
          .input_steps_bytes = {kFloatBytes * whole_in(call, "a_row_stride"), 0,
                                kFloatBytes * whole_in(call, "bias_row_stride")},
          .output_steps_bytes = {kFloatBytes * whole_in(call, "columns")}};
}

// --- In parts: inputs a, b, the sum that is continued, and perhaps the bias

// The product that a part makes, without the sum that it continues.
OperationTypes product_of_part(const OperationTypes& types) {
  OperationTypes product = types;
  product.kind = Operator::MatMul;
  product.inputs.erase(product.inputs.begin() + 2);
  return product;
}

Result<std::vector<TensorType>> continued_types(const OperationTypes& types) {
  Result<std::vector<TensorType>> made = output_types(product_of_part(types));
  if (!made.ok()) return made;
  if (Failure failure = require_type(types.inputs[2], made->front(), "the sum")) return *failure;
  return made;
}

std::int64_t continued_flop(const OperationTypes& types) {
  return flop(product_of_part(types));
}

KernelCall continued_call(const OperationTypes& types) {
  KernelCall call = kernel_call(product_of_part(types));
  call.function = POET_KERNEL(poet_matmul_continued_f32);
  call.inputs = {0, 1, 2, types.inputs.size() == 4 ? std::optional<int>{3} : std::nullopt};
  return call;
}

Division along_rows_of_part(const KernelCall& call) {
  Division division = along_rows(call);
  division.input_steps_bytes.insert(division.input_steps_bytes.begin() + 2,
                                    division.output_steps_bytes[0]);
  return division;
}

}  // namespace

std::vector<OperatorEntry> matmul_operators() {
  return {{.id = Operator::MatMul,
           .name = "matmul",
           .least_inputs = 2,
           .most_inputs = 3,
           .roles = kBiasIsThird,
           .output_types = output_types,
           .flop = flop,
           .gradient = gradient,
           .kernel = kernel_call,
           .divides = along_rows,
           .parts = InParts{.axes = product_axes,
                            .continued = Operator::MatMulContinued,
                            .part = product_part},
           .domain = kAnyNumbers,
           .onnx = special_in_onnx("MatMul", 1),
           .drawn = DrawnAs::Layer},
          {.id = Operator::MatMulContinued,
           .name = "matmul_continued",
           .least_inputs = 3,
           .most_inputs = 4,
           .roles = kPlainInputs,
           .output_types = continued_types,
           .flop = continued_flop,
           .gradient = nullptr,
           .kernel = continued_call,
           .divides = along_rows_of_part,
           .parts = kDoneWhole,
           .domain = kAnyNumbers,
           .onnx = kNotInOnnx,
           .in_place = {{2, 0}}}};
}

}  // namespace poet
