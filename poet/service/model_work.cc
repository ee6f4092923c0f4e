#include "poet/service/model_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/ask/question.h"
#include "poet/ask/steps.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/graph/shape.h"
#include "poet/model/onnx_file.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/service/plan_work.h"

namespace poet {
namespace {

struct ParameterSums {
  std::int64_t values = 0;
  std::int64_t bytes = 0;
};

ParameterSums trained_parameters(const TrainingGraph& step) {
  ParameterSums sums;
  for (const TrainedParameter& trained : step.trained) {
    const TensorType& type = at(step.graph.tensors, trained.parameter).type;
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
  // In several memories a budget chooses no updates.
  const Problem& least_problem = problem.further_memories.empty() ? with_least.problem : problem;
  const WorkingSet least_step = largest_need_of_ram(least_problem);
  const Unavoidable least = unavoidable(problem);
  return {{"io", name_of(kTimeModes, problem.time_mode)},
          {"operations", problem.operations.size()},
          {"forward_operations", std::ssize(problem.operations) - backward},
          {"backward_operations", backward},
          {"tensors", problem.tensors.size()},
          {"working_set_bytes", largest.bytes},
          {"working_set_operation", at(problem.operations, largest.operation).name},
          {"least_bytes", least_step.bytes},
          {"least_operation", at(least_problem.operations, least_step.operation).name},
          {"plain_peak_bytes", plain_peak_bytes(problem)},
          {"device_ram_bytes", problem.ram_budget_bytes},
          {"compute_s", forward_s + backward_s},
          {"forward_s", forward_s},
          {"backward_s", backward_s},
          {"unavoidable_j", least.energy_j},
          {"unavoidable_s", least.time_s},
          {"warnings", warnings_of_fields(instance.warnings)}};
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

// The batch size that the file was exported for; none where it leaves that open.
std::optional<std::int64_t> fixed_batch(const OnnxModel& file) {
  for (const OnnxInput& input : file.inputs) {
    if (!input.shape || input.shape->empty()) continue;
    if (const auto* const extent = std::get_if<std::int64_t>(&input.shape->front())) return *extent;
  }
  return std::nullopt;
}

}  // namespace

WorkOutput figures_work(const WorkOrder& order, const PlanRequest& plan) {
  const Result<Question> question = read_question(plan);
  if (!question.ok()) return refused_work(question.error(), plan);
  QuestionSteps steps(*question);
  const Result<std::vector<UpdateLevel>> levels = update_levels(steps);
  if (!levels.ok()) return refused_work(levels.error(), plan);
  const std::optional<TrainingGraph>& step = (*steps.first())->graph;
  const bool real = step.has_value();
  const ParameterSums sums = real ? trained_parameters(*step) : ParameterSums{};
  JsonOut out = {{"model", order.question.asked.model},
                 {"name", order.model_name},
                 {"graph", question->origin.graph},
                 {"platform", plan.platform},
                 {"batch_size", plan.batch_size},
                 {"parameters", real ? JsonOut(sums.values) : JsonOut(nullptr)},
                 {"parameter_bytes", real ? JsonOut(sums.bytes) : JsonOut(nullptr)}};
  out.update(figures_of_instance(levels->front().instance, levels->back().instance));
  WorkOutput output;
  output.result = json_text(out);
  return output;
}

WorkOutput describe_work(const PlanRequest& plan) {
  Result<Question> question = read_network_question(plan);
  if (!question.ok()) return refused_work(question.error(), plan);
  const OnnxModel& file = *std::get<AskedNetwork>(question->graph).file;
  const std::vector<std::string> open = open_dimensions(file);
  // Nobody has asked for a batch yet.
  if (const std::optional<std::int64_t> batch = fixed_batch(file)) question->batch_size = *batch;
  if (open.empty()) {
    const Result<Model> model = model_of(*question);
    if (!model.ok()) return refused_work(model.error(), plan);
    const Result<TrainingGraph> step = step_of(*question, *model);
    if (!step.ok()) return refused_work(step.error(), plan);
  }
  const std::string name = file.graph_name.empty() ? "network" : file.graph_name;
  WorkOutput output;
  output.result =
      json_line({{"what", fmt::format("{}: {}", name, counted(std::ssize(file.nodes), "node"))},
                 {"dimensions", open}});
  return output;
}

}  // namespace poet
