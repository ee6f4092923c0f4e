#include "poet/api/training_step.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/autodiff/order.h"
#include "poet/model/onnx_file.h"
#include "poet/model/onnx_import.h"
#include "poet/model/real_networks.h"

namespace poet {
namespace {

bool is_real_network(const std::string& name) {
  const std::vector<RealNetwork>& table = real_network_table();
  return std::any_of(table.begin(), table.end(),
                     [&name](const RealNetwork& row) { return row.name == name; });
}

Result<Model> load_onnx(const PlanRequest& request) {
  Result<OnnxModel> file = read_onnx(request.model);
  if (!file.ok()) return file.error();
  return import_onnx(*file, {.batch_size = request.batch_size, .dimensions = request.dimensions});
}

}  // namespace

bool names_onnx_file(const std::string& model) {
  return model.ends_with(".onnx") || model.find('/') != std::string::npos;
}

std::string graph_of(const PlanRequest& request) {
  if (request.costed_graph) return "file";
  if (!request.graph.empty()) return request.graph;
  return is_real_network(request.model) || names_onnx_file(request.model) ? "real" : "released";
}

Result<Model> load_model(const PlanRequest& request) {
  if (names_onnx_file(request.model)) return load_onnx(request);
  if (!request.dimensions.empty() && is_real_network(request.model))
    return bad_input(
        fmt::format("--dimensions is for ONNX files, and this is POET's own {}", request.model));
  NetworkOptions options = request.network;
  options.batch_size = request.batch_size;
  return real_network(request.model, options);
}

Result<TrainingGraph> training_step(const PlanRequest& request) {
  if (request.training.updates == Updates::Sliced &&
      request.kernels.library != KernelLibrary::Reference)
    return bad_input(
        "--updates sliced is for the reference kernels: oneDNN's make gradients as a whole, to "
        "other bits");
  const Result<Model> model = load_model(request);
  if (!model.ok()) return model.error();
  Result<TrainingGraph> step = training_graph(*model, request.training);
  if (!step.ok()) return step.error();
  reorder(*step);
  return step;
}

}  // namespace poet
