#include "poet/tell/inspect_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "poet/ask/choose_parts.h"
#include "poet/ask/steps.h"
#include "poet/autodiff/order.h"
#include "poet/autodiff/step_memory.h"
#include "poet/graph/operator_table.h"
#include "poet/pose/training_problem.h"
#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"
#include "poet/tell/cuts_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

// What a network and its training step add up to.
struct TrainingFacts {
  std::int64_t parameters = 0;  // values of the network, trained or not
  std::int64_t trained = 0;     // those that are trained
  std::int64_t activation_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t state_bytes = 0;
  std::int64_t forward_flop = 0;
  std::int64_t backward_flop = 0;  // with the updates
};

std::int64_t flop_of(const Graph& graph, const GraphOperation& operation) {
  const OperatorEntry& entry = entry_of(operation.kind);
  return entry.view ? 0 : entry.flop(types_of(graph, operation));
}

std::int64_t values_of(const GraphTensor& tensor) {
  return value_count(tensor.type.shape);
}

void add_tensors(const Graph& graph, TrainingFacts& facts) {
  for (const GraphOperation& operation : graph.operations) {
    if (operation.backward || entry_of(operation.kind).view) continue;
    for (const TensorId output : operation.outputs)
      facts.activation_bytes += size_bytes(at(graph.tensors, output).type);
  }
  for (const GraphTensor& tensor : graph.tensors) {
    if (tensor.home == Home::Made) continue;
    if (tensor.role == TensorRole::Parameter) facts.parameters += values_of(tensor);
    if (tensor.role == TensorRole::OptimiserState) facts.state_bytes += size_bytes(tensor.type);
  }
}

TrainingFacts training_facts(const TrainingGraph& step) {
  TrainingFacts facts;
  add_tensors(step.graph, facts);
  for (const TrainedParameter& trained : step.trained) {
    facts.trained += values_of(at(step.graph.tensors, trained.parameter));
    if (trained.gradient)
      facts.gradient_bytes += size_bytes(at(step.graph.tensors, *trained.gradient).type);
  }
  for (const GraphOperation& operation : step.graph.operations)
    (operation.backward ? facts.backward_flop : facts.forward_flop) +=
        flop_of(step.graph, operation);
  return facts;
}

std::string fact_line(const std::string& name, const std::string& figure,
                      const std::string& rest = {}) {
  return fmt::format("  {:<26}{}{}{}\n", name, figure, rest.empty() ? "" : "  ", rest);
}

std::string flop_figure(std::int64_t flop) {
  return short_number(static_cast<double>(flop) / 1e6, 3) + " MFLOP";
}

std::string facts_text(const TrainingFacts& facts) {
  return fact_line("parameters", count_figure(facts.parameters),
                   fmt::format("of which {} trained", count_figure(facts.trained))) +
         fact_line("activations", size_figure(facts.activation_bytes), "made by the forward pass") +
         fact_line("gradients", size_figure(facts.gradient_bytes), "of the trained parameters") +
         fact_line("optimiser state", size_figure(facts.state_bytes)) +
         fact_line("forward pass", flop_figure(facts.forward_flop)) +
         fact_line("backward pass", flop_figure(facts.backward_flop), "with the updates");
}

JsonOut facts_json(const TrainingFacts& facts) {
  return {{"parameter_count", facts.parameters},        {"trained_count", facts.trained},
          {"activation_bytes", facts.activation_bytes}, {"gradient_bytes", facts.gradient_bytes},
          {"optimiser_state_bytes", facts.state_bytes}, {"forward_flop", facts.forward_flop},
          {"backward_flop", facts.backward_flop}};
}

// What all operations of one operator add up to.
struct OperatorSum {
  std::string_view name = {};
  std::int64_t operations = 0;
  std::int64_t flop = 0;
  double compute_s = 0;
  double compute_j = 0;
};

// The most expensive first; of equals, the first in the table of operators.
std::vector<OperatorSum> operator_sums(const TrainingGraph& step, const Problem& problem) {
  std::map<Operator, OperatorSum> sums;
  for (std::size_t v = 0; v < step.graph.operations.size(); ++v) {
    const GraphOperation& operation = step.graph.operations[v];
    OperatorSum& sum = sums[operation.kind];
    sum.name = entry_of(operation.kind).name;
    ++sum.operations;
    sum.flop += flop_of(step.graph, operation);
    sum.compute_s += problem.operations[v].compute_s;
    sum.compute_j += problem.operations[v].compute_j;
  }
  std::vector<OperatorSum> sorted;
  for (const auto& [kind, sum] : sums) sorted.push_back(sum);
  std::stable_sort(sorted.begin(), sorted.end(), [](const OperatorSum& a, const OperatorSum& b) {
    return a.compute_s > b.compute_s;
  });
  return sorted;
}

