#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "poet/kernels/kernel_call.h"
#include "poet/onednn/chain.h"

namespace poet {

// What oneDNN does in place of a C function of poet/runtime, for the shape of a call.
struct ChainRow {
  std::string_view function = {};
  // Adds to an empty chain what executes the call, with the kernel's inputs and outputs. False when
  // oneDNN has nothing for that shape, or nothing better than the function itself. May throw
  // dnnl::error, which means the same when its status is "unimplemented" or
  // "invalid arguments".
  bool (*build)(const PreparedCall& call, CallChain& chain) = nullptr;
};

// One family each, in the file of that name.
std::vector<ChainRow> convolution_chains();
std::vector<ChainRow> matrix_product_chains();
std::vector<ChainRow> layer_norm_chains();
std::vector<ChainRow> softmax_chains();
std::vector<ChainRow> elementwise_chains();

// None where the reference kernel must do it.
std::optional<CallChain> onednn_chain(const PreparedCall& call, const OnednnDevice& device);

}  // namespace poet
