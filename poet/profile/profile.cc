#include "poet/profile/profile.h"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "poet/ask/question.h"
#include "poet/autodiff/order.h"
#include "poet/base/message_text.h"
#include "poet/cost/operation_key.h"
#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"
#include "poet/measure/measured_device.h"
#include "poet/measure/ram_rate.h"
#include "poet/measure/time_graph.h"
#include "poet/profile/profile_examples.h"

namespace poet {
namespace {

constexpr double kRest_s = 1;
constexpr double kAssumedPower_w = 1;

// A power by an energy counter between two moments.
class PowerReading {
 public:
  PowerReading(const Instruments& instruments, const Stop& stop)
      : instruments_(instruments), stop_(stop), begin_s_(stop.now_s()), before_j_(now_j()) {}

  // Above `idle_w`; none without a counter.
  std::optional<double> power_w(double idle_w) const {
    const std::optional<double> after_j = now_j();
    const double passed_s = stop_.now_s() - begin_s_;
    if (!before_j_ || !after_j || !(passed_s > 0)) return std::nullopt;
    return std::max(0.0, (*after_j - *before_j_) / passed_s - idle_w);
  }

 private:
  std::optional<double> now_j() const {
    return instruments_.energy_j ? instruments_.energy_j() : std::nullopt;
  }

