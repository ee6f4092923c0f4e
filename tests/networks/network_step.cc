#include "networks/network_step.h"

#include <filesystem>
#include <fstream>

#include "poet/autodiff/training_graph.h"
#include "poet/kernels/evaluate.h"
#include "poet/model/onnx_import.h"

namespace poet::testing {
namespace {

namespace fs = std::filesystem;

std::size_t count_of(const Shape& shape) {
  return static_cast<std::size_t>(value_count(shape));
}

Failure lay_out(const NetworkGolden& golden, const fs::path& folder) {
  std::error_code failed;
  fs::copy_file(fs::path(network_folder()) / golden.model, folder / golden.model,
                fs::copy_options::overwrite_existing, failed);
  if (failed) return bad_input("cannot copy " + golden.model + ": " + failed.message());
  const fs::path path = (folder / golden.model).replace_extension("weights");
  std::ofstream file(path, std::ios::binary);
  for (const GoldenWeight& weight : golden.weights) {
    const std::vector<float> values =
        ruled_values(weight.name, count_of(weight.shape), weight.rule);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  file.close();
  if (!file) return bad_input("cannot write " + path.string());
  return std::nullopt;
}

TensorValue input_of(const NetworkGolden& golden) {
  const std::size_t count = count_of(golden.input);
  if (golden.vocabulary > 0)
    return int64_tensor(golden.input, ruled_wholes(golden.input_name, count, golden.vocabulary));
  return float_tensor(golden.input, ruled_values(golden.input_name, count, {}));
}

// Everything that is there before the step.
std::map<TensorId, TensorValue> given_values(const TrainingGraph& step,
                                             const NetworkGolden& golden) {
  std::map<TensorId, TensorValue> given;
  for (const auto& [tensor, initial] : step.initial) {
    const TensorType& type = at(step.graph.tensors, tensor).type;
    given[tensor] = {type, initial_bytes(initial, type)};
  }
  given[step.inputs.at(0).tensor] = input_of(golden);
  given[step.labels.at(0)] =
      int64_tensor(golden.labels, ruled_wholes("labels", count_of(golden.labels), golden.classes));
  return given;
}

Result<NetworkStep> executed(const TrainingGraph& step, const NetworkGolden& golden) {
  const std::map<TensorId, TensorValue> given = given_values(step, golden);
  std::map<TensorId, TensorView> views;
  for (const auto& [tensor, value] : given) views[tensor] = view_of(value);
  std::vector<TensorId> wanted{step.loss};
  for (const TrainedParameter& trained : step.trained) wanted.push_back(*trained.gradient);
  Result<std::vector<TensorValue>> values = evaluate(step.graph, views, wanted);
  if (!values.ok()) return values.error();
  NetworkStep made{.loss = floats_of(values->front())[0]};
  for (std::size_t k = 0; k < step.trained.size(); ++k)
    made.gradients[at(step.graph.tensors, step.trained[k].parameter).name] =
        std::move((*values)[k + 1]);
  return made;
}

}  // namespace

Result<NetworkStep> take_step(const NetworkGolden& golden, const std::string& folder) {
  if (Failure failure = lay_out(golden, folder)) return *failure;
  const Result<OnnxModel> file = read_onnx((fs::path(folder) / golden.model).string());
  if (!file.ok()) return file.error();
  const Result<Model> model =
      import_onnx(*file, {.batch_size = golden.input.front(), .batch_norms = golden.batch_norms});
  if (!model.ok()) return model.error();
  const Result<TrainingGraph> step = training_graph(*model, {});
  if (!step.ok()) return step.error();
  return executed(*step, golden);
}

}  // namespace poet::testing
