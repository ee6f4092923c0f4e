#include "poet/tell/inspect.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "poet/ask/steps.h"
#include "poet/base/closest_name.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/pose/graph_problem.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/report/figure_text.h"
#include "poet/report/timed_actions.h"
#include "poet/tell/check_text.h"
#include "poet/tell/inspect_training.h"
#include "poet/tell/summary_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

std::string byte_count(std::int64_t value) {
  return count_figure(value) + " B";
}

std::string fact(const std::string& name, const std::string& figure, const std::string& rest = {}) {
  return fmt::format("  {:<26}{}{}{}\n", name, figure, rest.empty() ? "" : "  ", rest);
}

std::int64_t made_bytes(const Problem& problem, const Operation& operation) {
  std::int64_t sum = 0;
  for (const TensorId output : operation.outputs) {
    const Tensor& tensor = at(problem.tensors, output);
    if (tensor.home == Home::Made && !tensor.view_of) sum += tensor.size_bytes;
  }
  return sum;
}

// What one transfer of all outputs of an operation costs.
double sum_over_outputs(const Problem& problem, const Operation& operation, double Tensor::*field) {
  double sum = 0;
  for (const TensorId output : operation.outputs) sum += at(problem.tensors, output).*field;
  return sum;
}

struct GraphFacts {
  std::int64_t backward = 0;
  std::int64_t forward_bytes = 0;
  double compute_s = 0;
  double compute_j = 0;
  WorkingSet working_set;
  std::int64_t plain_peak_bytes = 0;
};

GraphFacts graph_facts(const Problem& problem) {
  GraphFacts facts;
  for (const Operation& operation : problem.operations) {
    facts.compute_s += operation.compute_s;
    facts.compute_j += operation.compute_j;
    if (operation.backward)
      ++facts.backward;
    else
      facts.forward_bytes += made_bytes(problem, operation);
  }
  facts.working_set = largest_working_set(problem);
  facts.plain_peak_bytes = plain_peak_bytes(problem);
  return facts;
}

const char* extra_name(ActionKind kind) {
  switch (kind) {
    case ActionKind::Compute:
      return "compute";
    case ActionKind::Recompute:
      return "recompute";
    case ActionKind::PageIn:
      return "read";
    case ActionKind::PageOut:
      break;
  }
  return "write";
}

const std::string& extra_subject(const Problem& problem, const ExtraWork& work) {
  const auto index = static_cast<std::size_t>(work.index);
  const bool moves = work.kind == ActionKind::PageIn || work.kind == ActionKind::PageOut;
  return moves ? problem.tensors[index].name : problem.operations[index].name;
}

bool is_network(const std::string& name) {
  const auto is_called_so = [&name](const auto& row) { return row.name == name; };
  const std::vector<RealNetwork>& real = real_network_table();
  const std::vector<ReleasedNetwork>& released = released_network_table();
  return name.ends_with(".onnx") || std::any_of(real.begin(), real.end(), is_called_so) ||
         std::any_of(released.begin(), released.end(), is_called_so);
}

bool is_device(const std::string& name) {
  const std::vector<BuiltinDevice>& table = builtin_device_table();
  return name.ends_with(".toml") ||
         std::any_of(table.begin(), table.end(),
                     [&name](const BuiltinDevice& row) { return row.name == name; });
}

Error nothing_called(const std::string& what) {
  std::vector<std::string_view> names;
  for (const RealNetwork& row : real_network_table()) names.push_back(row.name);
  for (const ReleasedNetwork& row : released_network_table()) names.push_back(row.name);
  for (const BuiltinDevice& row : builtin_device_table()) names.push_back(row.name);
  const std::string hint = suggestion(what, names);
  return Error{ErrorCode::NotFound,
               fmt::format("{} is not a network, a device or a file{}", in_quotes(what), hint),
               {}};
}