Description operators(const TrainingGraph& step, const Problem& problem) {
  TextTable table{{{"operator", Align::Left},
                   {"operations"},
                   {"MFLOP"},
                   {"compute s"},
                   {"compute J"},
                   {"of the time"}},
                  {}};
  JsonOut list = JsonOut::array();
  const std::vector<OperatorSum> sums = operator_sums(step, problem);
  double all_s = 0;
  for (const OperatorSum& sum : sums) all_s += sum.compute_s;
  for (const OperatorSum& sum : sums) {
    table.rows.push_back({std::string(sum.name), count_figure(sum.operations),
                          fmt::format("{:.6g}", static_cast<double>(sum.flop) / 1e6),
                          fmt::format("{:.6g}", sum.compute_s),
                          fmt::format("{:.6g}", sum.compute_j),
                          percent_figure(all_s > 0 ? sum.compute_s / all_s : 0)});
    list.push_back({{"operator", sum.name},
                    {"operations", sum.operations},
                    {"flop", sum.flop},
                    {"compute_s", sum.compute_s},
                    {"compute_j", sum.compute_j}});
  }
  return {to_text(table), std::move(list), {}};
}

// One row per operation, in the order of the step.
Description operations(const TrainingGraph& step, const Problem& problem) {
  TextTable table{{{"operation", Align::Left},
                   {"operator", Align::Left},
                   {"makes", Align::Left},
                   {"bytes"},
                   {"MFLOP"},
                   {"compute s"},
                   {"compute J"}},
                  {}};
  JsonOut list = JsonOut::array();
  for (std::size_t v = 0; v < step.graph.operations.size(); ++v) {
    const GraphOperation& operation = step.graph.operations[v];
    const OperatorEntry& entry = entry_of(operation.kind);
    const TensorType& made = at(step.graph.tensors, operation.outputs[0]).type;
    const std::int64_t flop = flop_of(step.graph, operation);
    const Operation& costed = problem.operations[v];
    table.rows.push_back({operation.name, std::string(entry.name), to_text(made.shape),
                          count_figure(entry.view ? 0 : size_bytes(made)),
                          fmt::format("{:.6g}", static_cast<double>(flop) / 1e6),
                          fmt::format("{:.6g}", costed.compute_s),
                          fmt::format("{:.6g}", costed.compute_j)});
    list.push_back({{"name", operation.name},
                    {"operator", entry.name},
                    {"backward", operation.backward},
                    {"shape", made.shape},
                    {"output_bytes", entry.view ? 0 : size_bytes(made)},
                    {"flop", flop},
                    {"workspace_bytes", costed.workspace_bytes},
                    {"compute_s", costed.compute_s},
                    {"compute_j", costed.compute_j}});
  }
  return {to_text(table), std::move(list), {}};
}

std::string order_line(const OrderFigures& figures) {
  if (figures.naive_peak_bytes == figures.peak_bytes) return {};
  return fact_line(
      "", "",
      fmt::format("({} in the order of differentiation, before a better one was searched "
                  "for)",
                  size_figure(figures.naive_peak_bytes)));
}

}  // namespace

Result<Description> inspect_training(const Question& question) {
  QuestionSteps steps(question);
  const Result<const MadeStep*> made = steps.first();
  if (!made.ok()) return made.error();
  const Result<std::vector<UpdateLevel>> levels = update_levels(steps);
  if (!levels.ok()) return levels.error();
  const TrainingGraph& step = *(*made)->graph;
  const Instance& instance = (*made)->instance;
  const PlanOrigin& origin = question.origin;

  const TrainingFacts facts = training_facts(step);
  Description out = describe_graph(instance.problem, &levels->back().instance.problem,
                                   leaves_parts_open(question));
  Description by_operator = operators(step, instance.problem);
  Description each = operations(step, instance.problem);
  out.text = fmt::format("{} on {}, batch size {}, real graph\n\n", origin.model, origin.platform,
                         question.batch_size) +
             facts_text(facts) + out.text + order_line((*made)->order) +
             fact_line("costs", instance.costs) + "\n" + by_operator.text + "\n" + each.text;
  if (const std::optional<std::int64_t> part_bytes = question.training.part_bytes) {
    Description cut =
        describe_cuts(instance.parts.cuts ? *instance.parts.cuts : Cuts{}, *part_bytes);
    out.text += "\n" + cut.text;
    out.json["parts"] = std::move(cut.json);
  }
  out.json.update(facts_json(facts));
  out.json["model"] = origin.model;
  out.json["graph"] = "real";
  out.json["platform"] = origin.platform;
  out.json["batch_size"] = question.batch_size;
  out.json["updates"] = name_of(kUpdates, question.training.updates);
  out.json["naive_plain_peak_bytes"] = (*made)->order.naive_peak_bytes;
  out.json["costs"] = instance.costs;
  out.warnings = instance.warnings;
  out.json["warnings"] = out.warnings;
  out.json["operators"] = std::move(by_operator.json);
  out.json["operations"] = std::move(each.json);
  return out;
}

Result<NetworkLine> network_line(std::string_view name) {
  const Result<Model> model = real_network(name, {});
  if (!model.ok()) return model.error();
  const Result<TrainingGraph> step = training_graph(*model, {});
  if (!step.ok()) return step.error();
  Device without_figures;
  without_figures.compute = {.flop_per_s = 1, .flop_per_j = 1};
  without_figures.storage.read.rate_bytes_per_s = 1;
  without_figures.storage.write.rate_bytes_per_s = 1;
  const Result<Problem> problem = training_problem(*step, without_figures, 1);
  if (!problem.ok()) return problem.error();
  return NetworkLine{.operations = std::ssize(problem->operations),
                     .parameters = training_facts(*step).parameters,
                     .working_set_bytes = largest_working_set(*problem).bytes,
                     .plain_peak_bytes = plain_peak_bytes(*problem)};
}

}  // namespace poet
