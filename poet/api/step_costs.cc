#include "poet/api/step_costs.h"

#include <fmt/core.h>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/cost/formula_costs.h"
#include "poet/cost/measured_costs_json.h"

namespace poet {

Result<CostTable> step_costs(const PlanRequest& request, const Graph& graph, const Device& device) {
  if (!request.costs_path) return formula_costs(graph, device, request.memory_power_scale);
  const Result<std::string> text = read_text_file(*request.costs_path);
  if (!text.ok()) return text.error();
  const Result<MeasuredCosts> measured = parse_measured_costs(*text, *request.costs_path);
  if (!measured.ok()) return measured.error();
  Result<CostTable> costs = measured_costs(
      graph, device, *measured,
      {.kernels = kernel_set_name(request.kernels), .missing = request.missing_costs},
      request.memory_power_scale);
  if (costs.ok()) return costs;
  Error error = costs.error();
  error.where.file = *request.costs_path;
  return error;
}

JsonOut costs_json(const std::string& costs) {
  return costs.empty() ? JsonOut(nullptr) : JsonOut(costs);
}

std::string costs_line(const std::string& costs) {
  return costs.empty() || costs == to_text(CostSource())
             ? ""
             : fmt::format("  {:<12}{}\n", "costs", costs);
}

std::vector<std::string> cost_warnings(const PlanRequest& request, const CostSource& source) {
  if (!request.costs_path || source.from_formulas == 0) return {};
  return {fmt::format("{} has no measurement of {} of {} operations: formulas stand for them",
                      in_quotes(*request.costs_path), source.from_formulas,
                      source.from_formulas + source.from_measurements)};
}

}  // namespace poet
