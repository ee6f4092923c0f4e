#include "poet/use/export_onnx_file.h"

#include <utility>
#include <vector>

#include "poet/ask/question.h"
#include "poet/model/model.h"
#include "poet/model/onnx_export.h"
#include "poet/model/onnx_file_weights.h"
#include "poet/use/learnt_values.h"

namespace poet {
namespace {

// What differs from the file.
bool is_new(const LearntValues& learnt, const OnnxFileRequest& request, const GraphTensor& tensor) {
  return is_learnt(tensor.role) && (learnt.has(tensor.name) || request.plan.weights_path);
}

// The file as it is, with other values.
Failure replace_in_file(const OnnxFileRequest& request, const Model& model,
                        const LearntValues& learnt) {
  std::vector<StoredBytes> values;
  std::vector<OnnxWeight> weights;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = model.graph.tensors[i];
    if (!is_new(learnt, request, tensor)) continue;
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
