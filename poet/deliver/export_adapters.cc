#include "poet/deliver/export_adapters.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <vector>

#include "poet/base/atomic_file.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/data/data_file.h"
#include "poet/model/peft_adapters.h"
#include "poet/model/published_weights.h"
#include "poet/model/safetensors_write.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

Failure check_learnt(const Model& model, const std::vector<PublishedMatrix>& matrices,
                     const LearntValues& learnt) {
  std::set<TensorId> written;
  for (const PublishedMatrix& matrix : matrices) written.insert(matrix.tensor);
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i) {
    const GraphTensor& tensor = model.graph.tensors[i];
    if (!is_learnt(tensor.role) || written.contains(static_cast<TensorId>(i))) continue;
    if (learnt.has(tensor.name))
      return bad_input(
          fmt::format("the checkpoint has {} too, which has no place among adapters: "
                      "--merge writes the whole network",
                      in_quotes(tensor.name)));
  }
  return std::nullopt;
}

std::vector<SafeTensorSource> sources_of(const Model& model,
                                         const std::vector<PublishedMatrix>& matrices,
                                         const LearntValues& learnt) {
  std::vector<SafeTensorSource> sources;
  for (const PublishedMatrix& matrix : matrices)
    sources.push_back(
        {.name = matrix.name,
         .shape = at(model.graph.tensors, matrix.tensor).type.shape,
         .write = [&model, &learnt, id = matrix.tensor](const ByteSink& sink) -> Failure {
           const Result<StoredBytes> values = learnt.value(model, id);
           if (!values.ok()) return values.error();
           return sink(values->bytes);
         }});
  return sources;
}

// Matrices beside the configuration of others would be other adapters.
Failure write_both(const std::string& config_path, const JsonOut& config, const std::string& path,
                   const std::vector<SafeTensorSource>& sources) {
  const Result<ReplacedFile> matrices = safetensors_file(path, sources);
  if (!matrices.ok()) return matrices.error();
  return write_together_atomically({replaced_text(config_path, json_text(config)), *matrices});
}

}  // namespace

Result<WeightsFileReport> export_adapters(const WeightsFileRequest& request,
                                          const Question& question, const Model& model,
                                          const LearntValues& learnt) {
  if (names_safetensors_file(request.out_path))
    return bad_input(
        fmt::format("adapters are written as a folder with their configuration, and {} is a file: "
                    "name a folder, or --merge them into the weights that they are beside",
                    quoted_path(request.out_path)));
  const std::string network =
      names_onnx_file(request.plan.model) ? std::string() : request.plan.model;
  const Result<std::vector<PublishedMatrix>> matrices = published_matrices(model, network);
  if (!matrices.ok()) return matrices.error();
  if (Failure failure = check_learnt(model, *matrices, learnt)) return *failure;

  const fs::path folder = request.out_path;
  if (Failure failure = make_folder(folder.string())) return *failure;
  const std::string path = (folder / kAdapterFile).string();
  const std::string config_path = (folder / kAdapterConfigFile).string();
  const JsonOut config =
      adapter_config(model, *adapters_of(question), network, request.plan.weights_path);
  if (Failure failure = write_both(config_path, config, path, sources_of(model, *matrices, learnt)))
    return *failure;

  WeightsFileReport report{
      .checkpoint_step = learnt.step(), .files = {path, config_path}, .notes = model.notes};
  for (const PublishedMatrix& matrix : *matrices)
    report.parameters += value_count(at(model.graph.tensors, matrix.tensor).type.shape);
  return report;
}

}  // namespace poet
