// A profile executes every operator on values of its own making: they must keep each kernel within
// its memory, which the sanitizers see, and out of the slow range of tiny numbers; and they are no
// fewer than those that the operator may be given.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/kernels/kernel_call.h"
#include "poet/measure/time_graph.h"
#include "tests/support/operator_cases.h"

namespace poet {
namespace {

using testing::operator_cases;
using testing::OperatorCase;
using Bytes = std::vector<std::byte>;

// What an operation makes of values from a domain.
std::vector<Bytes> made_by(const OperationTypes& types, const InputDomain& domain) {
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  for (const TensorType& type : types.outputs)
    outputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  fill_inputs_from(domain, types, std::vector<std::span<std::byte>>(inputs.begin(), inputs.end()));
  std::vector<const void*> read;
  std::vector<void*> written;
  for (const Bytes& input : inputs) read.push_back(input.data());
  for (Bytes& output : outputs) written.push_back(output.data());
  const KernelCall call = entry_of(types.kind).kernel(types);
  Bytes workspace(static_cast<std::size_t>(call.workspace_bytes));
  run(call, read, written, workspace.data());
  return outputs;
}

bool is_ordinary(float value) {
  return value == 0 || std::isnormal(value);
}

std::vector<float> floats_of(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// Of all outputs that are floats.
std::vector<float> numbers_made_by(const OperationTypes& types, const InputDomain& domain) {
  const std::vector<Bytes> made = made_by(types, domain);
  std::vector<float> numbers;
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (types.outputs[k].element != ElementType::Float32) continue;
    const std::vector<float> values = floats_of(made[k]);
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

TEST(MeasuredOperators, MakeOrdinaryNumbersOfTheValuesThatAProfileFillsIn) {
  for (const OperatorCase& one : operator_cases()) {
    const testing::CaseGraph graph = testing::graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations) {
      const OperatorEntry& row = entry_of(operation.kind);
      if (row.view) continue;
      for (const float value : numbers_made_by(types_of(graph.graph, operation), row.domain))
        EXPECT_TRUE(is_ordinary(value)) << one.name << ", " << operation.name << ": " << value;
    }
  }
}

// What networks are made of may be given any numbers, unless some of them make none or an infinity.
// What stands between gradients and updates, and parts, take what others made, of whatever sign.
TEST(MeasuredOperators, AreKeptToPositiveNumbersOnlyWhereOthersWouldNotDo) {
  std::set<std::string_view> narrow;
  for (const OperatorEntry& row : operator_table())
    if (row.domain->sign == InputDomain::Sign::Positive &&
        (row.gradient.value() != nullptr || row.onnx->form != OnnxName::Form::None))
      narrow.insert(row.name);
  for (const OperatorCase& one : operator_cases()) {
    const testing::CaseGraph graph = testing::graph_of(one);
    const OperatorEntry& row = entry_of(one.kind);
    if (!narrow.contains(row.name)) continue;
    InputDomain wider = row.domain;
    wider.sign = InputDomain::Sign::Either;
    const std::vector<float> made =
        numbers_made_by(types_of(graph.graph, graph.graph.operations[0]), wider);
    if (!std::all_of(made.begin(), made.end(), is_ordinary)) narrow.erase(row.name);
  }
  EXPECT_EQ(narrow, std::set<std::string_view>())
      << "take positive numbers only, and do with any: say kAnyNumbers";
}

// A product of many numbers must neither vanish nor overflow, which small cases do not show.
TEST(MeasuredOperators, AreGivenNumbersOfTheUsualSizes) {
  for (const OperatorEntry& row : operator_table()) {
    if (row.id == Operator::ReduceProduct || row.id == Operator::ReduceProductGradient) continue;
    EXPECT_EQ(row.domain->least, kAnyNumbers.least) << row.name;
    EXPECT_EQ(row.domain->range, kAnyNumbers.range) << row.name;
  }
}

// A cast takes any whole numbers, and so does what makes no floats of them: comparisons, also for
// the largest, and sums and products.
bool takes_any_whole_number(const OperationTypes& types) {
  return types.kind == Operator::Cast || types.outputs[0].element != ElementType::Float32;
}

// How a case draws each input, by what the case is for: below what its labels and indices stay, and
// where it takes a step.
TEST(MeasuredOperators, TakeTheIndicesAndStepsThatTheirCasesDraw) {
  for (const OperatorCase& one : operator_cases()) {
    const testing::CaseGraph graph = testing::graph_of(one);
    for (const GraphOperation& operation : graph.graph.operations) {
      const InputDomain& domain = entry_of(operation.kind).domain;
      const OperationTypes types = types_of(graph.graph, operation);
      for (std::size_t k = 0; k < types.inputs.size(); ++k) {
        const auto given = std::find(graph.inputs.begin(), graph.inputs.end(), operation.inputs[k]);
        if (given == graph.inputs.end()) continue;
        const testing::CaseInput& drawn =
            one.inputs[static_cast<std::size_t>(given - graph.inputs.begin())];
        const std::string what = fmt::format("{}, {}, input {}", one.name, operation.name, k);
        if (types.inputs[k] == step_type() && drawn.draw == testing::Draw::Step) {
          EXPECT_TRUE(domain.takes_step) << what;
          continue;
        }
        std::optional<std::int64_t> below;
        const ElementType element = types.inputs[k].element;
        if (element == ElementType::Int32 || element == ElementType::Int64)
          if (!takes_any_whole_number(types)) below = drawn.below;
        const auto extent = domain.index_extent;
        EXPECT_EQ(extent == nullptr ? std::nullopt : extent(types, k), below) << what;
      }
    }
  }
}

}  // namespace
}  // namespace poet
