#include "poet/deliver/export_weights_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "poet/ask/published_beginning.h"
#include "poet/ask/question.h"
#include "poet/base/atomic_file.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/result.h"
#include "poet/base/text_file.h"
#include "poet/data/data_file.h"
#include "poet/model/load_weights.h"
#include "poet/model/model.h"
#include "poet/model/peft_adapters.h"
#include "poet/model/published_config.h"
#include "poet/model/published_weights.h"
#include "poet/model/safetensors_write.h"
#include "poet/use/learnt_values.h"

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

// Writes the adapters of a network, and nothing else of it, into a folder as PEFT has it
// (peft_adapters.h), which is made when it is not there; `model` is the question's, with what was
// learnt of it. Refuses a checkpoint that has learnt anything besides, which the folder would lose.
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

constexpr std::int64_t kPieceBytes = 256 << 10;

// Calls `take` with all of a value, one piece after the other.
Failure for_each_part(
    const Model& model, const WrittenValues& written, TensorId id, std::vector<std::byte>& buffer,
    const std::function<Failure(std::int64_t, std::span<const std::byte>)>& take) {
  const std::int64_t bytes = size_bytes(at(model.graph.tensors, id).type);
  for (std::int64_t offset = 0; offset < bytes; offset += kPieceBytes) {
    const auto count = static_cast<std::size_t>(std::min(kPieceBytes, bytes - offset));
    const std::span<std::byte> piece = std::span(buffer).first(count);
    if (Failure failure = written.read(id, offset, piece)) return failure;
    if (Failure failure = take(offset, piece)) return failure;
  }
  return std::nullopt;
}

// Ours are columns of theirs, which has to be whole to be written by its rows.
Failure write_transposed(const Model& model, const WrittenValues& written,
                         const PublishedTensor& tensor, std::vector<std::byte>& buffer,
                         const ByteSink& sink) {
  constexpr std::size_t kSize = sizeof(float);
  std::vector<std::byte> whole(static_cast<std::size_t>(value_count(tensor.shape)) * kSize);
  const std::int64_t rows = tensor.shape[0];
  const std::int64_t columns = tensor.shape[1];
  std::int64_t first_column = 0;
  for (const TensorId id : tensor.parts) {
    const auto put = [&](std::int64_t offset, std::span<const std::byte> piece) {
      for (std::size_t at = 0; at < piece.size(); at += kSize) {
        const std::int64_t element =
            (offset + static_cast<std::int64_t>(at)) / static_cast<std::int64_t>(kSize);
        const std::int64_t place = element % rows * columns + first_column + element / rows;
        std::memcpy(&whole[static_cast<std::size_t>(place) * kSize], &piece[at], kSize);
      }
      return Failure();
    };
    if (Failure failure = for_each_part(model, written, id, buffer, put)) return failure;
    first_column += at(model.graph.tensors, id).type.shape[0];
  }
  return sink(whole);
}

Failure write_tensor(const Model& model, const WrittenValues& written,
                     const PublishedTensor& tensor, std::vector<std::byte>& buffer,
                     const ByteSink& sink) {
  if (tensor.layout == WeightLayout::Transposed)
    return write_transposed(model, written, tensor, buffer, sink);
  for (const TensorId id : tensor.parts)
    if (Failure failure = for_each_part(
            model, written, id, buffer,
            [&sink](std::int64_t, std::span<const std::byte> piece) { return sink(piece); }))
      return failure;
  return std::nullopt;
}

// `beside`: what takes its place with them.
Failure write_weights(const std::string& path, const Model& model, const WrittenValues& written,
                      std::string_view network, std::vector<ReplacedFile> beside) {
  std::vector<std::byte> buffer(kPieceBytes);
  const std::vector<PublishedTensor> form = published_form(model, network);
  std::vector<SafeTensorSource> sources;
  for (const PublishedTensor& tensor : form)
    sources.push_back(
        {.name = tensor.name, .shape = tensor.shape, .write = [&](const ByteSink& sink) {
           return write_tensor(model, written, tensor, buffer, sink);
         }});
  Result<ReplacedFile> file = safetensors_file(path, sources);
  if (!file.ok()) return file.error();
  beside.push_back(*std::move(file));
  return write_together_atomically(beside);
}

