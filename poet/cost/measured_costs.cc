#include "poet/cost/measured_costs.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"
#include "poet/cost/formula_costs.h"
#include "poet/cost/operation_key.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

using CostsByKey = std::map<std::string_view, const MeasuredOperation*>;

CostsByKey costs_by_key(const MeasuredCosts& costs, std::string_view kernels) {
  CostsByKey by_key;
  for (const MeasuredOperation& operation : costs.operations)
    if (operation.kernels == kernels) by_key.emplace(operation.key, &operation);
  return by_key;
}

OperationCost cost_of(const MeasuredOperation& operation, double active_power_w) {
  return {.compute_j = operation.joules.value_or(operation.seconds * active_power_w),
          .compute_s = operation.seconds};
}

// Where it was measured, an input takes as long as its examples, on a processor at work.
void bring_examples(const Graph& graph, const MeasuredCosts& measured, CostTable& costs) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].role != TensorRole::Input) continue;
    for (const MeasuredOperation& example : measured.examples) {
      if (example.key != example_key(graph.tensors[i].type)) continue;
      const OperationCost cost = cost_of(example, measured.active_power_w);
      costs.tensors[i].page_in_s = cost.compute_s;
      costs.tensors[i].page_in_j = cost.compute_j;
    }
  }
}

// All at once, so that one profile can make them all.
Error missing_error(const std::vector<std::string>& missing, const std::string& kernels) {
  constexpr std::size_t kMostLines = 20;
  std::string message = fmt::format(
      "{} of the step {} not measured with {} kernels ('poet profile' measures; --costs-missing "
      "formula takes formulas for them):",
      missing.size() == 1 ? "1 operation" : fmt::format("{} different operations", missing.size()),
      missing.size() == 1 ? "is" : "are", kernels);
  for (std::size_t i = 0; i < std::min(missing.size(), kMostLines); ++i)
    message += "\n  " + missing[i];
  if (missing.size() > kMostLines)
    message += fmt::format("\n  and {} more", missing.size() - kMostLines);
  return {ErrorCode::NotFound, message, {}};
}

constexpr WholeRange kCounts{0, std::numeric_limits<std::int64_t>::max()};

JsonOut operation_to_json(const MeasuredOperation& operation) {
  return {{"operation", operation.key},          {"kernels", operation.kernels},
          {"seconds", operation.seconds},        {"spread_s", operation.spread_s},
          {"joules", or_null(operation.joules)}, {"samples", operation.samples},
          {"executions", operation.executions},  {"uses", operation.uses}};
}

JsonOut operations_to_json(const std::vector<MeasuredOperation>& operations) {
  JsonOut list = JsonOut::array();
  for (const MeasuredOperation& operation : operations)
    list.push_back(operation_to_json(operation));
  return list;
}

MeasuredOperation read_operation(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "an operation", reader);
  MeasuredOperation operation{.key = object.text("operation"),
                              .kernels = object.text("kernels"),
                              .seconds = object.number("seconds", NumberRange::NotNegative),
                              .spread_s = object.number("spread_s", NumberRange::NotNegative)};
  const JsonValue& joules = object.member("joules");
  if (!std::holds_alternative<std::nullptr_t>(joules.data))
    operation.joules = reader.number(joules, "joules", NumberRange::NotNegative);
  operation.samples = object.whole("samples", kCounts);
  operation.executions = object.whole("executions", kCounts);
  operation.uses = object.whole("uses", kCounts);
  object.finish();
  return operation;
}

void read_operations(const JsonList& list, std::vector<MeasuredOperation>& operations,
                     JsonReader& reader) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const JsonValue& value : list) {
    operations.push_back(read_operation(value, reader));
    const MeasuredOperation& operation = operations.back();
    if (!seen.emplace(operation.key, operation.kernels).second)
      reader.refuse(value, "the operation " + in_quotes(operation.key) + " with " +
                               in_quotes(operation.kernels) + " kernels stands here twice");
  }
}

}  // namespace

const MeasuredOperation* find_cost(const MeasuredCosts& costs, std::string_view key,
                                   std::string_view kernels) {
  for (const MeasuredOperation& operation : costs.operations)
    if (operation.key == key && operation.kernels == kernels) return &operation;
  return nullptr;
}

Result<CostTable> measured_costs(const Graph& graph, const Device& device,
                                 const MeasuredCosts& measured, const MeasuredChoice& choice,
                                 double memory_power_scale) {
  Result<CostTable> costs = formula_costs(graph, device, memory_power_scale);
  if (!costs.ok()) return costs.error();
  costs->source = {.kernels = choice.kernels,
                   .measured = fmt::format("{}, {}", measured.machine, measured.measured)};
  bring_examples(graph, measured, *costs);
  const CostsByKey by_key = costs_by_key(measured, choice.kernels);
  std::set<std::string> seen;
  std::vector<std::string> missing;  // each key once, in the order of the step
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const GraphOperation& operation = graph.operations[v];
    if (entry_of(operation.kind).view) continue;
    const std::string key = operation_key(types_of(graph, operation));
    const auto found = by_key.find(key);
    if (found != by_key.end()) {
      costs->operations[v] = cost_of(*found->second, measured.active_power_w);
      ++costs->source.from_measurements;
      continue;
    }
    ++costs->source.from_formulas;
    if (seen.insert(key).second) missing.push_back(key);
  }
  if (!missing.empty() && choice.missing == MissingCosts::Refused)
    return missing_error(missing, choice.kernels);
  return costs;
}

std::string measured_costs_text(const MeasuredCosts& costs) {
  JsonOut out = {{"format", "poet-costs"},
                 {"version", 1},
                 {"machine", costs.machine},
                 {"measured", costs.measured},
                 {"complete", costs.complete},
                 {"active_power_w", costs.active_power_w},
                 {"power_source", costs.power_source}};
  out["operations"] = operations_to_json(costs.operations);
  if (!costs.examples.empty()) out["examples"] = operations_to_json(costs.examples);
  return json_text(out);
}

Result<MeasuredCosts> parse_measured_costs(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "a cost table", reader);
  object.format("poet-costs", 1);
  if (reader.failure()) return *reader.failure();
  MeasuredCosts costs{.machine = object.text("machine"),
                      .measured = object.text("measured"),
                      .complete = object.flag("complete"),
                      .active_power_w = object.number("active_power_w", NumberRange::NotNegative),
                      .power_source = object.text("power_source")};
  read_operations(object.list("operations"), costs.operations, reader);
  if (object.has("examples")) read_operations(object.list("examples"), costs.examples, reader);
  object.finish();
  if (reader.failure()) return *reader.failure();
  return costs;
}

}  // namespace poet
