#include "poet/tell/inspect_plots.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

#include "poet/ask/steps.h"
#include "poet/base/message_text.h"
#include "poet/cost/operation_key.h"
#include "poet/graph/operator_table.h"
#include "poet/plan/plan.h"
#include "poet/problem/facts.h"
#include "poet/report/cost_chart.h"
#include "poet/report/model_dot.h"
#include "poet/tell/inspect_training.h"

namespace poet {
namespace {

constexpr const char* kMemoryPicture = "memory.svg";
constexpr const char* kCostPicture = "costs.svg";

MemoryKind kind_of(TensorRole role) {
  switch (role) {
    case TensorRole::Activation:
    case TensorRole::Input:
      return MemoryKind::Activations;
    case TensorRole::Gradient:
      return MemoryKind::Gradients;
    case TensorRole::Parameter:
    case TensorRole::Constant:
    case TensorRole::Statistic:
    case TensorRole::Step:
    case TensorRole::OptimiserState:
      break;
  }
  return MemoryKind::Parameters;
}

// The actions in which a buffer has bytes of its own: not while what it shares with is there.
std::int64_t own_begin(const std::vector<PlanBuffer>& buffers, const PlanBuffer& buffer) {
  if (!buffer.shares) return buffer.begin_action;
  const PlanBuffer& shared = buffers[static_cast<std::size_t>(*buffer.shares)];
  return std::max(buffer.begin_action, shared.end_action);
}

// One for each different operation of each pass.
std::vector<CostBar> bars_of(const TrainingGraph& step, const Problem& problem) {
  std::vector<CostBar> bars;
  std::map<std::pair<std::string, bool>, std::size_t> places;
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const GraphOperation& operation = step.graph.operations[v];
    const OperatorEntry& entry = entry_of(operation.kind);
    if (entry.view) continue;
    const auto [place, is_new] = places.emplace(
        std::pair(operation_key(types_of(step.graph, operation)), operation.backward), bars.size());
    if (is_new)
      bars.push_back({.name = operation.name,
                      .kind = std::string(entry.name),
                      .count = 0,
                      .backward = operation.backward});
    ++bars[place->second].count;
    bars[place->second].seconds += problem.operations[v].compute_s;
  }
  return bars;
}

}  // namespace

std::vector<MemoryMoment> plain_memory(const TrainingGraph& step, const Problem& problem) {
  const Schedule schedule = plain_schedule(problem);
  const std::vector<PlanBuffer> buffers = buffers_of(problem, schedule);
  // What each action adds and takes away.
  const std::size_t actions = schedule.actions.size();
  std::vector<std::array<std::int64_t, kMemoryKinds>> change(actions + 1);
  for (const PlanBuffer& buffer : buffers) {
    const auto kind = static_cast<std::size_t>(kind_of(at(step.graph.tensors, buffer.tensor).role));
    const std::int64_t begin = own_begin(buffers, buffer);
    if (begin >= buffer.end_action) continue;
    change[static_cast<std::size_t>(begin)][kind] += buffer.size_bytes;
    change[static_cast<std::size_t>(buffer.end_action)][kind] -= buffer.size_bytes;
  }
  std::vector<MemoryMoment> moments;
  std::array<std::int64_t, kMemoryKinds> bytes = {};
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) bytes[kind] += change[a][kind];
    const Compute* const compute = std::get_if<Compute>(&schedule.actions[a]);
    if (compute == nullptr) continue;
    const Operation& operation = at(problem.operations, compute->operation);
    moments.push_back(
        {.operation = operation.name, .backward = operation.backward, .bytes = bytes});
    moments.back().bytes[static_cast<std::size_t>(MemoryKind::Workspace)] +=
        operation.workspace_bytes;
  }
  return moments;
}

std::vector<std::string> inspect_plot_names() {
  return {kModelDotFile, kModelPicture, kMemoryPicture, kCostPicture};
}

Result<std::vector<ReportFile>> inspect_plots(const PlanRequest& request) {
  if (kind_of(request) != GraphKind::Real)
    return bad_input(fmt::format("--plot-directory draws real networks, and {} is none",
                                 in_quotes(request.model)));
  PlanRequest on_device = request;
  if (request.platform.empty()) on_device.platform = kUsualPlatform;
  const Result<Question> question = read_question(on_device);
  if (!question.ok()) return question.error();
  QuestionSteps steps(*question);
  const Result<const MadeStep*> made = steps.first();
  if (!made.ok()) return made.error();
  const TrainingGraph& step = *(*made)->graph;
  const Instance& instance = (*made)->instance;
  return std::vector<ReportFile>{
      {kModelDotFile, model_dot((*steps.model())->graph)},
      {kMemoryPicture,
       standalone_svg(memory_chart(plain_memory(step, instance.problem), ChartWidth::Wide))},
      {kCostPicture, standalone_svg(cost_chart(bars_of(step, instance.problem),
                                               instance.costs + ", on " + instance.device->name,
                                               ChartWidth::Wide))}};
}

}  // namespace poet
