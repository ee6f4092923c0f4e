#include "poet/model/packed_weights.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operator.h"

namespace poet {
namespace {

DecodeAttributes decoding_of(const PackedWeight& packed) {
  return {.blocks = packed.blocks, .row = {packed.shape.begin() + 1, packed.shape.end()}};
}

class Decoding {
 public:
  explicit Decoding(Model model) : model_(std::move(model)) {
    for (const GraphTensor& tensor : model_.graph.tensors) taken_.insert(tensor.name);
    for (const GraphOperation& operation : model_.graph.operations) taken_.insert(operation.name);
    for (const NamedTensor& output : model_.outputs) model_.packed.erase(output.tensor);
    for (auto& [id, packed] : model_.packed) {
      at(model_.graph.tensors, id).type = packed_type(packed.blocks, packed.shape);
      model_.initial[id] = packed.values;
    }
  }

  Failure rewrite() {
    std::vector<GraphOperation> operations = std::move(model_.graph.operations);
    model_.graph.operations.clear();
    std::vector<OperationId> places;
    for (GraphOperation& operation : operations) {
      if (Failure failure = add(std::move(operation))) return failure;
      places.push_back(static_cast<OperationId>(model_.graph.operations.size() - 1));
    }
    for (TrainedBatchNorm& norm : model_.batch_norms)
      norm.operation = places[static_cast<std::size_t>(index_of(norm.operation))];
    return std::nullopt;
  }

  Model take() {
    model_.packed.clear();
    return std::move(model_);
  }

 private:
  std::string fresh_name(const std::string& of, std::string_view end) {
    std::string name = of + std::string(end);
    for (int number = 2; !taken_.insert(name).second; ++number)
      name = fmt::format("{}{}.{}", of, end, number);
    return name;
  }

  bool is_packed(TensorId id) const { return model_.packed.contains(id); }

  // The last one that is there when it is done is `operation` itself, or what makes its output.
  Failure add(GraphOperation operation) {
    if (looks_up_blocks(operation)) return add_lookup(std::move(operation));
    for (TensorId& input : operation.inputs) {
      if (!is_packed(input)) continue;
      const Result<TensorId> decoded = decoded_once(input);
      if (!decoded.ok()) return decoded.error();
      input = *decoded;
    }
    model_.graph.operations.push_back(std::move(operation));
    return std::nullopt;
  }

  bool looks_up_blocks(const GraphOperation& operation) const {
    if (operation.kind != Operator::Gather) return false;
    const auto found = model_.packed.find(operation.inputs[0]);
    return found != model_.packed.end() && !found->second.is_transposed &&
           std::get<AxisAttributes>(operation.attributes).axis == 0;
  }

  Failure add_lookup(GraphOperation lookup) {
    const TensorId y = lookup.outputs[0];
    const PackedWeight& packed = model_.packed.at(lookup.inputs[0]);
    const Result<TensorId> picked = made({.name = fresh_name(lookup.name, ".blocks"),
                                          .kind = Operator::Gather,
                                          .attributes = lookup.attributes,
                                          .inputs = lookup.inputs});
    if (!picked.ok()) return picked.error();
    model_.graph.operations.push_back({.name = std::move(lookup.name),
                                       .kind = Operator::DecodeBlocks,
                                       .attributes = decoding_of(packed),
                                       .inputs = {*picked},
                                       .outputs = {y}});
    return std::nullopt;
  }

  Result<TensorId> decoded_once(TensorId weight) {
    const auto known = decoded_.find(weight);
    if (known != decoded_.end()) return known->second;
    const PackedWeight& packed = model_.packed.at(weight);
    const std::string name = at(model_.graph.tensors, weight).name;
    Result<TensorId> decoded = made({.name = fresh_name(name, ".decoded"),
                                     .kind = Operator::DecodeBlocks,
                                     .attributes = decoding_of(packed),
                                     .inputs = {weight}});
    if (decoded.ok() && packed.is_transposed)
      decoded = made({.name = fresh_name(name, ".turned"),
                      .kind = Operator::Transpose,
                      .attributes = TransposeAttributes{{1, 0}},
                      .inputs = {*decoded}});
    if (decoded.ok()) decoded_.emplace(weight, *decoded);
    return decoded;
  }

  Result<TensorId> made(GraphOperation operation) {
    const Result<std::vector<TensorId>> outputs = add_operation(model_.graph, std::move(operation));
    if (!outputs.ok()) return outputs.error();
    return outputs->front();
  }

  Model model_;
  std::set<std::string> taken_ = {};
  std::map<TensorId, TensorId> decoded_ = {};
};

}  // namespace

Result<Model> with_decoding(Model model) {
  if (model.packed.empty()) return model;
  Decoding decoding(std::move(model));
  if (Failure failure = decoding.rewrite()) return *failure;
  Model made = decoding.take();
  POET_CHECK(!check_model(made));
  return made;
}

}  // namespace poet
