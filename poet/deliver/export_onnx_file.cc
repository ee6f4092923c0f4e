#include "poet/deliver/export_onnx_file.h"

#include <utility>
#include <vector>

#include "poet/ask/published_beginning.h"
#include "poet/ask/question.h"
#include "poet/model/model.h"
#include "poet/model/onnx_export.h"
#include "poet/model/onnx_file_weights.h"
#include "poet/use/learnt_values.h"

namespace poet {
namespace {

// The file as it is, with other values.
Failure replace_in_file(const OnnxFileRequest& request, const Model& model,
                        const WrittenValues& written) {
  std::vector<StoredBytes> values;
  std::vector<OnnxWeight> weights;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = model.graph.tensors[i];
    const bool is_published = is_learnt(tensor.role) && request.plan.weights_path;
    if (!written.changes(id) && !is_published) continue;
    Result<StoredBytes> value = written.value(id);
    if (!value.ok()) return value.error();
    values.push_back(*std::move(value));
    weights.push_back({tensor.name, tensor.type.shape, values.back().bytes});
  }
  return write_onnx_weights(request.plan.model, request.out_path, weights);
}

Failure write_anew(const OnnxFileRequest& request, const Model& model,
                   const WrittenValues& written) {
  const Result<ExportedOnnx> file =
      export_onnx(model, [&](TensorId id) { return written.value(id); });
  if (!file.ok()) return file.error();
  return write_onnx(*file, request.out_path);
}

}  // namespace

Result<OnnxFileReport> export_onnx_file(const OnnxFileRequest& request) {
  const Result<Question> question = read_network_question(request.plan);
  if (!question.ok()) return question.error();
  const bool has_adapters = adapters_of(*question).has_value();
  const bool merges = request.adapters == WrittenAdapters::Merged;
  if (merges && !has_adapters)
    return bad_input("there are no adapters to merge: say which the network has, by --adapter");
  const Result<Model> trained = model_of(*question);
  if (!trained.ok()) return trained.error();
  Result<std::vector<std::string>> looked = check_beginning(*question, request.non_finite);
  if (!looked.ok()) return looked.error();
  const Result<LearntValues> learnt =
      LearntValues::open(request.checkpoint_path, *question, *trained);
  if (!learnt.ok()) return learnt.error();
  // ONNX has no blocks as ours: weights that lie in such are written decoded.
  const Result<Model> decoded = decoded_model_of(*question);
  if (!decoded.ok()) return decoded.error();
  const Result<Model> model = merges ? base_model_of(*question) : *decoded;
  if (!model.ok()) return model.error();
  const WrittenValues written(*decoded, *learnt, request.adapters);
  const bool stays_file = names_onnx_file(request.plan.model) && (merges || !has_adapters);
  const Failure failure =
      stays_file ? replace_in_file(request, *model, written) : write_anew(request, *model, written);
  if (failure) return *failure;
  OnnxFileReport report{.checkpoint_step = learnt->step(), .notes = *std::move(looked)};
  for (const GraphTensor& tensor : model->graph.tensors)
    if (tensor.role == TensorRole::Parameter) report.parameters += value_count(tensor.type.shape);
  return report;
}

}  // namespace poet