  const Instruments& instruments_;
  const Stop& stop_;
  double begin_s_ = 0;
  std::optional<double> before_j_ = {};
};

std::string when(const ProfileRequest& request) {
  return "on " + request.machine.date;
}

std::optional<SourcedPower> idle_power(const ProfileRequest& request,
                                       const Instruments& instruments, const Stop& stop) {
  if (!instruments.energy_j || !instruments.rest) return std::nullopt;
  const PowerReading reading(instruments, stop);
  instruments.rest(kRest_s);
  const std::optional<double> power_w = reading.power_w(0);
  if (!power_w) return std::nullopt;
  return SourcedPower{*power_w, fmt::format("measured {} by {}, while nothing was profiled",
                                            when(request), request.machine.energy_counters)};
}

// What stands for a power that was not measured.
SourcedPower assumed_power(const ProfileRequest& request) {
  if (request.power_w)
    return {*request.power_w,
            fmt::format("assumed: {:g} W above idle, as --power-w says", *request.power_w)};
  return {kAssumedPower_w,
          fmt::format("assumed: {:g} W above idle, so that joules stand for seconds ({})",
                      kAssumedPower_w, request.machine.energy_counters)};
}

SourcedPower compute_power(const ProfileRequest& request, const MeasuredCosts& costs) {
  double joules = 0;
  double seconds = 0;
  for (const MeasuredOperation& operation : costs.operations) {
    if (!operation.joules) continue;
    joules += *operation.joules * static_cast<double>(operation.uses);
    seconds += operation.seconds * static_cast<double>(operation.uses);
  }
  if (!(joules > 0) || !(seconds > 0)) return assumed_power(request);
  return {joules / seconds, fmt::format("measured {} by {}, above idle, while computing",
                                        when(request), request.machine.energy_counters)};
}

// How much of the step was timed, and what that adds up to.
void add_step(const Graph& graph, ProfileReport& report) {
  std::map<std::string_view, const MeasuredOperation*> by_key;
  for (const MeasuredOperation& operation : report.costs.operations)
    by_key.emplace(operation.key, &operation);
  for (const GraphOperation& operation : graph.operations) {
    const OperatorEntry& entry = entry_of(operation.kind);
    if (entry.view) continue;
    ++report.operations;
    const OperationTypes types = types_of(graph, operation);
    const auto timed = by_key.find(operation_key(types));
    if (timed == by_key.end()) continue;
    report.timed_flop += entry.flop(types);
    report.timed_s += timed->second->seconds;
    report.timed_j +=
        timed->second->joules.value_or(timed->second->seconds * report.costs.active_power_w);
  }
}

// The whole step with the values that it begins with.
Result<std::optional<Quartiles>> time_step(const TrainingGraph& step, const PassOptions& options,
                                           const Stop& stop) {
  std::map<TensorId, TensorValue> values;
  for (const auto& [tensor, initial] : step.initial) {
    const TensorType& type = at(step.graph.tensors, tensor).type;
    values[tensor] = {.type = type, .bytes = initial_bytes(initial, type)};
  }
  std::vector<TensorId> filled;
  for (const NamedTensor& input : step.inputs) filled.push_back(input.tensor);
  filled.insert(filled.end(), step.labels.begin(), step.labels.end());
  if (step.share) filled.push_back(*step.share);
  if (step.step) filled.push_back(*step.step);
  for (const TensorId tensor : filled) values[tensor] = value_for(step.graph, tensor);
  std::map<TensorId, TensorView> given;
  for (const auto& [tensor, value] : values) given[tensor] = view_of(value);
  std::vector<TensorId> wanted = {step.loss};
  for (const Replacement& replacement : step.replacements) wanted.push_back(replacement.new_value);
  return time_graph(step.graph, given, wanted, options, stop);
}

struct TimedStorage {
  StorageProfile times;
  SourcedPower power;
  std::string path;
};

Result<TimedStorage> time_storage(const ProfileRequest& request, double idle_w,
                                  const Instruments& instruments, const Stop& stop) {
  const bool direct = request.storage->direct;
  const Result<std::unique_ptr<PageStore>> store = PageStore::create(
      {.path = request.storage->folder, .size_bytes = kProfiledStorageBytes, .direct = direct});
  if (!store.ok()) return store.error();
  const PowerReading reading(instruments, stop);
  Result<StorageProfile> times = profile_storage(**store, stop);
  if (!times.ok()) return times.error();
  TimedStorage timed{
      .times = *std::move(times),
      .power = assumed_power(request),
      .path = fmt::format("{}, {}", to_string((*store)->engine()),
                          direct ? "past the page cache" : "through the page cache")};
  if (const std::optional<double> power_w = reading.power_w(idle_w))
    timed.power = {*power_w, fmt::format("measured {} by {}, above idle, during transfers",
                                         when(request), request.machine.energy_counters)};
  return timed;
}

Result<Device> device_of(const ProfileReport& report, const TimedStorage& storage,
                         const Quartiles& ram, const std::optional<SourcedPower>& idle) {
  const ProfileRequest& request = report.request;
  return measured_device({.name = request.machine.name,
                          .title = request.machine.title,
                          .when = when(request),
                          .ram_bytes = request.machine.ram_bytes,
                          .ram_bytes_per_s = ram,
                          .step_flop = report.timed_flop,
                          .step_s = report.timed_s,
                          .step = fmt::format("{} with {} kernels", one_line(request.network.model),
                                              kernel_set_name(request.network.kernels)),
                          .storage = storage.times,
                          .storage_path = storage.path,
                          .compute_power = {report.costs.active_power_w, report.costs.power_source},
                          .storage_power = storage.power,
                          .idle_power = idle});
}

void add_warnings(const Instruments& instruments, ProfileReport& report) {
  if (!instruments.energy_j && !report.request.power_w)
    report.warnings.push_back(
        fmt::format("{}: {:g} W above idle is assumed, so joules stand for seconds; --power-w says "
                    "better",
                    report.request.machine.energy_counters, kAssumedPower_w));
  if (!report.costs.complete)
    report.warnings.push_back(
        fmt::format("stopped after {} of {} different operations: the costs are not complete",
                    report.costs.operations.size(), report.different));
  if (report.request.storage && !report.device)
    report.warnings.push_back("stopped before there was enough for a device");
}

Result<TrainingGraph> step_to_time(const PlanRequest& network) {
  const Result<Question> question = read_network_question(network);
  if (!question.ok()) return question.error();
  const Result<Model> model = model_of(*question);
  if (!model.ok()) return model.error();
  Result<TrainingGraph> step = step_of(*question, *model);
  if (step.ok()) reorder(*step);
  return step;
}

}  // namespace

Result<ProfileReport> profile(const ProfileRequest& request, const Instruments& instruments,
                              const Stop& stop, const ProfileSink& progress) {
  if (kind_of(request.network) != GraphKind::Real)
    return bad_input("a profile is of a real network: a released graph has no kernels");
  Result<TrainingGraph> step = step_to_time(request.network);
  if (!step.ok()) return step.error();
  const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(request.network.kernels);
  if (!kernels.ok()) return kernels.error();
  ProfileReport report{.request = request};
  const std::optional<SourcedPower> idle = idle_power(request, instruments, stop);
  std::optional<TimedStorage> storage;
  Quartiles ram;
  // First, because what takes longest is what gets stopped.
  if (request.storage && !stop.requested()) {
    ram = ram_bytes_per_s(instruments, stop);
    Result<TimedStorage> timed = time_storage(request, idle ? idle->power_w : 0, instruments, stop);
    if (!timed.ok() && !stop.requested()) return timed.error();
    if (timed.ok()) storage = *std::move(timed);
  }
  TimingOptions timing = request.timing;
  timing.idle_w = idle ? idle->power_w : 0;
  report.costs = profile_graph(
      step->graph, timing, instruments, stop,
      [&](const ProfileProgress& now) {
        report.different = now.all;
        if (progress) progress(now);
      },
      **kernels);
  if (!stop.requested()) {
    Result<std::vector<MeasuredOperation>> examples =
        profile_examples(*step, request.network.batch_size, timing, instruments, stop);
    if (!examples.ok()) return examples.error();
    report.costs.examples = *std::move(examples);
  }
  if (request.passes > 0) {
    const Result<std::optional<Quartiles>> pass_s =
        time_step(*step, {request.passes, instruments, kernels->get()}, stop);
    if (!pass_s.ok()) return pass_s.error();
    report.pass_s = *pass_s;
  }
  const SourcedPower power = compute_power(request, report.costs);
  report.costs.machine = request.machine.title;
  report.costs.measured = fmt::format("{}, at most {} samples of at least {:g} ms each",
                                      when(request), timing.samples, 1e3 * timing.sample_s);
  report.costs.active_power_w = power.power_w;
  report.costs.power_source = power.source;
  add_step(step->graph, report);
  if (storage) report.storage = storage->times;
  if (storage && report.timed_flop > 0 && report.timed_s > 0) {
    Result<Device> device = device_of(report, *storage, ram, idle);
    if (!device.ok()) return device.error();
    report.device = *std::move(device);
  }
  add_warnings(instruments, report);
  return report;
}

}  // namespace poet
