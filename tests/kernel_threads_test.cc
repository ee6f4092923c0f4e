// The reference kernels on several threads: the same bits, whatever is divided how.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "poet/graph/operators/axes.h"
#include "poet/kernels/kernel_call.h"
#include "poet/kernels/kernel_set.h"
#include "poet/measure/aligned_bytes.h"
#include "poet/measure/time_graph.h"
#include "support/operator_shapes.h"

namespace poet {
namespace {

using testing::as_text;
using testing::operation_shapes;

using Bytes = std::vector<std::byte>;

// The arrays of an operation, filled, and its outputs, which hold what no kernel writes.
struct Arrays {
  explicit Arrays(const OperationTypes& types) {
    std::vector<std::span<std::byte>> to_fill;
    for (const TensorType& type : types.inputs) {
      inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
      to_fill.push_back(inputs.back().span());
      read.push_back(inputs.back().data());
    }
    fill_inputs(types, to_fill);
    for (const TensorType& type : types.outputs)
      outputs.emplace_back(static_cast<std::size_t>(size_bytes(type)), std::byte{0xA5});
    for (Bytes& output : outputs) written.push_back(output.data());
  }

  std::vector<AlignedBytes> inputs = {};
  std::vector<Bytes> outputs = {};
  std::vector<const void*> read = {};
  std::vector<void*> written = {};
};

std::vector<Bytes> outputs_of(const OperationTypes& types, const KernelSet& kernels) {
  Arrays arrays(types);
  const std::unique_ptr<ReadyOperation> operation = kernels.ready(types);
  AlignedBytes workspace(static_cast<std::size_t>(operation->workspace_bytes()));
  operation->run(arrays.read, arrays.written, workspace.data());
  return arrays.outputs;
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

// What is too little to be worth a thread is divided here as well, the last part first.
std::vector<Bytes> outputs_in_parts(const OperationTypes& types, int parts) {
  Arrays arrays(types);
  const PreparedCall call = prepared(types);
  AlignedBytes workspace(static_cast<std::size_t>(call.workspace_bytes));
  std::vector<CallPart> divisions = divided(call, parts, 1);
  std::reverse(divisions.begin(), divisions.end());
  for (const CallPart& part : divisions) {
    KernelPointers pointers = pointers_of(call, arrays.read, arrays.written, workspace.data());
    for (std::size_t k = 0; k < part.input_offsets_bytes.size(); ++k)
      if (pointers.inputs[k] != nullptr)
        pointers.inputs[k] =
            static_cast<const std::byte*>(pointers.inputs[k]) + part.input_offsets_bytes[k];
    for (std::size_t k = 0; k < part.output_offsets_bytes.size(); ++k)
      if (pointers.outputs[k] != nullptr)
        pointers.outputs[k] =
            static_cast<std::byte*>(pointers.outputs[k]) + part.output_offsets_bytes[k];
    call.kernel.call(part.shape.data(), pointers.inputs.data(), pointers.outputs.data());
  }
  return arrays.outputs;
}

constexpr std::int64_t kLarge_flop = 2'000'000;

TEST(DividedCalls, GiveTheBitsOfTheWholeHoweverSmallAndInAnyOrder) {
  std::set<std::string_view> left;
  for (const OperatorEntry& row : operator_table())
    if (row.divides.value() != nullptr) left.insert(row.name);
  for (const OperationTypes& types : operation_shapes()) {
    if (entry_of(types.kind).flop(types) > kLarge_flop) continue;
    const std::vector<Bytes> whole = outputs_of(types, plain_kernels());
    for (const int parts : {2, 3, 7}) {
      if (divided(prepared(types), parts, 1).size() < 2) continue;
      left.erase(entry_of(types.kind).name);
      EXPECT_EQ(outputs_in_parts(types, parts), whole) << as_text(types) << " in " << parts;
    }
  }
  EXPECT_EQ(left, std::set<std::string_view>()) << "say how they are divided, and never are";
}

// A row may say that a call is not divided. What is done to each value by itself can be: the
// statistics of norms are few values.
TEST(DividedCalls, AreThoseOfAllThatIsDoneToEachValue) {
  for (const OperatorEntry& row : operator_table()) {
    if (row.parts->axes != pointwise_axes || row.id == Operator::RunningStatistics) continue;
    EXPECT_NE(row.divides.value(), nullptr) << row.name;
  }
}

// Otherwise the tests above would show little: what takes most of the time of networks, by name.
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
