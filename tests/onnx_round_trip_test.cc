// What is written as ONNX is read again as the operation that it was.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "poet/graph/operator_table.h"
#include "poet/model/model.h"
#include "poet/model/onnx_export.h"
#include "poet/model/onnx_import.h"
#include "support/operator_cases.h"

namespace poet {
namespace {

using testing::operator_cases;
using testing::OperatorCase;

// What the first input holds comes with each step; other numbers are parameters, but for the
// statistics of a batch norm.
TensorRole role_of(const OperatorCase& one, std::size_t position) {
  if (position == 0 || one.inputs[position].type.element != ElementType::Float32)
    return TensorRole::Input;
  return one.kind == Operator::BatchNormInference && position >= 3 ? TensorRole::Statistic
                                                                   : TensorRole::Parameter;
}

Model model_of(const OperatorCase& one) {
  Model model;
  model.graph.name = one.name;
  GraphOperation operation{.name = "y", .kind = one.kind, .attributes = one.attributes};
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    const TensorRole role = role_of(one, i);
    const TensorId input = add_tensor(model.graph, {.name = fmt::format("input {}", i),
                                                    .type = one.inputs[i].type,
                                                    .role = role,
                                                    .home = Home::Storage});
    operation.inputs.push_back(input);
    if (role == TensorRole::Input)
      model.inputs.push_back({fmt::format("input {}", i), input});
    else
      model.initial[input] = FilledWith{1};
  }
  const Result<std::vector<TensorId>> outputs = add_operation(model.graph, std::move(operation));
  EXPECT_TRUE(outputs.ok()) << one.name;
  model.graph.outputs = {outputs->front()};
  model.outputs = {{"y", outputs->front()}};
  return model;
}

Result<Model> read_again(const Model& model) {
  const Result<ExportedOnnx> file =
      export_onnx(model, [&model](TensorId id) -> Result<StoredBytes> {
        return store(initial_bytes(model.initial.at(id), at(model.graph.tensors, id).type));
      });
  if (!file.ok()) return file.error();
  return import_onnx(file->model, {});
}

std::vector<std::string_view> names_of(const std::vector<GraphOperation>& operations) {
  std::vector<std::string_view> names;
  for (const GraphOperation& operation : operations) names.push_back(entry_of(operation.kind).name);
  return names;
}

std::string output_type(const Model& model) {
  return to_text(at(model.graph.tensors, model.graph.outputs[0]).type);
}

// What ONNX has in another way, in which it means the same.
bool is_written_otherwise(const OperatorCase& one) {
  switch (one.kind) {
    case Operator::MatMul:  // with matrices that are turned, a factor or a bias around it
      return one.inputs[0].type.shape.size() > 2 || one.inputs[1].type.shape.size() > 2;
    case Operator::LayerNorm:  // with a scale of ones
      return one.inputs.size() < 2;
    case Operator::GroupNorm:  // and a bias of zeros
      return one.inputs.size() < 3;
    case Operator::Concat:  // of one: nothing
      return one.inputs.size() == 1;
    default:  // over no dimensions: nothing
      if (const auto* const reduce = std::get_if<ReduceAttributes>(&one.attributes))
        return reduce->axes.empty();
      return false;
  }
}

// Opset 17 has no node for all that a row means.
bool has_no_node(const OperatorCase& one) {
  if (entry_of(one.kind).onnx->form == OnnxName::Form::None) return true;
  if (one.kind == Operator::MatMul)
    return std::get<MatMulAttributes>(one.attributes).sum_to.has_value();
  return one.kind == Operator::GroupNorm &&
         std::get<NormAttributes>(one.attributes).groups != one.inputs[0].type.shape[1];
}

bool is_forward(const OperatorCase& one) {
  for (const testing::CaseInput& input : one.inputs)
    if (input.draw == testing::Draw::Step) return false;
  return entry_of(one.kind).output_types != nullptr;
}

TEST(OnnxRoundTrip, GivesTheSameOperationOfEveryRow) {
  std::set<std::string_view> left;
  for (const OperatorEntry& row : operator_table())
    if (row.onnx->form != OnnxName::Form::None) left.insert(row.name);
  left.erase(entry_of(Operator::Dropout).name);  // does nothing in a file
  for (const OperatorCase& one : operator_cases()) {
    if (!is_forward(one)) continue;
    SCOPED_TRACE(fmt::format("{}: {}", entry_of(one.kind).name.value(), one.name));
    const Model model = model_of(one);
    const Result<Model> again = read_again(model);
    if (!again.ok()) {
      EXPECT_TRUE(has_no_node(one)) << again.error().message;
      EXPECT_NE(again.error().message.find("opset 17 of ONNX has no node"), std::string::npos)
          << again.error().message;
      continue;
    }
    EXPECT_EQ(output_type(*again), output_type(model));
    if (is_written_otherwise(one)) continue;
    left.erase(entry_of(one.kind).name);
    ASSERT_EQ(names_of(again->graph.operations), names_of(model.graph.operations))
        << "was made of other operations before it had a row: see poet/model/onnx and "
           "poet/model/recognise.cc";
    const GraphOperation& written = model.graph.operations[0];
    const GraphOperation& read = again->graph.operations[0];
    EXPECT_TRUE(read.attributes == written.attributes);
    EXPECT_TRUE(types_of(again->graph, read) == types_of(model.graph, written));
  }
  EXPECT_EQ(left, std::set<std::string_view>{})
      << "have a name in ONNX, and no case of them was read again";
}

}  // namespace
}  // namespace poet
