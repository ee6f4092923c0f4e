#include "poet/use/step_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"

namespace poet {
namespace {

constexpr WholeRange kWholeNumbers{0, std::numeric_limits<std::int64_t>::max()};

JsonOut transfers_to_json(const std::vector<TransferTime>& times) {
  JsonOut list = JsonOut::array();
  for (const TransferTime& time : times)
    list.push_back({{"size_bytes", time.size_bytes}, {"seconds", time.seconds}});
  return list;
}

JsonOut operations_to_json(const std::vector<MeasuredOperation>& operations) {
  JsonOut list = JsonOut::array();
  for (const MeasuredOperation& operation : operations)
    list.push_back({{"operation", operation.key},
                    {"seconds", operation.seconds},
                    {"samples", operation.samples},
                    {"uses", operation.uses}});
  return list;
}

std::vector<TransferTime> read_transfers(const JsonList& list, JsonReader& reader) {
  std::vector<TransferTime> times;
  for (const JsonValue& value : list) {
    JsonObject object(value, "a transfer", reader);
    times.push_back({.size_bytes = object.whole("size_bytes", kSizeRange),
                     .seconds = object.number("seconds", NumberRange::NotNegative)});
    object.finish();
  }
  return times;
}

MeasuredOperation read_operation(const JsonValue& value, const std::string& kernels,
                                 JsonReader& reader) {
  JsonObject object(value, "an operation", reader);
  MeasuredOperation operation{.key = object.text("operation"),
                              .kernels = kernels,
                              .seconds = object.number("seconds", NumberRange::NotNegative),
                              .samples = object.whole("samples", kWholeNumbers),
                              .uses = object.whole("uses", kWholeNumbers)};
  operation.executions = operation.samples * operation.uses;
  object.finish();
  return operation;
}

// By the link as it stands.
double predicted_s(const StorageLink& link, const std::vector<TransferTime>& times) {
  double sum_s = 0;
  for (const TransferTime& time : times) sum_s += transfer_s(link, time.size_bytes);
  return sum_s;
}

double measured_s(const std::vector<TransferTime>& times) {
  double sum_s = 0;
  for (const TransferTime& time : times) sum_s += time.seconds;
  return sum_s;
}

void slow_down(double ratio, StorageLink& link) {
  link.latency_s *= ratio;
  link.rate_bytes_per_s /= ratio;
}

// Of one size alone, or of times without a line through them, the link gets slower or faster as a
// whole.
void take_times(const std::vector<TransferTime>& times, StorageLink& link) {
  if (times.empty()) return;
  const Result<TransferFit> fit = fit_transfers(times);
  if (fit.ok()) {
    link.latency_s = fit->latency_s;
    link.rate_bytes_per_s = fit->rate_bytes_per_s;
  } else if (predicted_s(link, times) > 0 && measured_s(times) > 0) {
    slow_down(measured_s(times) / predicted_s(link, times), link);
  }
}

void tell(const std::string& what, const StorageLink& link, std::int64_t steps, Device& device) {
  for (DeviceFigure& figure : device.figures) {
    if (figure.key == "storage." + what + "_latency")
      figure.text = fmt::format("{} s", link.latency_s);
    else if (figure.key == "storage." + what + "_rate")
      figure.text = fmt::format("{} B/s", link.rate_bytes_per_s);
    else
      continue;
    figure.source = fmt::format("measured: {} steps of the training itself", steps);
  }
}

void take_storage(const StepFigures& figures, Device& device) {
  DeviceStorage& storage = device.storage;
  if (figures.overlapped) {
    if (!figures.transfer_ratio) return;
    slow_down(*figures.transfer_ratio, storage.read);
    slow_down(*figures.transfer_ratio, storage.write);
  } else {
    take_times(figures.reads, storage.read);
    take_times(figures.writes, storage.write);
  }
  tell("read", storage.read, figures.steps, device);
  tell("write", storage.write, figures.steps, device);
}

}  // namespace

std::string step_figures_text(const StepFigures& figures) {
  const std::vector<MeasuredOperation>& measured = figures.costs.operations;
  return json_text({{"format", "poet-step-figures"},
                    {"version", 1},
                    {"steps", figures.steps},
                    {"step_s", figures.step_s},
                    {"kernels", measured.empty() ? std::string() : measured.front().kernels},
                    {"active_power_w", figures.costs.active_power_w},
                    {"overlapped", figures.overlapped},
                    {"transfer_ratio", or_null(figures.transfer_ratio)},
                    {"reads", transfers_to_json(figures.reads)},
                    {"writes", transfers_to_json(figures.writes)},
                    {"examples", operations_to_json(figures.costs.examples)},
                    {"operations", operations_to_json(measured)}});
}

Result<StepFigures> parse_step_figures(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json.ok()) return json.error();
  JsonReader reader(file);
  JsonObject object(*json, "figures of steps", reader);
  object.format("poet-step-figures", 1);
  if (reader.failure()) return *reader.failure();
  StepFigures figures{.steps = object.whole("steps", kWholeNumbers),
                      .step_s = object.number("step_s", NumberRange::NotNegative)};
  const std::string kernels = object.text("kernels");
  figures.costs.measured = fmt::format("in {} steps of the training itself", figures.steps);
  figures.costs.machine = "this machine";
  figures.costs.active_power_w = object.number("active_power_w", NumberRange::NotNegative);
  figures.overlapped = object.flag("overlapped");
  const JsonValue& ratio = object.member("transfer_ratio");
  if (!std::holds_alternative<std::nullptr_t>(ratio.data))
    figures.transfer_ratio = reader.number(ratio, "transfer_ratio", NumberRange::NotNegative);
  figures.reads = read_transfers(object.list("reads"), reader);
  figures.writes = read_transfers(object.list("writes"), reader);
  for (const JsonValue& value : object.list("examples"))
    figures.costs.examples.push_back(read_operation(value, std::string(kExamples), reader));
  for (const JsonValue& value : object.list("operations"))
    figures.costs.operations.push_back(read_operation(value, kernels, reader));
  object.finish();
  if (reader.failure()) return *reader.failure();
  if (figures.transfer_ratio && !(*figures.transfer_ratio > 0))
    return bad_input("transfer_ratio must be more than 0", {.file = file});
  return figures;
}

Question with_figures(Question question, const StepFigures& figures) {
  if (question.device) take_storage(figures, *question.device);
  AskedCosts costs{.path = "the steps of the training", .measured = figures.costs};
  if (question.costs) {
    costs.measured.active_power_w = question.costs->measured.active_power_w;
    for (MeasuredOperation& before : question.costs->measured.operations)
      if (find_cost(figures.costs, before.key, before.kernels) == nullptr)
        costs.measured.operations.push_back(std::move(before));
    if (costs.measured.examples.empty())
      costs.measured.examples = std::move(question.costs->measured.examples);
  }
  question.costs = std::move(costs);
  // Those that no step executes as they are: what another way of cutting makes of them.
  question.missing_costs = MissingCosts::Formula;
  return question;
}

}  // namespace poet
