#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "poet/kernels/shape_words.h"
#include "poet/onednn/sequence_table.h"
#include "poet/runtime/matmul.h"

// Matrix products: of layers, of attention (many small ones at once), and of their gradients. The
// operands are read where they lie, turned or not, by strides; where they are rounded first, in a
// copy that oneDNN chooses the format of.

namespace poet {
namespace {

using dnnl::memory;
using Dims = memory::dims;

// The batch dimensions before rows and columns; where an operand is repeated it has extent 1.
struct Operand {
  Dims dims = {};
  Dims strides = {};

  memory::desc desc() const { return {dims, memory::data_type::f32, strides}; }
};

Operand operand(const poet_matmul_shape& shape, const std::int32_t* batch_strides,
                const Dims& matrix, const Dims& matrix_strides) {
  Operand result;
  for (std::int32_t d = 0; d < shape.batch_rank; ++d) {
    const bool is_repeated = batch_strides[d] == 0;
    result.dims.push_back(is_repeated ? 1 : shape.batch_extents[d]);
    // Of an extent of 1 the stride is not used, but must be a dense array's or larger.
    result.strides.push_back(is_repeated ? matrix[0] * matrix[1] : batch_strides[d]);
  }
  result.dims.insert(result.dims.end(), matrix.begin(), matrix.end());
  result.strides.insert(result.strides.end(), matrix_strides.begin(), matrix_strides.end());
  return result;
}

// What oneDNN's product has no words for: sums over more than one dimension, products with
// nothing to sum, factors of a bias.
bool is_plain_product(const poet_matmul_shape& shape, bool has_bias) {
  return shape.sum_rank == 0 && shape.inner > 0 &&
         (!has_bias || (shape.alpha == 1 && shape.beta == 1));
}

// As the product reads it.
memory::desc factor(const Operand& operand, const CallSequence& sequence) {
  if (sequence.factors() == memory::data_type::f32) return operand.desc();
  return {operand.dims, sequence.factors(), memory::format_tag::any};
}

Operand bias_of(const poet_matmul_shape& shape) {
  Operand bias;
  for (std::int32_t d = 0; d < shape.batch_rank; ++d) bias.dims.push_back(1);
  bias.dims.push_back(shape.bias_row_stride == 0 ? 1 : shape.rows);
  bias.dims.push_back(shape.bias_column_stride == 0 ? 1 : shape.columns);
  bias.strides.assign(bias.dims.size(), bias.dims.back());
  bias.strides.back() = 1;
  return bias;
}

bool is_dense(const Operand& operand) {
  memory::dim next = 1;
  for (std::size_t d = operand.dims.size(); d-- > 0; next *= operand.dims[d])
    if (operand.dims[d] != 1 && operand.strides[d] != next) return false;
  return true;
}

std::int64_t value_count(const Operand& operand) {
  return std::accumulate(operand.dims.begin(), operand.dims.end(), memory::dim{1},
                         std::multiplies<>());
}

// What earlier parts of the sum made, to where this one goes on with it: often that is there.
void bring_sum(const SequenceLoop& loop, std::span<float* const> values) {
  if (values[0] == values[1]) return;
  std::copy_n(values[0], loop.count, values[1]);
}

// Where the kernel is passed what, beside the factors.
struct Places {
  std::optional<std::size_t> sum = {};
  std::size_t bias = 2;
};

bool build_product(const PreparedCall& call, const Places& places, CallSequence& sequence) {
  const auto shape = shape_of<poet_matmul_shape>(call.shape);
  const bool has_bias = call.inputs[places.bias].has_value();
  if (!is_plain_product(shape, has_bias)) return false;
  const Operand a = operand(shape, shape.a_batch_strides, {shape.rows, shape.inner},
                            {shape.a_row_stride, shape.a_inner_stride});
  const Operand b = operand(shape, shape.b_batch_strides, {shape.inner, shape.columns},
                            {shape.b_inner_stride, shape.b_column_stride});
  const Operand y =
      operand(shape, shape.y_batch_strides, {shape.rows, shape.columns}, {shape.columns, 1});
  if (places.sum && !is_dense(y)) return false;
  dnnl::primitive_attr attributes = CallSequence::attributes();
  if (places.sum) {
    dnnl::post_ops after;
    after.append_sum(shape.alpha);
    attributes.set_post_ops(after);
  }
  if (shape.alpha != 1) attributes.set_output_scales(0, {shape.alpha});
  using Desc = dnnl::matmul::desc;
  const memory::desc left = factor(a, sequence);
  const memory::desc right = factor(b, sequence);
  const Desc desc =
      has_bias ? Desc(left, right, bias_of(shape).desc(), y.desc()) : Desc(left, right, y.desc());
  const dnnl::matmul::primitive_desc primitive(desc, attributes, sequence.engine());
  const SequenceValue made = sequence.output(0, y.desc());
  if (places.sum)
    sequence.call({.function = bring_sum, .count = value_count(y)},
                  {sequence.input(*places.sum, y.desc()), made});
  CallSequence::Arguments arguments{
      {DNNL_ARG_SRC, sequence.as(sequence.input(0, a.desc()), primitive.src_desc())},
      {DNNL_ARG_WEIGHTS, sequence.as(sequence.input(1, b.desc()), primitive.weights_desc())},
      {DNNL_ARG_DST, made}};
  if (has_bias)
    arguments.push_back({DNNL_ARG_BIAS, sequence.input(places.bias, bias_of(shape).desc())});
  sequence.call(dnnl::matmul(primitive), primitive.scratchpad_desc(), arguments);
  return true;
}

bool build(const PreparedCall& call, CallSequence& sequence) {
  return build_product(call, {}, sequence);
}

// y = alpha * (sum + a b) + bias: oneDNN adds what lies in y already, times alpha.
bool build_continued(const PreparedCall& call, CallSequence& sequence) {
  return build_product(call, {.sum = 2, .bias = 3}, sequence);
}

}  // namespace

std::vector<SequenceRow> matrix_product_sequences() {
  return {{"poet_matmul_forward_f32", build}, {"poet_matmul_continued_f32", build_continued}};
}

}  // namespace poet
