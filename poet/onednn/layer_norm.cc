#include "poet/runtime/layer_norm.h"

#include <cmath>

#include "poet/kernels/shape_words.h"
#include "poet/onednn/sequence_table.h"

// oneDNN gives the variance where our tensors hold 1 / sqrt(variance + epsilon); a loop over the
// rows turns one into the other. For the gradient the variance is 1 / inverse_std^2, and oneDNN's
// epsilon 0: nothing is taken away that must be added again. Norms without scale and bias are left
// to the reference kernel.
//
// Batch norms are not here: on plain pictures oneDNN takes twice as long as the reference kernel
// (32 x 64 x 32 x 32, one thread of an EPYC: 4.5 ms against 2.1 ms).

namespace poet {
namespace {

using dnnl::memory;

void to_inverse_std(const SequenceLoop& loop, std::span<float* const> values) {
  for (std::int64_t k = 0; k < loop.count; ++k)
    values[1][k] = 1 / std::sqrt(values[0][k] + loop.parameter);
}

void to_variance(const SequenceLoop& loop, std::span<float* const> values) {
  for (std::int64_t k = 0; k < loop.count; ++k) values[1][k] = 1 / (values[0][k] * values[0][k]);
}

dnnl::normalization_flags scale_and_shift() {
  return dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
}

// x, y and their gradients (rows, features); statistics (rows); scale and bias (features).
struct Arrays {
  memory::desc x = {};
  memory::desc statistic = {};
  memory::desc scale = {};
};

Arrays arrays_of(const poet_layer_norm_shape& shape) {
  const auto f32 = memory::data_type::f32;
  return {.x = {{shape.rows, shape.features}, f32, memory::format_tag::ab},
          .statistic = {{shape.rows}, f32, memory::format_tag::a},
          .scale = {{shape.features}, f32, memory::format_tag::a}};
}

dnnl::layer_normalization_forward::primitive_desc forward_of(const Arrays& arrays, float epsilon,
                                                             const CallSequence& sequence) {
  return {
      {dnnl::prop_kind::forward_training, arrays.x, arrays.statistic, epsilon, scale_and_shift()},
      CallSequence::attributes(),
      sequence.engine()};
}

// x, scale, bias to y, mean, inverse_std.
bool build_forward(const PreparedCall& call, CallSequence& sequence) {
  if (!call.inputs[1]) return false;
  const auto shape = shape_of<poet_layer_norm_shape>(call.shape);
  const Arrays arrays = arrays_of(shape);
  const auto primitive = forward_of(arrays, shape.epsilon, sequence);
  const SequenceValue variance = sequence.scratch(arrays.statistic);
  sequence.call(dnnl::layer_normalization_forward(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_SRC, sequence.input(0, arrays.x)},
                 {DNNL_ARG_SCALE, sequence.input(1, arrays.scale)},
                 {DNNL_ARG_SHIFT, sequence.input(2, arrays.scale)},
                 {DNNL_ARG_DST, sequence.output(0, arrays.x)},
                 {DNNL_ARG_MEAN, sequence.output(1, arrays.statistic)},
                 {DNNL_ARG_VARIANCE, variance}});
  sequence.call(SequenceLoop{to_inverse_std, shape.rows, shape.epsilon},
                {variance, sequence.output(2, arrays.statistic)});
  return true;
}

// x, scale, mean, inverse_std, dy to dx, dscale, dbias. oneDNN asks for a bias, which it does not
// use: it is given the scale.
bool build_gradient(const PreparedCall& call, CallSequence& sequence) {
  if (!call.inputs[1]) return false;
  const auto shape = shape_of<poet_layer_norm_shape>(call.shape);
  const Arrays arrays = arrays_of(shape);
  const dnnl::layer_normalization_backward::primitive_desc primitive(
      {dnnl::prop_kind::backward, arrays.x, arrays.x, arrays.statistic, 0, scale_and_shift()},
      CallSequence::attributes(), sequence.engine(), forward_of(arrays, 0, sequence));
  const SequenceValue variance = sequence.scratch(arrays.statistic);
  sequence.call(SequenceLoop{to_variance, shape.rows, 0},
                {sequence.input(3, arrays.statistic), variance});
  sequence.call(dnnl::layer_normalization_backward(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_SRC, sequence.input(0, arrays.x)},
                 {DNNL_ARG_SCALE, sequence.input(1, arrays.scale)},
                 {DNNL_ARG_SHIFT, sequence.input(1, arrays.scale)},
                 {DNNL_ARG_MEAN, sequence.input(2, arrays.statistic)},
                 {DNNL_ARG_VARIANCE, variance},
                 {DNNL_ARG_DIFF_DST, sequence.input(4, arrays.x)},
                 {DNNL_ARG_DIFF_SRC, sequence.output(0, arrays.x)},
                 {DNNL_ARG_DIFF_SCALE, sequence.output(1, arrays.scale)},
                 {DNNL_ARG_DIFF_SHIFT, sequence.output(2, arrays.scale)}});
  return true;
}

}  // namespace

std::vector<SequenceRow> layer_norm_sequences() {
  return {{"poet_layer_norm_forward_f32", build_forward},
          {"poet_layer_norm_gradient_f32", build_gradient}};
}

}  // namespace poet
