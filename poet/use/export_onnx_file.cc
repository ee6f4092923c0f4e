#include "poet/use/export_onnx_file.h"

#include <fmt/core.h>

#include <map>
#include <utility>
#include <vector>

#include "poet/ask/question.h"
#include "poet/base/message_text.h"
#include "poet/data/data_file.h"
#include "poet/model/model.h"
#include "poet/model/onnx_export.h"
#include "poet/model/onnx_file_weights.h"
#include "poet/train/checkpoint.h"

namespace poet {
namespace {

constexpr std::size_t kPieceBytes = 128 << 10;

bool is_learnt(TensorRole role) {
  return role == TensorRole::Parameter || role == TensorRole::Statistic;
}

// What a checkpoint holds of a network, by name.
class LearntValues {
 public:
  static Result<LearntValues> open(const std::optional<std::string>& path, const Model& model) {
    LearntValues values;
    if (!path) return values;
    std::vector<std::byte> buffer(kPieceBytes);
    Result<Checkpoint> checkpoint = open_checkpoint(*path, buffer);
    if (!checkpoint.ok()) return checkpoint.error();
    values.checkpoint_ = *std::move(checkpoint);
    for (const CheckpointValue& value : values.checkpoint_.values)
      if (is_learnt(value.role)) values.by_name_.emplace(value.name, &value);
    if (Failure failure = values.check(*path, model)) return *failure;
    return values;
  }

  std::int64_t step() const { return checkpoint_.state.step; }

  bool has(const std::string& name) const { return by_name_.count(name) > 0; }

  // What was learnt, or what the network begins with.
  Result<StoredBytes> value(const Model& model, TensorId id) const {
    const GraphTensor& tensor = at(model.graph.tensors, id);
    const auto found = by_name_.find(tensor.name);
    if (found == by_name_.end()) return store(initial_bytes(model.initial.at(id), tensor.type));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes(tensor.type)));
    if (Failure failure = checkpoint_.file->read(found->second->offset_bytes, bytes))
      return *failure;
    return store(std::move(bytes));
  }

 private:
  // Everything that was learnt has a place in the network.
  Failure check(const std::string& path, const Model& model) const {
    std::map<std::string, const GraphTensor*> there;
    for (const GraphTensor& tensor : model.graph.tensors)
      if (is_learnt(tensor.role)) there.emplace(tensor.name, &tensor);
    for (const auto& [name, value] : by_name_) {
      const auto found = there.find(name);
      if (found == there.end())
        return bad_input(fmt::format("the checkpoint {} is of another network: this one has no {}",
                                     quoted_path(path), in_quotes(name)));
      if (found->second->type != value->type)
        return bad_input(fmt::format("the checkpoint {} has {} as {}, and the network as {}",
                                     quoted_path(path), in_quotes(name), to_text(value->type),
                                     to_text(found->second->type)));
    }
    return std::nullopt;
  }

  Checkpoint checkpoint_ = {};
  std::map<std::string, const CheckpointValue*> by_name_ = {};  // into checkpoint_.values
};

// The file as it is, with other values.
Failure replace_in_file(const OnnxFileRequest& request, const Model& model,
                        const LearntValues& learnt) {
  std::vector<StoredBytes> values;
  std::vector<OnnxWeight> weights;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = model.graph.tensors[i];
    if (!learnt.has(tensor.name) || !is_learnt(tensor.role)) continue;
    Result<StoredBytes> value = learnt.value(model, id);
    if (!value.ok()) return value.error();
    values.push_back(*std::move(value));
    weights.push_back({tensor.name, tensor.type.shape, values.back().bytes});
  }
  return write_onnx_weights(request.plan.model, request.out_path, weights);
}

Failure write_anew(const OnnxFileRequest& request, const Model& model, const LearntValues& learnt) {
  const Result<ExportedOnnx> file =
      export_onnx(model, [&](TensorId id) { return learnt.value(model, id); });
  if (!file.ok()) return file.error();
  return write_onnx(*file, request.out_path);
}

}  // namespace

Result<OnnxFileReport> export_onnx_file(const OnnxFileRequest& request) {
  const Result<Question> question = read_network_question(request.plan);
  if (!question.ok()) return question.error();
  const Result<Model> model = model_of(*question);
  if (!model.ok()) return model.error();
  const Result<LearntValues> learnt = LearntValues::open(request.checkpoint_path, *model);
  if (!learnt.ok()) return learnt.error();
  const Failure failure = names_onnx_file(request.plan.model)
                              ? replace_in_file(request, *model, *learnt)
                              : write_anew(request, *model, *learnt);
  if (failure) return *failure;
  OnnxFileReport report{.checkpoint_step = learnt->step()};
  for (const GraphTensor& tensor : model->graph.tensors)
    if (tensor.role == TensorRole::Parameter) report.parameters += value_count(tensor.type.shape);
  return report;
}

}  // namespace poet
