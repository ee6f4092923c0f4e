#include <algorithm>

#include "poet/kernels/shape_words.h"
#include "poet/onednn/sequence_table.h"
#include "poet/runtime/conv.h"

// Convolutions and their gradients. oneDNN's fast ones want channels in blocks of 16: pictures and
// weights are brought into that format in the workspace, and results out of it. That costs a
// fraction of the convolution, and everything else keeps plain tensors
// (docs/decisions/0019-onednn-and-threads.md).

namespace poet {
namespace {

using dnnl::memory;
using Dims = memory::dims;

// A convolution in oneDNN's terms, over as many spatial dimensions as there are.
struct Convolution {
  Dims x = {};
  Dims weights = {};
  Dims y = {};
  Dims strides = {};
  Dims dilation = {};  // from 0
  Dims padding_begin = {};
  Dims padding_end = {};
  bool grouped = false;
};

// Dimensions of extent 1 stand first; two at least are kept.
std::size_t first_dimension(const poet_conv_shape& shape) {
  const bool is_flat = shape.input[0] == 1 && shape.output[0] == 1 && shape.kernel[0] == 1 &&
                       shape.stride[0] == 1 && shape.padding[0] == 0;
  return is_flat ? 1 : 0;
}

// Zeros behind the picture, so that the last window ends with them.
std::int64_t padding_behind(const poet_conv_shape& shape, std::size_t d) {
  const std::int64_t reach = std::int64_t{shape.kernel[d] - 1} * shape.dilation[d] + 1;
  return std::int64_t{shape.output[d] - 1} * shape.stride[d] + reach - shape.input[d] -
         shape.padding[d];
}

Convolution convolution_of(const poet_conv_shape& shape) {
  Convolution conv{.x = {shape.batch, shape.in_channels},
                   .weights = {shape.out_channels / shape.groups, shape.in_channels / shape.groups},
                   .y = {shape.batch, shape.out_channels},
                   .grouped = shape.groups > 1};
  if (conv.grouped) conv.weights.insert(conv.weights.begin(), shape.groups);
  for (std::size_t d = first_dimension(shape); d < 3; ++d) {
    conv.x.push_back(shape.input[d]);
    conv.weights.push_back(shape.kernel[d]);
    conv.y.push_back(shape.output[d]);
    conv.strides.push_back(shape.stride[d]);
    conv.dilation.push_back(shape.dilation[d] - 1);
    conv.padding_begin.push_back(shape.padding[d]);
    conv.padding_end.push_back(padding_behind(shape, d));
  }
  return conv;
}

// What crops is left to the reference kernel.
bool can_pad(const Convolution& conv) {
  const auto is_padding = [](std::int64_t zeros) { return zeros >= 0; };
  return std::all_of(conv.padding_begin.begin(), conv.padding_begin.end(), is_padding) &&
         std::all_of(conv.padding_end.begin(), conv.padding_end.end(), is_padding);
}

memory::desc plain(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t d = dims.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * dims[d + 1];
  return {dims, memory::data_type::f32, strides};
}

memory::desc any(const Dims& dims, memory::data_type type = memory::data_type::f32) {
  return {dims, type, memory::format_tag::any};
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;
// Winograd's where oneDNN thinks that it is faster: half of the time for some layers.
constexpr auto kAny = dnnl::algorithm::convolution_auto;

// Winograd's algorithm wants scratchpads of several times the pictures. It is taken where they are
// no larger than the copies that are made anyway: plans for little RAM matter more than a few
// hundredths of the time.
bool is_small(const memory::desc& scratchpad, const Convolution& conv) {
  return scratchpad.get_size() <= plain(conv.x).get_size() + plain(conv.y).get_size();
}

dnnl::convolution_forward::primitive_desc forward_of(const Convolution& conv, bool has_bias,
                                                     dnnl::algorithm algorithm,
                                                     const CallSequence& sequence) {
  const auto kind = dnnl::prop_kind::forward_training;
  const memory::desc x = any(conv.x, sequence.factors());
  const memory::desc weights = any(conv.weights, sequence.factors());
  const memory::desc bias = plain({conv.y[1]});
  using Desc = dnnl::convolution_forward::desc;
  const Desc desc = has_bias ? Desc(kind, algorithm, x, weights, bias, any(conv.y), conv.strides,
                                    conv.dilation, conv.padding_begin, conv.padding_end)
                             : Desc(kind, algorithm, x, weights, any(conv.y), conv.strides,
                                    conv.dilation, conv.padding_begin, conv.padding_end);
  return {desc, CallSequence::attributes(), sequence.engine()};
}

bool build_forward(const PreparedCall& call, CallSequence& sequence) {
  const Convolution conv = convolution_of(shape_of<poet_conv_shape>(call.shape));
  if (!can_pad(conv)) return false;
  const bool has_bias = call.inputs[2].has_value();
  auto primitive = forward_of(conv, has_bias, kAny, sequence);
  if (!is_small(primitive.scratchpad_desc(), conv))
    primitive = forward_of(conv, has_bias, kDirect, sequence);
  const SequenceValue x = sequence.as(sequence.input(0, plain(conv.x)), primitive.src_desc());
  const SequenceValue w =
      sequence.as(sequence.input(1, plain(conv.weights)), primitive.weights_desc());
  const SequenceValue y = sequence.output(0, plain(conv.y));
  const SequenceValue made = sequence.instead_of(y, primitive.dst_desc());
  CallSequence::Arguments arguments{{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, made}};
  if (has_bias) arguments.push_back({DNNL_ARG_BIAS, sequence.input(2, plain({conv.y[1]}))});
  sequence.call(dnnl::convolution_forward(primitive), primitive.scratchpad_desc(), arguments);
  sequence.copy(made, y);
  return true;
}

dnnl::convolution_backward_data::primitive_desc input_gradient_of(const Convolution& conv,
                                                                  dnnl::algorithm algorithm,
                                                                  const CallSequence& sequence) {
  return {{algorithm, any(conv.x), any(conv.weights, sequence.factors()),
           any(conv.y, sequence.factors()), conv.strides, conv.dilation, conv.padding_begin,
           conv.padding_end},
          CallSequence::attributes(),
          sequence.engine(),
          forward_of(conv, false, algorithm, sequence)};
}

// The bias of a transposed convolution is left to the reference kernel.
bool build_input_gradient(const PreparedCall& call, CallSequence& sequence) {
  const Convolution conv = convolution_of(shape_of<poet_conv_shape>(call.shape));
  if (!can_pad(conv) || call.inputs[2].has_value()) return false;
  auto primitive = input_gradient_of(conv, kAny, sequence);
  if (!is_small(primitive.scratchpad_desc(), conv))
    primitive = input_gradient_of(conv, kDirect, sequence);
  const SequenceValue dy = sequence.as(sequence.input(0, plain(conv.y)), primitive.diff_dst_desc());
  const SequenceValue w =
      sequence.as(sequence.input(1, plain(conv.weights)), primitive.weights_desc());
  const SequenceValue dx = sequence.output(0, plain(conv.x));
  const SequenceValue made = sequence.instead_of(dx, primitive.diff_src_desc());
  sequence.call(dnnl::convolution_backward_data(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DIFF_SRC, made}});
  sequence.copy(made, dx);
  return true;
}

// Never by Winograd's algorithm: oneDNN 2.6.3 then writes where it must not, for 256 channels of
// 8 x 8.
bool build_weight_gradient(const PreparedCall& call, CallSequence& sequence) {
  const Convolution conv = convolution_of(shape_of<poet_conv_shape>(call.shape));
  if (!can_pad(conv)) return false;
  const dnnl::convolution_backward_weights::primitive_desc primitive(
      {kDirect, any(conv.x, sequence.factors()), any(conv.weights), any(conv.y, sequence.factors()),
       conv.strides, conv.dilation, conv.padding_begin, conv.padding_end},
      CallSequence::attributes(), sequence.engine(), forward_of(conv, false, kDirect, sequence));
  const SequenceValue x = sequence.as(sequence.input(0, plain(conv.x)), primitive.src_desc());
  const SequenceValue dy = sequence.as(sequence.input(1, plain(conv.y)), primitive.diff_dst_desc());
  const SequenceValue dw = sequence.output(0, plain(conv.weights));
  const SequenceValue made = sequence.instead_of(dw, primitive.diff_weights_desc());
  sequence.call(dnnl::convolution_backward_weights(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, made}});
  sequence.copy(made, dw);
  return true;
}

}  // namespace

std::vector<SequenceRow> convolution_sequences() {
  return {{"poet_conv_forward_f32", build_forward},
          {"poet_conv_input_gradient_f32", build_input_gradient},
          {"poet_conv_weight_gradient_f32", build_weight_gradient}};
}

}  // namespace poet
