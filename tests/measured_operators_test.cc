// A profile executes every operator on values of its own making: they must keep each kernel within
// its memory, which the sanitizers see, and out of the slow range of tiny numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/kernels/kernel_call.h"
#include "poet/measure/operation_inputs.h"
#include "tests/support/operator_cases.h"

namespace poet {
namespace {

using Bytes = std::vector<std::byte>;

// What an operation makes of fill_inputs().
std::vector<Bytes> made_by(const OperationTypes& types) {
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  for (const TensorType& type : types.outputs)
    outputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  fill_inputs(types, std::vector<std::span<std::byte>>(inputs.begin(), inputs.end()));
  std::vector<const void*> read;
  std::vector<void*> written;
  for (const Bytes& input : inputs) read.push_back(input.data());
  for (Bytes& output : outputs) written.push_back(output.data());
  const KernelCall call = entry_of(types.kind).kernel(types);
  Bytes workspace(static_cast<std::size_t>(call.workspace_bytes));
  run(call, read, written, workspace.data());
  return outputs;
}

void expect_ordinary(const Bytes& bytes, const std::string& what) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  for (const float value : values)
    EXPECT_TRUE(value == 0 || std::isnormal(value)) << what << ": " << value;
}

TEST(MeasuredOperators, MakeOrdinaryNumbersOfTheValuesThatAProfileFillsIn) {
  for (const testing::OperatorCase& one : testing::operator_cases()) {
    const testing::CaseGraph graph = testing::graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations) {
      if (entry_of(operation.kind).view) continue;
      const OperationTypes types = types_of(graph.graph, operation);
      const std::vector<Bytes> made = made_by(types);
      for (std::size_t k = 0; k < made.size(); ++k)
        if (types.outputs[k].element == ElementType::Float32)
          expect_ordinary(made[k], one.name + ", " + operation.name);
    }
  }
}

}  // namespace
}  // namespace poet
