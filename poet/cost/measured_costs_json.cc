#include "poet/cost/measured_costs_json.h"

#include <limits>
#include <set>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

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
