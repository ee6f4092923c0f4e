#include "poet/use/board_profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/device/boards.h"
#include "poet/measure/quartiles.h"

namespace poet {
namespace {

// How often one step of the plan computes an operation for the first time.
std::map<std::string, std::int64_t> uses_in_step(const ExportReport& project) {
  std::map<std::string, std::int64_t> uses;
  for (const ExportedAction& action : project.computed)
    if (!action.key.empty()) uses[action.key] += action.again ? 0 : 1;
  return uses;
}

std::map<std::string, std::vector<double>> counts_by_key(const BoardTrainingReport& report) {
  std::map<std::string, std::vector<double>> counts;
  for (const ActionCount& count : report.run.actions) {
    const std::string& key = report.project.computed[static_cast<std::size_t>(count.action)].key;
    if (!key.empty()) counts[key].push_back(count.instructions);
  }
  return counts;
}

// Above idle, as the device states it by two figures.
double power_w(const Device& device) {
  return device.compute.flop_per_s / device.compute.flop_per_j;
}

MeasuredCosts costs_of(const BoardProfileRequest& request, const BoardTrainingReport& report,
                       const Device& device) {
  const double instruction_s = request.cycles_per_instruction / report.board.core_hz;
  const std::map<std::string, std::int64_t> uses = uses_in_step(report.project);
  MeasuredCosts costs{
      .machine = fmt::format("{}, emulated ({})", report.board.name, report.board.title),
      .measured = fmt::format(
          "on {}, in {} steps: instructions that the emulator counts, {:g} cycles each at {:g} MHz",
          request.date, report.run.steps.size(), request.cycles_per_instruction,
          report.board.core_hz / 1e6),
      .active_power_w = power_w(device),
      .power_source =
          fmt::format("assumed: the rate of {} divided by its efficiency", device.name)};
  for (const auto& [key, counts] : counts_by_key(report)) {
    const Quartiles quartiles = quartiles_of(counts);
    costs.operations.push_back({.key = key,
                                .kernels = std::string(kReferenceKernels),
                                .seconds = quartiles.median * instruction_s,
                                .spread_s = quartiles.spread() * instruction_s,
                                .samples = std::ssize(counts),
                                .executions = std::ssize(counts),
                                .uses = uses.at(key)});
  }
  return costs;
}

void add_step(const ExportReport& project, ProfileReport& report) {
  for (const ExportedAction& action : project.computed) {
    if (action.key.empty() || action.again) continue;
    ++report.operations;
    const MeasuredOperation* const cost = find_cost(report.costs, action.key, kReferenceKernels);
    if (cost == nullptr) continue;
    report.timed_flop += action.flop;
    report.timed_s += cost->seconds;
    report.timed_j += cost->seconds * report.costs.active_power_w;
  }
  report.different = std::ssize(report.costs.operations);
}

void set_figure(Device& device, const std::string& key, std::string text, std::string source) {
  for (DeviceFigure& figure : device.figures)
    if (figure.key == key) figure = {key, std::move(text), std::move(source)};
}

// The device that the board goes by, with what was counted in place of its rates of computing.
Device counted_device(const BoardProfileRequest& request, const BoardTrainingReport& training,
                      const ProfileReport& report, Device device) {
  const double watts = power_w(device);
  const EmulatedBoard& board = training.board;
  device.name = request.device_name;
  device.title = fmt::format("{}, emulated, with the storage of {}", board.title, board.platform);
  device.ram_bytes = board.ram_bytes;
  set_figure(device, "ram.size", fmt::format("{} B", board.ram_bytes),
             fmt::format("the board {}", board.name));
  device.compute.flop_per_s = static_cast<double>(report.timed_flop) / report.timed_s;
  device.compute.flop_per_j = device.compute.flop_per_s / watts;
  const std::string source =
      fmt::format("{} FLOP in {:g} s: {}, {}", report.timed_flop, report.timed_s,
                  one_line(report.request.network.model), report.costs.measured);
  set_figure(device, "compute.rate", fmt::format("{} FLOP/s", device.compute.flop_per_s), source);
  set_figure(device, "compute.efficiency", fmt::format("{} FLOP/J", device.compute.flop_per_j),
             fmt::format("that rate, divided by the {:g} W of {}", watts, board.platform));
  return device;
}

}  // namespace

Result<ProfileReport> profile_on_board(const BoardProfileRequest& request, const Stop& stop,
                                       const BoardTrainingEvents& events) {
  BoardTrainingRequest wanted = request.training;
  wanted.run.trace = true;
  const Result<BoardTrainingReport> training = train_on_board(wanted, stop, events);
  if (!training.ok()) return training.error();
  if (!training->no.empty()) return Error{ErrorCode::Unsupported, training->no, {}};
  if (training->run.status != 0)
    return Error{ErrorCode::Unsupported,
                 fmt::format("the board {} failed: {}", training->board.name,
                             board_status_text(training->run.status)),
                 {}};
  if (training->run.steps.empty() || training->run.actions.empty())
    return Error{ErrorCode::Unsupported, "stopped before the first step ended", {}};
  const Result<Device> device = load_device(std::string(training->board.platform));
  if (!device.ok()) return device.error();

  ProfileReport report;
  report.request.network = request.training.project.training.plan;
  report.costs = costs_of(request, *training, *device);
  add_step(training->project, report);
  if (!request.device_name.empty() && report.timed_flop > 0)
    report.device = counted_device(request, *training, report, *device);
  report.warnings.push_back(fmt::format(
      "the emulator counts instructions: {:g} cycles for each are assumed, and a board's own "
      "figure is for --cycles-per-instruction",
      request.cycles_per_instruction));
  return report;
}

}  // namespace poet
