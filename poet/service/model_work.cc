#include "poet/service/model_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/api/training_step.h"
#include "poet/api/update_levels.h"
#include "poet/base/json_out.h"
#include "poet/graph/shape.h"
#include "poet/model/onnx_file.h"
#include "poet/problem/facts.h"
#include "poet/service/plan_work.h"

namespace poet {
namespace {

struct ParameterSums {
  std::int64_t values = 0;
  std::int64_t bytes = 0;
};

Result<ParameterSums> trained_parameters(const PlanRequest& plan) {
  const Result<TrainingGraph> step = training_step(plan);
  if (!step.ok()) return step.error();
  ParameterSums sums;
  for (const TrainedParameter& trained : step->trained) {
    const TensorType& type = at(step->graph.tensors, trained.parameter).type;
    sums.values += value_count(type.shape);
    sums.bytes += size_bytes(type);
  }
  return sums;
}

// `with_least`: with the updates that need least.
JsonOut figures_of_instance(const Instance& instance, const Instance& with_least) {
  const Problem& problem = instance.problem;
  std::int64_t backward = 0;
  double forward_s = 0;
  double backward_s = 0;
  for (const Operation& operation : problem.operations) {
    backward += operation.backward ? 1 : 0;
    (operation.backward ? backward_s : forward_s) += operation.compute_s;
  }
  const WorkingSet largest = largest_working_set(problem);
  const WorkingSet least_step = largest_working_set(with_least.problem);
  const Unavoidable least = unavoidable(problem);
  return {{"io", name_of(kTimeModes, problem.time_mode)},
          {"operations", problem.operations.size()},
          {"forward_operations", std::ssize(problem.operations) - backward},
          {"backward_operations", backward},
          {"tensors", problem.tensors.size()},
          {"working_set_bytes", largest.bytes},
          {"working_set_operation", at(problem.operations, largest.operation).name},
          {"least_bytes", least_step.bytes},
          {"least_operation", at(with_least.problem.operations, least_step.operation).name},
          {"plain_peak_bytes", plain_peak_bytes(problem)},
          {"device_ram_bytes", problem.ram_budget_bytes},
          {"compute_s", forward_s + backward_s},
          {"forward_s", forward_s},
          {"backward_s", backward_s},
          {"unavoidable_j", least.energy_j},
          {"unavoidable_s", least.time_s},
          {"warnings", instance.warnings}};
}

// The names of extents that the file leaves open, but for the first of each input.
std::vector<std::string> open_dimensions(const OnnxModel& file) {
  std::vector<std::string> names;
  for (const OnnxInput& input : file.inputs) {
    if (!input.shape) continue;
    for (std::size_t d = 1; d < input.shape->size(); ++d)
      if (const auto* const name = std::get_if<std::string>(&(*input.shape)[d]))
        if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
  }
  return names;
}

}  // namespace

WorkOutput figures_work(const WorkOrder& order, const PlanRequest& plan) {
  const Result<std::vector<UpdateLevel>> levels = update_levels(plan);
  if (!levels.ok()) return refused_work(levels.error(), plan);
  const bool real = graph_of(plan) == "real";
  const Result<ParameterSums> sums = real ? trained_parameters(plan) : ParameterSums{};
  if (!sums.ok()) return refused_work(sums.error(), plan);
  JsonOut out = {{"model", order.question.asked.plan.model},
                 {"name", order.model_name},
                 {"graph", graph_of(plan)},
                 {"platform", plan.platform},
                 {"batch_size", plan.batch_size},
                 {"parameters", real ? JsonOut(sums->values) : JsonOut(nullptr)},
                 {"parameter_bytes", real ? JsonOut(sums->bytes) : JsonOut(nullptr)}};
  out.update(figures_of_instance(levels->front().instance, levels->back().instance));
  WorkOutput output;
  output.result = json_text(out);
  return output;
}

WorkOutput describe_work(const PlanRequest& plan) {
  const Result<OnnxModel> file = read_onnx(plan.model);
  if (!file.ok()) return refused_work(file.error(), plan);
  const std::vector<std::string> open = open_dimensions(*file);
  if (open.empty()) {
    const Result<TrainingGraph> step = training_step(plan);
    if (!step.ok()) return refused_work(step.error(), plan);
  }
  const std::string name = file->graph_name.empty() ? "network" : file->graph_name;
  WorkOutput output;
  output.result = json_line(
      {{"what", fmt::format("{}: {} nodes", name, file->nodes.size())}, {"dimensions", open}});
  return output;
}

}  // namespace poet
