#include "poet/onednn/chain_table.h"

// Functions of every value that cost more than bringing the values: those that only compare or
// multiply stay with the reference kernels, which are as fast as memory.

namespace poet {
namespace {

using dnnl::memory;

memory::desc desc_of(const PreparedCall& call) {
  return {{call.shape[0]}, memory::data_type::f32, memory::format_tag::a};
}

dnnl::eltwise_forward::primitive_desc forward_of(dnnl::algorithm algorithm, const memory::desc& x,
                                                 const CallChain& chain) {
  // Alpha is the factor of swish; the others have none.
  return {{dnnl::prop_kind::forward_training, algorithm, x, 1, 0},
          CallChain::attributes(),
          chain.engine()};
}

template <dnnl::algorithm algorithm>
bool build_forward(const PreparedCall& call, CallChain& chain) {
  const memory::desc x = desc_of(call);
  const auto primitive = forward_of(algorithm, x, chain);
  chain.call(dnnl::eltwise_forward(primitive), primitive.scratchpad_desc(),
             {{DNNL_ARG_SRC, chain.input(0, x)}, {DNNL_ARG_DST, chain.output(0, x)}});
  return true;
}

// Of x and dy, or of y and dy, as `read` says.
template <dnnl::algorithm algorithm, int read>
bool build_gradient(const PreparedCall& call, CallChain& chain) {
  const memory::desc x = desc_of(call);
  const dnnl::eltwise_backward::primitive_desc primitive({algorithm, x, x, 1, 0},
                                                         CallChain::attributes(), chain.engine(),
                                                         forward_of(algorithm, x, chain));
  chain.call(dnnl::eltwise_backward(primitive), primitive.scratchpad_desc(),
             {{read, chain.input(0, x)},
              {DNNL_ARG_DIFF_DST, chain.input(1, x)},
              {DNNL_ARG_DIFF_SRC, chain.output(0, x)}});
  return true;
}

using enum dnnl::algorithm;

}  // namespace

std::vector<ChainRow> elementwise_chains() {
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
