// docs/operators.md is made of the operator table and of one case for each of its rows.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "poet/graph/operators/operator_test_support.h"
#include "support/operator_cases.h"
#include "support/source_folder.h"

namespace poet {
namespace {

using testing::gradient_operations;
using testing::gradient_texts;
using testing::operator_cases;
using testing::OperatorCase;
using testing::with_outputs;

constexpr std::string_view kIntroduction = R"(# Operators

What an operation of a graph can be: one row for each operator of the table in `poet/graph/operator_table.h`. This page is
made of that table and of one small operation for each row (`tests/support/`), by `tests/operator_document_test.cc`, which
fails when the page is out of date and then says where it has put the new one.

An operator's inputs are x0, x1 ..., its outputs y, y1 ..., and their gradients dy, dy1 ... The FLOP of a row are those of
the operation that it shows: a multiply-add counts 2, a comparison, an exponential or the like 1. Where "in place" says x0,
the output may take over the first input's buffer if that has its size and dies there. An operator that "replaces x0" puts a
new value in the place of the old one, so it is never executed twice. Under ONNX stand the name there and the operator set
since which there is one of that name.

)";

constexpr std::string_view kPartsIntroduction = R"(
## Parts

An operation in parts: each is given a piece of the operands and the sum that earlier parts made, and goes on with it in the
order of the whole operation, so that the last part's output has the bits of the whole. What independent pieces need are the
operators above, on smaller tensors.

)";

OperationTypes types_of(const OperatorCase& one) {
  OperationTypes types{.kind = one.kind, .attributes = one.attributes};
  for (const testing::CaseInput& input : one.inputs) types.inputs.push_back(input.type);
  return with_outputs(std::move(types));
}

bool has_gradients(const OperatorCase& one) {
  return std::any_of(one.inputs.begin(), one.inputs.end(), [](const testing::CaseInput& input) {
    return input.has_gradient && input.type.element == ElementType::Float32;
  });
}

// Of each operator the first of those cases that have most inputs, in the order of the table.
const std::vector<OperationTypes>& samples() {
  static const std::vector<OperationTypes> all = [] {
    std::map<Operator, const OperatorCase*> chosen;
    for (const OperatorCase& one : operator_cases()) {
      const OperatorCase*& sample = chosen[one.kind];
      if (sample == nullptr || sample->inputs.size() < one.inputs.size()) sample = &one;
    }
    std::vector<OperationTypes> types;
    for (const auto& [kind, one] : chosen) types.push_back(types_of(*one));
    return types;
  }();
  return all;
}

// Those of the enumerators from the first part on, but for what stands behind them.
bool is_part(const OperationTypes& types) {
  return types.kind >= Operator::MatMulContinued && types.kind < Operator::DecodeBlocks;
}

std::string types_text(const std::vector<TensorType>& types) {
  std::vector<std::string> texts;
  for (const TensorType& type : types) texts.push_back(to_text(type));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string places_text(const OperatorEntry& entry) {
  std::vector<std::string> texts;
  if (entry.view) texts.emplace_back("a view");
  for (const SharedPlace& place : entry.in_place) texts.push_back(fmt::format("x{}", place.input));
  for (const SharedPlace& place : entry.updates)
    texts.push_back(fmt::format("replaces x{}", place.input));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string kernel_text(const OperationTypes& types) {
  const OperatorEntry& entry = entry_of(types.kind);
  return entry.kernel == nullptr ? "" : fmt::format("`{}`", entry.kernel(types).function.name);
}

std::string gradient_text(const OperationTypes& types) {
  if (entry_of(types.kind).gradient == nullptr) return "none";
  return fmt::format("{}", fmt::join(gradient_texts(types), "; "));
}

std::string onnx_text(const OnnxName& onnx) {
  if (onnx.form == OnnxName::Form::None) return "";
  return fmt::format("{}, {}", onnx.name, onnx.since);
}

std::string forward_row(const OperationTypes& types) {
  const OperatorEntry& entry = entry_of(types.kind);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", entry.name,
                     types_text(types.inputs), types_text(types.outputs), entry.flop(types),
                     places_text(entry), gradient_text(types), kernel_text(types),
                     onnx_text(entry.onnx));
}

std::string gradient_row(const OperationTypes& types) {
  const OperatorEntry& entry = entry_of(types.kind);
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", entry.name, types_text(types.inputs),
                     types_text(types.outputs), entry.flop(types), places_text(entry),
                     kernel_text(types));
}

