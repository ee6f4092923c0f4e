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
#include "poet/model/onnx/inline_functions.h"
#include "poet/model/onnx/node_import.h"
#include "poet/model/onnx/node_order.h"
#include "poet/model/onnx/operators.h"
#include "poet/model/onnx/unsupported.h"
#include "poet/model/onnx_values.h"
#include "poet/model/recognise.h"
#include "poet/model/remove_unused.h"

namespace poet {
namespace {

bool is_known(const OnnxNode& node) {
  return node.domain.empty() && find_onnx_operator(node.op_type) != nullptr;
}

// What is there before the first node; only what is needed is looked at.
Failure add_initializers(ImportState& state, const OnnxModel& file) {
  for (const OnnxTensor& tensor : file.initializers) {
    if (!state.is_needed(tensor.name)) continue;
    if (!tensor.element.used())
      return Error{ErrorCode::Unsupported,
                   fmt::format("initializer {} has {} values, which POET does not support",
                               in_quotes(tensor.name), tensor.element.name),
                   {}};
    state.take_as(tensor.element);
    const Result<OnnxTensor> ours = in_type_of_ours(tensor);
    if (!ours.ok()) return ours.error();
    const TensorType type{*ours->element.known, ours->shape};
    state.add_value({.name = tensor.name,
                     .constant = Constant{type, ours->values},
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
    state.take_as(input.element);
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

// Nodes that read what an unsupported one makes are left out, so that all others are looked at.
Failure import_nodes(ImportState& state, const std::vector<const OnnxNode*>& nodes) {
  UnsupportedNodes unsupported;
  std::set<std::string> missing;
  for (const OnnxNode* const node : nodes) {
    const bool can_be_made =
        std::none_of(node->inputs.begin(), node->inputs.end(),
                     [&missing](const std::string& input) { return missing.count(input) > 0; });
    if (can_be_made && is_known(*node)) {
      const Failure failure = import_node(state, *node);
      if (!failure) continue;
      if (failure->code != ErrorCode::Unsupported) return failure;
      unsupported.add_sentence(failure->message);
    } else if (!is_known(*node)) {
      unsupported.add_operator(*node);
    }
    for (const std::string& output : node->outputs)
      if (!output.empty()) missing.insert(output);
  }
  if (unsupported.empty()) return std::nullopt;
  return unsupported.error();
}

std::vector<std::string> notes_of_types(const ImportState& state) {
  std::vector<std::string> notes;
  for (const auto& [name, count] : state.taken_as())
    notes.push_back(
        fmt::format("the file has {} values, in {} place{}; POET calculates with them "
                    "as float32, so that results differ by the rounding of {}",
                    name, count, count == 1 ? "" : "s", name));
  return notes;
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
  ImportState state(file, options, part->values);
  if (Failure failure = add_initializers(state, file)) return *failure;
  if (Failure failure = add_inputs(state, file)) return *failure;
  if (Failure failure = import_nodes(state, part->nodes)) return *failure;
  if (Failure failure = add_outputs(state, file)) return *failure;
  state.model.notes = export_notes(file, part->nodes);
  for (std::string& note : notes_of_types(state)) state.model.notes.push_back(std::move(note));
  remove_unused(state.model);
  recognise_operators(state.model);
  POET_CHECK(!check_model(state.model));
  return std::move(state.model);
}

}  // namespace

Result<Model> import_onnx(const OnnxModel& file, const OnnxImportOptions& options) {
  const Result<OnnxModel> nodes_alone =
      file.functions.empty() ? Result<OnnxModel>(file) : without_functions(file);
  Result<Model> model =
      nodes_alone.ok() ? import_graph(*nodes_alone, options) : Result<Model>(nodes_alone.error());
  if (model.ok()) return model;
  Error error = model.error();
  error.where.file = file.path;
  return error;
}

}  // namespace poet
