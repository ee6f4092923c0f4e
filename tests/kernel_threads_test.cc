// The reference kernels on several threads: the same bits, whatever is divided how.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "poet/kernels/divided_call.h"
#include "poet/kernels/kernel_set.h"
#include "poet/measure/aligned_bytes.h"
#include "poet/measure/operation_inputs.h"
#include "support/operator_shapes.h"

namespace poet {
namespace {

using testing::as_text;
using testing::operation_shapes;

std::vector<std::vector<std::byte>> outputs_of(const OperationTypes& types,
                                               const KernelSet& kernels) {
  std::vector<AlignedBytes> arrays;
  std::vector<std::span<std::byte>> to_fill;
  std::vector<const void*> read;
  for (const TensorType& type : types.inputs) {
    arrays.emplace_back(static_cast<std::size_t>(size_bytes(type)));
    to_fill.push_back(arrays.back().span());
    read.push_back(arrays.back().data());
  }
  fill_inputs(types, to_fill);
  std::vector<std::vector<std::byte>> outputs;
  std::vector<void*> written;
  for (const TensorType& type : types.outputs)
    outputs.emplace_back(static_cast<std::size_t>(size_bytes(type)), std::byte{0xA5});
  for (std::vector<std::byte>& output : outputs) written.push_back(output.data());
  const std::unique_ptr<ReadyOperation> operation = kernels.ready(types);
  AlignedBytes workspace(static_cast<std::size_t>(operation->workspace_bytes()));
  operation->run(read, written, workspace.data());
  return outputs;
}

class ReferenceOnThreads : public ::testing::TestWithParam<int> {};

TEST_P(ReferenceOnThreads, GivesTheBitsOfOneThread) {
  const std::unique_ptr<KernelSet> several = reference_kernels(GetParam());
  for (const OperationTypes& types : operation_shapes()) {
    SCOPED_TRACE(as_text(types));
    EXPECT_EQ(outputs_of(types, *several), outputs_of(types, plain_kernels()));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ReferenceOnThreads, ::testing::Values(2, 3, 7),
                         [](const auto& row) { return std::to_string(row.param) + "Threads"; });

// Otherwise the test above would show nothing: what takes most of the time of networks, by name.
TEST(DividedCalls, AreThoseOfTheOperatorsThatTakeMostTime) {
  std::set<std::string_view> whole = {"conv",
                                      "conv_input_gradient",
                                      "matmul",
                                      "layer_norm",
                                      "softmax",
                                      "softmax_gradient",
                                      "relu",
                                      "relu_gradient",
                                      "gelu_erf",
                                      "gelu_erf_gradient",
                                      "add",
                                      "transpose",
                                      "max_pool",
                                      "max_pool_gradient",
                                      "average_pool_gradient",
                                      "broadcast_sum",
                                      "dropout",
                                      "dropout_gradient",
                                      "batch_norm",
                                      "batch_norm_gradient",
                                      "sgd",
                                      "velocity",
                                      "nesterov",
                                      "first_moment",
                                      "second_moment",
                                      "adam",
                                      "accumulate"};
  for (const OperationTypes& types : operation_shapes())
    if (divided(prepared(types), 2).size() == 2) whole.erase(entry_of(types.kind).name);
  EXPECT_EQ(whole, std::set<std::string_view>());
}

}  // namespace
}  // namespace poet