std::string parts() {
  std::string text(kPartsIntroduction);
  text += "| operator | inputs | outputs | FLOP | in place | kernel |\n";
  text += "|---|---|---|---:|---|---|\n";
  for (const OperationTypes& sample : samples())
    if (is_part(sample)) text += gradient_row(sample);
  return text;
}

std::string document() {
  std::string text(kIntroduction);
  text += "## Forward, losses and updates\n\n";
  text += "| operator | inputs | outputs | FLOP | in place | gradient | kernel | ONNX |\n";
  text += "|---|---|---|---:|---|---|---|---|\n";
  for (const OperationTypes& sample : samples())
    if (!is_part(sample)) text += forward_row(sample);
  text += "\n## Gradients\n\nOf the operations above.\n\n";
  text += "| operator | inputs | outputs | FLOP | in place | kernel |\n";
  text += "|---|---|---|---:|---|---|\n";
  std::map<Operator, OperationTypes> gradients;
  const auto show_gradients = [&](const OperationTypes& types) {
    if (entry_of(types.kind).gradient == nullptr) return;
    for (const OperationTypes& part : gradient_operations(types))
      if (entry_of(part.kind).output_types == nullptr) gradients.try_emplace(part.kind, part);
  };
  for (const OperationTypes& sample : samples()) show_gradients(sample);
  // Margins of a constant have another gradient than others.
  for (const OperatorCase& one : operator_cases())
    if (has_gradients(one)) show_gradients(types_of(one));
  for (const auto& [kind, part] : gradients) text += gradient_row(part);
  return text + parts();
}

// A gradient that no part reads would be lost. Those of the statistics that norms save for their
// own gradients are refused when differentiating: no part reads them.
TEST(OperatorCases, HaveGradientsByEveryOutputButSavedStatistics) {
  std::set<std::string> unread;
  for (const OperationTypes& types : samples()) {
    const OperatorEntry& entry = entry_of(types.kind);
    if (entry.gradient == nullptr) continue;
    for (std::size_t k = 0; k < types.outputs.size(); ++k) {
      if (types.outputs[k].element != ElementType::Float32) continue;
      const GradientOperand wanted = OutputGradient{static_cast<int>(k)};
      const std::vector<GradientPart> parts = entry.gradient(types);
      if (std::none_of(parts.begin(), parts.end(), [&](const GradientPart& part) {
            return std::count(part.operands.begin(), part.operands.end(), wanted) > 0;
          }))
        unread.insert(fmt::format("{} {}", entry.name, k));
    }
  }
  EXPECT_EQ(unread, (std::set<std::string>{"batch_norm 1", "batch_norm 2", "group_norm 1",
                                           "group_norm 2", "layer_norm 1", "layer_norm 2"}));
}

TEST(OperatorsDocument, HasEveryRow) {
  const std::string text = document();
  for (const OperatorEntry& row : operator_table())
    EXPECT_NE(text.find(fmt::format("\n| {} |", row.name.value())), std::string::npos) << row.name;
}

TEST(OperatorsDocument, IsUpToDate) {
  std::ifstream in(testing::source_folder() + "/docs/operators.md");
  const std::string written{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string wanted = document();
  if (written == wanted) return;
  const std::string path = ::testing::TempDir() + "operators.md";
  std::ofstream(path) << wanted;
  FAIL() << "docs/operators.md is out of date: cp " << path << " docs/operators.md";
}

}  // namespace
}  // namespace poet