Result<Description> inspect_released(const Question& question) {
  QuestionSteps steps(question);
  const Result<Instance> instance = instance_in_budget(steps, {}, {});
  if (!instance.ok()) return instance.error();
  const PlanOrigin& origin = question.origin;
  Description graph = describe_graph(instance->problem);
  Description costs = describe_costs(instance->problem);
  graph.text = fmt::format("{} on {}, batch size {}, released graph\n\n", origin.model,
                           origin.platform, question.batch_size) +
               graph.text + "\n" + costs.text;
  graph.json["model"] = origin.model;
  graph.json["graph"] = "released";
  graph.json["platform"] = origin.platform;
  graph.json["warnings"] = instance->warnings;
  graph.json["operations"] = std::move(costs.json);
  graph.warnings = instance->warnings;
  return graph;
}

Result<Description> inspect_network(const std::string& model, PlanRequest request) {
  request.model = model;
  if (request.platform.empty()) request.platform = kUsualPlatform;
  const Result<Question> question = read_question(request);
  if (!question.ok()) return question.error();
  return kind_of(*question) == GraphKind::Released ? inspect_released(*question)
                                                   : inspect_training(*question);
}

}  // namespace

Description describe_graph(const Problem& problem, const Problem* least, bool may_be_cut) {
  // In several memories a budget chooses no updates, and an operation has not all in the RAM.
  const bool has_one_memory = problem.further_memories.empty();
  if (!has_one_memory) least = nullptr;
  const GraphFacts facts = graph_facts(problem);
  const std::string& largest = at(problem.operations, facts.working_set.operation).name;
  const WorkingSet least_set = largest_need_of_ram(least != nullptr ? *least : problem);
  const std::string& least_operation =
      at((least != nullptr ? *least : problem).operations, least_set.operation).name;
  const bool is_least = !has_one_memory || least_set.bytes == facts.working_set.bytes;
  const bool has_energies = knows_energies(problem);
  const std::string end = !has_one_memory ? ", in all memories together"
                          : may_be_cut    ? ": no schedule of whole operations needs less"
                                          : ": no schedule needs less";
  Description out;
  out.text = fact("operations", count_figure(std::ssize(problem.operations)),
                  fmt::format("of which {} backward", count_figure(facts.backward))) +
             fact("computing once", time_figure(facts.compute_s),
                  has_energies ? energy_figure(facts.compute_j) : "energies are not known") +
             fact("outputs of forward", byte_count(facts.forward_bytes)) +
             fact("largest working set", byte_count(facts.working_set.bytes),
                  "of " + largest + (is_least ? end : ", with separate updates")) +
             (is_least ? ""
                       : fact("with updates by slices", byte_count(least_set.bytes),
                              "of " + least_operation + end)) +
             (may_be_cut ? fact("in parts", "may be less", "'poet minimum' finds it") : "") +
             fact("plain peak", byte_count(facts.plain_peak_bytes), "when everything is kept");
  out.json = {{"operation_count", problem.operations.size()},
              {"backward_count", facts.backward},
              {"compute_s", facts.compute_s},
              {"compute_j", has_energies ? JsonOut(facts.compute_j) : JsonOut(nullptr)},
              {"forward_bytes", facts.forward_bytes},
              {"largest_working_set_bytes", facts.working_set.bytes},
              {"largest_working_set_operation", largest},
              {"least_bytes", least_set.bytes},
              {"least_operation", least_operation},
              {"least_of_whole_operations", may_be_cut},
              {"plain_peak_bytes", facts.plain_peak_bytes}};
  return out;
}

