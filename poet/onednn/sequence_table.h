#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "poet/kernels/kernel_call.h"
#include "poet/onednn/call_sequence.h"

namespace poet {

// What oneDNN does in place of a C function of poet/runtime, for the shape of a call.
struct SequenceRow {
  std::string_view function = {};
  // Adds to an empty sequence what executes the call, with the kernel's inputs and outputs. False
  // when oneDNN has nothing for that shape, or nothing better than the function itself. May throw
  // dnnl::error, which means the same when its status is "unimplemented" or
  // "invalid arguments".
  bool (*build)(const PreparedCall& call, CallSequence& sequence) = nullptr;
};

// One family each, in the file of that name.
std::vector<SequenceRow> convolution_sequences();
std::vector<SequenceRow> matrix_product_sequences();
std::vector<SequenceRow> layer_norm_sequences();
std::vector<SequenceRow> softmax_sequences();
std::vector<SequenceRow> elementwise_sequences();

// None where the reference kernel must do it.
std::optional<CallSequence> onednn_sequence(const PreparedCall& call, const OnednnDevice& device);

}  // namespace poet
