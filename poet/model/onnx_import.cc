#include "poet/model/onnx_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/message_text.h"
#include "poet/model/onnx/bind_inputs.h"
#include "poet/model/onnx/export_notes.h"
#include "poet/model/onnx/node_import.h"
#include "poet/model/onnx/node_order.h"
#include "poet/model/onnx/operators.h"
#include "poet/model/recognise.h"
#include "poet/model/remove_unused.h"

namespace poet {
namespace {

bool is_known(const OnnxNode& node) {
  return node.domain.empty() && find_onnx_operator(node.op_type) != nullptr;
}

// All at once, so that a user need not find them one by one.
Failure check_operators(const std::vector<const OnnxNode*>& nodes) {
  constexpr std::size_t kMostLines = 20;
  std::vector<std::string> lines;
  for (const OnnxNode* const node : nodes) {
    if (is_known(*node)) continue;
    const std::string domain =
        node->domain.empty() ? "" : fmt::format(" of {}", in_quotes(node->domain));
    lines.push_back(title_of(*node) + domain);
  }
  if (lines.empty()) return std::nullopt;
  std::string message = "POET does not support these operators:";
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) message += "\n  " + lines[i];
  if (lines.size() > kMostLines)
    message += fmt::format("\n  and {} more", lines.size() - kMostLines);
  return Error{ErrorCode::Unsupported, message, {}};
}

// What is there before the first node; only what is needed is looked at.
Failure add_initializers(ImportState& state, const OnnxModel& file) {
  for (const OnnxTensor& tensor : file.initializers) {
    if (!state.is_needed(tensor.name)) continue;
    if (!tensor.element.known)
      return Error{ErrorCode::Unsupported,
                   fmt::format("initializer {} has {} values, which POET does not support",
                               in_quotes(tensor.name), tensor.element.name),
                   {}};
    const TensorType type{*tensor.element.known, tensor.shape};
    state.add_value({.name = tensor.name,
                     .constant = Constant{type, tensor.values},
                     .trainable = type.element == ElementType::Float32 && !type.shape.empty(),
                     .may_be_weight = true});
  }
  return std::nullopt;
}

Failure add_inputs(ImportState& state, const OnnxModel& file) {
  for (const OnnxInput& input : file.inputs) {
    // An input with an initializer is a constant that may be replaced; we never do.
    if (!state.is_needed(input.name) || state.find(input.name) != nullptr) continue;
    const Result<TensorType> type = bound_type(input, state.options());
    if (!type.ok()) return type.error();
    const TensorId tensor = add_tensor(
        state.model.graph,
        {.name = input.name, .type = *type, .role = TensorRole::Input, .home = Home::Storage});
    state.model.inputs.push_back({input.name, tensor});
    state.add_value({.name = input.name, .tensor = tensor});
  }
  return std::nullopt;
}

bool all_foldable(NodeImport& node) {
  for (int i = 0; i < node.input_count(); ++i)
    if (node.has_input(i) && !node.is_foldable(i)) return false;
  return node.input_count() > 0;
}

Failure import_node(ImportState& state, const OnnxNode& node) {
  const OnnxOperator& row = *find_onnx_operator(node.op_type);
  NodeImport importing(state, node);
  if (row.fold != nullptr && all_foldable(importing))
    row.fold(importing);
  else if (row.import != nullptr)
    row.import(importing);
  else
    importing.refuse(
        "POET has this operator only where its inputs are known before the network runs",
        ErrorCode::Unsupported);
  importing.finish();
  return importing.failure();
}

Failure add_outputs(ImportState& state, const OnnxModel& file) {
  for (const std::string& name : file.outputs) {
    const Result<TensorId> tensor = state.tensor_of(*state.find(name));
    if (!tensor.ok()) return tensor.error();
    state.model.outputs.push_back({name, *tensor});
    state.model.graph.outputs.push_back(*tensor);
  }
  return std::nullopt;
}

Result<Model> import_graph(const OnnxModel& file, const OnnxImportOptions& options) {
  if (Failure failure = check_options(file, options)) return *failure;
  const Result<NeededPart> part = needed_part(file);
  if (!part.ok()) return part.error();
  if (Failure failure = check_operators(part->nodes)) return *failure;
  ImportState state(file, options, part->values);
  if (Failure failure = add_initializers(state, file)) return *failure;
  if (Failure failure = add_inputs(state, file)) return *failure;
  for (const OnnxNode* const node : part->nodes)
    if (Failure failure = import_node(state, *node)) return *failure;
  if (Failure failure = add_outputs(state, file)) return *failure;
  state.model.notes = export_notes(file, part->nodes);
  remove_unused(state.model);
  recognise_operators(state.model);
  POET_CHECK(!check_model(state.model));
  return std::move(state.model);
}

}  // namespace

Result<Model> import_onnx(const OnnxModel& file, const OnnxImportOptions& options) {
  Result<Model> model = import_graph(file, options);
  if (model.ok()) return model;
  Error error = model.error();
  error.where.file = file.path;
  return error;
}

}  // namespace poet