Description describe_costs(const Problem& problem) {
  TextTable table{{{"operation", Align::Left},
                   {"bytes"},
                   {"compute s"},
                   {"compute J"},
                   {"page-in J"},
                   {"page-out J"}},
                  {}};
  JsonOut list = JsonOut::array();
  const bool has_energies = knows_energies(problem);
  // Of a file that states nothing, nothing is known of transfers either.
  const auto is_known = [has_energies](double energy_j) { return has_energies || energy_j > 0; };
  const auto transfer = [is_known](double energy_j) {
    return is_known(energy_j) ? fmt::format("{:.6g}", energy_j) : "-";
  };
  const auto json_of = [is_known](double energy_j) {
    return is_known(energy_j) ? JsonOut(energy_j) : JsonOut(nullptr);
  };
  for (const Operation& operation : problem.operations) {
    const std::int64_t size_bytes = made_bytes(problem, operation);
    const double in_j = sum_over_outputs(problem, operation, &Tensor::page_in_j);
    const double out_j = sum_over_outputs(problem, operation, &Tensor::page_out_j);
    table.rows.push_back({operation.name, count_figure(size_bytes),
                          fmt::format("{:.6g}", operation.compute_s),
                          has_energies ? fmt::format("{:.6g}", operation.compute_j) : "-",
                          transfer(in_j), transfer(out_j)});
    list.push_back({{"name", operation.name},
                    {"backward", operation.backward},
                    {"output_bytes", size_bytes},
                    {"compute_s", operation.compute_s},
                    {"compute_j", has_energies ? JsonOut(operation.compute_j) : JsonOut(nullptr)},
                    {"page_in_j", json_of(in_j)},
                    {"page_out_j", json_of(out_j)}});
  }
  return {to_text(table), std::move(list), {}};
}

Description describe_device(const Device& device) {
  TextTable table{{{"figure", Align::Left}, {"value", Align::Left}, {"source", Align::Left}}, {}};
  JsonOut figures = JsonOut::array();
  for (const DeviceFigure& figure : device.figures) {
    table.rows.push_back({figure.key, figure.text, figure.source});
    figures.push_back({{"key", figure.key}, {"text", figure.text}, {"source", figure.source}});
  }
  JsonOut memories = JsonOut::array();
  for (const DeviceMemory& memory : device.memories)
    memories.push_back({{"name", memory.name}, {"size_bytes", memory.size_bytes}});
  return {fmt::format("{}: {}\n\n{}", device.name, device.title, to_text(table)),
          {{"name", device.name},
           {"title", device.title},
           {"ram_bytes", device.ram_bytes},
           {"memories", std::move(memories)},
           {"figures", std::move(figures)}},
          {}};
}

Description describe_plan(const PlanCheck& check) {
  const Problem& problem = check.plan.problem;
  const std::vector<ExtraWork> extra =
      extra_work(problem, timed_actions(problem, check.plan.schedule, check.replay));
  TextTable table{
      {{"what", Align::Left}, {"of", Align::Left}, {"times"}, {"bytes"}, {"energy"}, {"time"}}, {}};
  JsonOut list = JsonOut::array();
  for (const ExtraWork& work : extra) {
    const std::string& subject = extra_subject(problem, work);
    const bool has_energy = knows_energies(problem) || work.energy_j > 0;
    table.rows.push_back(
        {extra_name(work.kind), subject, count_figure(work.count), count_figure(work.size_bytes),
         has_energy ? energy_figure(work.energy_j) : "-", time_figure(work.time_s)});
    list.push_back({{"what", extra_name(work.kind)},
                    {"of", subject},
                    {"times", work.count},
                    {"size_bytes", work.size_bytes},
                    {"energy_j", has_energy ? JsonOut(work.energy_j) : JsonOut(nullptr)},
                    {"time_s", work.time_s},
                    {"stages", work.stages}});
  }
  Description out{check_text(check), check_to_json(check), {}};
  if (!check.plan.origin.command.empty())
    out.text += fmt::format("  {:<12}{}\n", "made by", check.plan.origin.command);
  out.text += extra.empty() ? "\nnothing is recomputed or paged\n" : "\n" + to_text(table);
  out.json["extra"] = std::move(list);
  return out;
}