// Before anything is written: what is there must go with what is to come.
Failure check_folder(const fs::path& folder, std::string_view network) {
  std::error_code ignored;
  const std::string own_index = std::string(weight_family(network).file) + ".index.json";
  for (const std::string& index : {std::string(kWeightsIndex), own_index})
    if (fs::exists(folder / index, ignored))
      return bad_input(
          fmt::format("the folder {} has weights in several files, which {} lists: name "
                      "another folder",
                      quoted_path(folder.string()), index));
  // It is the one that is looked for first.
  if (weight_family(network).file != kWeightsFile && fs::exists(folder / kWeightsFile, ignored))
    return bad_input(fmt::format("the folder {} has other weights, in {}: name another folder",
                                 quoted_path(folder.string()), kWeightsFile));
  const std::string path = (folder / kConfigFile).string();
  if (!fs::exists(path, ignored)) return std::nullopt;
  if (!network.empty() && !config_of(network))
    return bad_input(
        fmt::format("{} is of another network, and POET knows none for this one: name another "
                    "folder",
                    quoted_path(path)));
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  const Result<JsonValue> config = parse_json(*text, path);
  if (!config.ok()) return config.error();
  return check_config(*config, path, network);
}

// The configuration that the folder lacks, where POET knows it.
std::vector<ReplacedFile> new_config(const fs::path& folder, std::string_view network) {
  const std::string path = (folder / kConfigFile).string();
  const std::optional<JsonOut> config = config_of(network);
  std::error_code ignored;
  if (!config || fs::exists(path, ignored)) return {};
  return {replaced_text(path, json_text(*config))};
}

}  // namespace

std::vector<std::string> weights_files_in_folder() {
  return {kWeightsFile, kDiffusionWeightsFile, kConfigFile, kAdapterFile, kAdapterConfigFile};
}

Failure make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (!error || fs::is_directory(folder)) return std::nullopt;
  return Error{ErrorCode::Io,
               fmt::format("cannot make the folder {}: {}", quoted_path(folder), error.message()),
               {}};
}

Result<WeightsFileReport> export_weights_file(const WeightsFileRequest& request) {
  const Result<Question> question = read_network_question(request.plan);
  if (!question.ok()) return question.error();
  const bool has_adapters = adapters_of(*question).has_value();
  const bool merges = request.adapters == WrittenAdapters::Merged;
  if (!has_adapters && merges)
    return bad_input("there are no adapters to merge: say which the network has, by --adapter");
  const Result<Model> trained = model_of(*question);
  if (!trained.ok()) return trained.error();
  Result<std::vector<std::string>> looked = check_beginning(*question, request.non_finite);
  if (!looked.ok()) return looked.error();
  const Result<LearntValues> learnt =
      LearntValues::open(request.checkpoint_path, *question, *trained);
  if (!learnt.ok()) return learnt.error();
  if (has_adapters && !merges) {
    Result<WeightsFileReport> report = export_adapters(request, *question, *trained, *learnt);
    if (report.ok()) report->notes.insert(report->notes.end(), looked->begin(), looked->end());
    return report;
  }
  // Weights that lie in blocks are written decoded.
  const Result<Model> decoded = decoded_model_of(*question);
  if (!decoded.ok()) return decoded.error();
  const Result<Model> model = merges ? base_model_of(*question) : *decoded;
  if (!model.ok()) return model.error();
  const WrittenValues written(*decoded, *learnt, request.adapters);

  const std::string network =
      names_onnx_file(request.plan.model) ? std::string() : request.plan.model;
  WeightsFileReport report{.checkpoint_step = learnt->step(), .notes = model->notes};
  report.notes.insert(report.notes.end(), looked->begin(), looked->end());
  const bool is_file = names_safetensors_file(request.out_path);
  const fs::path folder = request.out_path;
  if (!is_file) {
    if (Failure failure = check_folder(folder, network)) return *failure;
    if (Failure failure = make_folder(request.out_path)) return *failure;
  }
  const std::string path =
      is_file ? request.out_path : (folder / weight_family(network).file).string();
  report.files = {path};
  std::vector<ReplacedFile> beside;
  if (!is_file) beside = new_config(folder, network);
  for (const ReplacedFile& one : beside) report.files.push_back(one.path);
  if (Failure failure = write_weights(path, *model, written, network, std::move(beside)))
    return *failure;
  for (const GraphTensor& tensor : model->graph.tensors)
    if (tensor.role == TensorRole::Parameter) report.parameters += value_count(tensor.type.shape);
  return report;
}

}  // namespace poet
