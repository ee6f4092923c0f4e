#include "poet/model/onnx_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/result.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/onnx/import_remarks.h"
#include "poet/model/onnx/inline_functions.h"
#include "poet/model/onnx/node_import.h"
#include "poet/model/onnx/node_order.h"
#include "poet/model/onnx/operators.h"
#include "poet/model/onnx_values.h"
#include "poet/model/recognise.h"
#include "poet/model/remove_unused.h"

namespace poet {
namespace {

Result<std::int64_t> fixed_extent(const OnnxInput& input, std::size_t d, std::int64_t extent,
                                  const OnnxImportOptions& options) {
  if (extent < 1 || extent > kMaxValues)
    return bad_input(
        fmt::format("input {}: dimension {} has the extent {}; it must be from 1 to {}",
                    in_quotes(input.name), d, extent, kMaxValues));
  if (d == 0 && options.batch_size && *options.batch_size != extent)
    return bad_input(fmt::format(
        "input {} was exported for a batch size of {}; for {}, export it with an open one",
        in_quotes(input.name), extent, *options.batch_size));
  return extent;
}

Result<std::int64_t> bound_extent(const OnnxInput& input, std::size_t d,
                                  const OnnxImportOptions& options) {
  const OnnxDimension& dimension = (*input.shape)[d];
  if (const auto* const extent = std::get_if<std::int64_t>(&dimension))
    return fixed_extent(input, d, *extent, options);
  const auto* const name = std::get_if<std::string>(&dimension);
  if (name != nullptr) {
    const auto given = options.dimensions.find(*name);
    if (given != options.dimensions.end()) return given->second;
  }
  if (d == 0 && options.batch_size) return *options.batch_size;
  const std::string which = name == nullptr ? fmt::format("dimension {}", d)
                                            : fmt::format("dimension {} ({})", d, in_quotes(*name));
  const char* const remedy = d == 0            ? "give the batch size"
                             : name == nullptr ? "export it with a fixed or named one"
                                               : "give it by its name";
  return bad_input(
      fmt::format("input {}: {} has no fixed extent; {}", in_quotes(input.name), which, remedy));
}

// Names of extents that inputs have.
std::vector<std::string_view> names_in(const OnnxModel& file) {
  std::vector<std::string_view> names;
  for (const OnnxInput& input : file.inputs) {
    if (!input.shape) continue;
    for (const OnnxDimension& dimension : *input.shape)
      if (const auto* const name = std::get_if<std::string>(&dimension)) names.push_back(*name);
  }
  return names;
}

// The type of an input, with the extents that the file leaves open taken from the options. Refuses
// element types that POET does not have, and extents that stay open or are said differently.
Result<TensorType> bound_type(const OnnxInput& input, const OnnxImportOptions& options) {
  if (!input.element.used())
    return Error{ErrorCode::Unsupported,
                 fmt::format("input {} has {} values, which POET does not support",
                             in_quotes(input.name), input.element.name),
                 {}};
  if (!input.shape)
    return bad_input(
        fmt::format("input {} has no shape; export it with one", in_quotes(input.name)));
  TensorType type{*input.element.used(), {}};
  for (std::size_t d = 0; d < input.shape->size(); ++d) {
    const Result<std::int64_t> extent = bound_extent(input, d, options);
    if (!extent.ok()) return extent.error();
    type.shape.push_back(*extent);
  }
  if (Failure failure = check_shape(type.shape, "input " + in_quotes(input.name))) return *failure;
  return type;
}

// Refuses extents below 1, and names of extents that no input has.
Failure check_options(const OnnxModel& file, const OnnxImportOptions& options) {
  if (options.batch_size && *options.batch_size < 1)
    return bad_input(
        fmt::format("the batch size is {}; it must be at least 1", *options.batch_size));
  const std::vector<std::string_view> names = names_in(file);
  for (const auto& [name, extent] : options.dimensions) {
    if (extent < 1)
      return bad_input(
          fmt::format("dimension {} is {}; it must be at least 1", in_quotes(name), extent));
    if (std::find(names.begin(), names.end(), name) == names.end())
      return bad_input(fmt::format("no input has a dimension called {}{}", in_quotes(name),
                                   suggestion(name, names)));
  }
  return std::nullopt;
}

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
                     .trainable = is_trainable(file, tensor),
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