Result<Description> describe_models() {
  TextTable table{{{"model", Align::Left},
                   {"graph", Align::Left},
                   {"operations"},
                   {"parameters"},
                   {"working set B"},
                   {"plain peak B"},
                   {"what it is", Align::Left}},
                  {}};
  JsonOut list = JsonOut::array();
  const auto add = [&](std::string_view name, const char* graph, std::string_view what,
                       const NetworkLine& figures) {
    table.rows.push_back({std::string(name), graph, count_figure(figures.operations),
                          figures.parameters == 0 ? "" : count_figure(figures.parameters),
                          count_figure(figures.working_set_bytes),
                          count_figure(figures.plain_peak_bytes), std::string(what)});
    list.push_back({{"name", name},
                    {"what", what},
                    {"graph", graph},
                    {"operations", figures.operations},
                    {"parameter_count", figures.parameters},
                    {"largest_working_set_bytes", figures.working_set_bytes},
                    {"plain_peak_bytes", figures.plain_peak_bytes}});
  };
  for (const RealNetwork& row : real_network_table()) {
    const Result<NetworkLine> figures = network_line(row.name);
    if (!figures.ok()) return figures.error();
    add(row.name, "real", row.what, *figures);
  }
  for (const ReleasedNetwork& row : released_network_table()) {
    const Result<Outline> graph = released_graph(row.name, 1);
    if (!graph.ok()) return graph.error();
    CostTable free_of_charge{std::vector<OperationCost>(graph->operations.size()),
                             std::vector<TensorCost>(graph->tensors.size())};
    const GraphFacts facts = graph_facts(outline_problem(*graph, free_of_charge));
    add(row.name, "released", row.what,
        {.operations = std::ssize(graph->operations),
         .working_set_bytes = facts.working_set.bytes,
         .plain_peak_bytes = facts.plain_peak_bytes});
  }
  return Description{to_text(table), std::move(list), {}};
}

Result<Description> describe_devices() {
  TextTable table{{{"device", Align::Left}, {"RAM"}, {"MFLOP/s"}, {"what it is", Align::Left}}, {}};
  JsonOut list = JsonOut::array();
  for (const BuiltinDevice& row : builtin_device_table()) {
    const Result<Device> device = load_device(std::string(row.name));
    if (!device.ok()) return device.error();
    table.rows.push_back({device->name, size_figure(device->ram_bytes),
                          fmt::format("{:.4g}", device->compute.flop_per_s / 1e6), device->title});
    list.push_back({{"name", device->name},
                    {"title", device->title},
                    {"ram_bytes", device->ram_bytes},
                    {"flop_per_s", device->compute.flop_per_s}});
  }
  return Description{to_text(table), std::move(list), {}};
}

Result<Description> inspect_graph_file(const std::string& path,
                                       const std::optional<std::string>& platform) {
  const Result<Question> question =
      read_question({.platform = platform.value_or(""), .graph_file = path});
  if (!question.ok()) return question.error();
  const Result<Problem> problem = costed_graph_problem(*question);
  if (!problem.ok()) return problem.error();
  Description graph = describe_graph(*problem);
  Description costs = describe_costs(*problem);
  const std::string& source = std::get<CostedGraph>(question->graph).source;
  graph.text = question->origin.model + (platform ? " on " + *platform : "") +
               ", graph from a file\n\n" + graph.text +
               (source.empty() ? "" : fact("source", source)) + "\n" + costs.text;
  graph.json["model"] = question->origin.model;
  graph.json["platform"] = platform ? JsonOut(*platform) : JsonOut(nullptr);
  graph.json["graph"] = "file";
  graph.json["source"] = source;
  graph.warnings = costed_graph_warnings(*question, *problem);
  graph.json["warnings"] = graph.warnings;
  graph.json["operations"] = std::move(costs.json);
  return graph;
}

Result<Description> inspect(const std::string& what, const PlanRequest& how) {
  if (is_network(what)) return inspect_network(what, how);
  std::error_code ignored;
  if (!is_device(what) && !what.ends_with(".json") && !std::filesystem::exists(what, ignored))
    return nothing_called(what);
  if (!how.platform.empty() || how.batch_size != 1)
    return bad_input(fmt::format("{} applies to a network, and {} is a {}",
                                 how.platform.empty() ? "--batch-size" : "--platform",
                                 in_quotes(what), is_device(what) ? "device" : "plan"));
  if (is_device(what)) {
    const Result<Device> device = load_device(what);
    if (!device.ok()) return device.error();
    return describe_device(*device);
  }
  const Result<PlanCheck> check = verify_plan_file(what, std::nullopt);
  if (!check.ok()) return check.error();
  return describe_plan(*check);
}

}  // namespace poet
