#include "poet/runtime/softmax.h"
#include "poet/kernels/shape_words.h"
#include "poet/onednn/sequence_table.h"

namespace poet {
namespace {

using dnnl::memory;

memory::desc desc_of(const poet_softmax_shape& shape) {
  return {{shape.outer, shape.axis, shape.inner}, memory::data_type::f32, memory::format_tag::abc};
}

template <typename Forward>
bool build_forward(const PreparedCall& call, CallSequence& sequence) {
  const memory::desc x = desc_of(shape_of<poet_softmax_shape>(call.shape));
  const typename Forward::primitive_desc primitive({dnnl::prop_kind::forward_training, x, 1},
                                                   CallSequence::attributes(), sequence.engine());
  sequence.call(Forward(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_SRC, sequence.input(0, x)}, {DNNL_ARG_DST, sequence.output(0, x)}});
  return true;
}

template <typename Forward, typename Backward>
bool build_gradient(const PreparedCall& call, CallSequence& sequence) {
  const memory::desc y = desc_of(shape_of<poet_softmax_shape>(call.shape));
  const typename Forward::primitive_desc forward({dnnl::prop_kind::forward_training, y, 1},
                                                 CallSequence::attributes(), sequence.engine());
  const typename Backward::primitive_desc primitive({y, y, 1}, CallSequence::attributes(),
                                                    sequence.engine(), forward);
  sequence.call(Backward(primitive), primitive.scratchpad_desc(),
                {{DNNL_ARG_DST, sequence.input(0, y)},
                 {DNNL_ARG_DIFF_DST, sequence.input(1, y)},
                 {DNNL_ARG_DIFF_SRC, sequence.output(0, y)}});
  return true;
}

}  // namespace

std::vector<SequenceRow> softmax_sequences() {
  return {
      {"poet_softmax_forward_f32", build_forward<dnnl::softmax_forward>},
      {"poet_softmax_gradient_f32", build_gradient<dnnl::softmax_forward, dnnl::softmax_backward>},
      {"poet_log_softmax_forward_f32", build_forward<dnnl::logsoftmax_forward>},
      {"poet_log_softmax_gradient_f32",
       build_gradient<dnnl::logsoftmax_forward, dnnl::logsoftmax_backward>}};
}

}  // namespace poet
