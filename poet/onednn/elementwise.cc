#include "poet/onednn/sequence_table.h"

// Functions of every value that cost more than bringing the values: those that only compare or
// multiply stay with the reference kernels, which are as fast as memory.

namespace poet {
namespace {

using dnnl::memory;

memory::desc desc_of(const PreparedCall& call) {
  return {{call.shape[0]}, memory::data_type::f32, memory::format_tag::a};
}

dnnl::eltwise_forward::primitive_desc forward_of(dnnl::algorithm algorithm, const memory::desc& x,
                                                 const CallSequence& sequence) {
  // Alpha is the factor of swish; the others have none.
  return {{dnnl::prop_kind::forward_training, algorithm, x, 1, 0},
          CallSequence::attributes(),
          sequence.engine()};
}

template <dnnl::algorithm algorithm>
bool build_forward(const PreparedCall& call, CallSequence& sequence) {
  const memory::desc x = desc_of(call);
  const auto primitive = forward_of(algorithm, x, sequence);
  sequence.call(dnnl::eltwise_forward(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_SRC, sequence.input(0, x)}, {DNNL_ARG_DST, sequence.output(0, x)}});
  return true;
}

// Of x and dy, or of y and dy, as `read` says.
template <dnnl::algorithm algorithm, int read>
bool build_gradient(const PreparedCall& call, CallSequence& sequence) {
  const memory::desc x = desc_of(call);
  const dnnl::eltwise_backward::primitive_desc primitive(
      {algorithm, x, x, 1, 0}, CallSequence::attributes(), sequence.engine(),
      forward_of(algorithm, x, sequence));
  sequence.call(dnnl::eltwise_backward(primitive), primitive.scratchpad_desc(),
                {{read, sequence.input(0, x)},
                 {DNNL_ARG_DIFF_DST, sequence.input(1, x)},
                 {DNNL_ARG_DIFF_SRC, sequence.output(0, x)}});
  return true;
}

using enum dnnl::algorithm;

}  // namespace

std::vector<SequenceRow> elementwise_sequences() {
  return {
      {"poet_gelu_erf_forward_f32", build_forward<eltwise_gelu_erf>},
      {"poet_gelu_erf_gradient_f32", build_gradient<eltwise_gelu_erf, DNNL_ARG_SRC>},
      {"poet_gelu_tanh_forward_f32", build_forward<eltwise_gelu_tanh>},
      {"poet_gelu_tanh_gradient_f32", build_gradient<eltwise_gelu_tanh, DNNL_ARG_SRC>},
      {"poet_tanh_forward_f32", build_forward<eltwise_tanh>},
      {"poet_tanh_gradient_f32", build_gradient<eltwise_tanh_use_dst_for_bwd, DNNL_ARG_DST>},
      {"poet_sigmoid_forward_f32", build_forward<eltwise_logistic>},
      {"poet_sigmoid_gradient_f32", build_gradient<eltwise_logistic_use_dst_for_bwd, DNNL_ARG_DST>},
      {"poet_silu_forward_f32", build_forward<eltwise_swish>},
      {"poet_silu_gradient_f32", build_gradient<eltwise_swish, DNNL_ARG_SRC>},
  };
}

}  // namespace poet
