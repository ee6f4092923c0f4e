#include "poet/profile/board_profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/device/boards.h"
#include "poet/device/device_text.h"
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

constexpr const char* kAssumed = "assumed";

// What counted instructions are turned into seconds and joules with.
struct ChipFigures {
  double clock_hz = 0;
  double cycles_per_instruction = 1;
  std::string cycles_source = {};  // a clause
  double active_power_w = 0;       // above idle
  std::string power_source = {};

  double instruction_s() const { return cycles_per_instruction / clock_hz; }
};

// "3.3 mA (Nordic, ...)"
std::string cited(const Datasheet& sheet, std::string_view key) {
  const DeviceFigure* const figure = find_figure(sheet, key);
  return figure == nullptr ? "" : fmt::format("{} ({})", figure->text, figure->source);
}

std::string active_text(const Datasheet& sheet) {
  if (sheet.active_a) return cited(sheet, "current.active");
  return fmt::format("{:g} mA, {} x {:g} MHz", active_a(sheet) * 1e3,
                     cited(sheet, "current.active_by_clock"), sheet.clock_hz / 1e6);
}

void set_power(const Datasheet& sheet, ChipFigures& chip) {
  chip.active_power_w = sheet.supply_v * (active_a(sheet) - sheet.idle_a.value_or(0));
  chip.power_source =
      fmt::format("derived from the data sheet {}: {:g} V x ({:g} mA - {:g} mA{})", sheet.name,
                  sheet.supply_v, active_a(sheet) * 1e3, sheet.idle_a.value_or(0) * 1e3,
                  sheet.idle_a ? "" : ", as no idle current is stated");
}

ChipFigures chip_figures(const BoardProfileRequest& request, const EmulatedBoard& board,
                         const Device& device) {
  ChipFigures chip{.clock_hz = board.core_hz,
                   .cycles_source = kAssumed,
                   // As the device states it by two figures.
                   .active_power_w = device.compute.flop_per_s / device.compute.flop_per_j,
                   .power_source = fmt::format("assumed: the rate of {} divided by its efficiency",
                                               device.name)};
  if (request.datasheet) {
    const Datasheet& sheet = *request.datasheet;
    chip.clock_hz = sheet.clock_hz;
    set_power(sheet, chip);
    if (sheet.cycles_per_instruction) {
      chip.cycles_per_instruction = *sheet.cycles_per_instruction;
      chip.cycles_source = find_figure(sheet, "core.cycles_per_instruction")->source;
    }
  }
  if (request.cycles_per_instruction) {
    chip.cycles_per_instruction = *request.cycles_per_instruction;
    chip.cycles_source = "as --cycles-per-instruction says";
  }
  return chip;
}

MeasuredCosts costs_of(const BoardProfileRequest& request, const BoardTrainingReport& report,
                       const ChipFigures& chip) {
  const double instruction_s = chip.instruction_s();
  const std::map<std::string, std::int64_t> uses = uses_in_step(report.project);
  MeasuredCosts costs{
      .machine = fmt::format("{}, emulated ({})", report.board.name, report.board.title),
      .measured = fmt::format(
          "on {}, in {} steps: instructions that the emulator counts, {:g} cycles each at {:g} MHz",
          request.date, report.run.steps.size(), chip.cycles_per_instruction, chip.clock_hz / 1e6),
      .active_power_w = chip.active_power_w,
      .power_source = chip.power_source};
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

// What the data sheet says of one direction of the storage, in place of the device's.
void set_link(const Datasheet& sheet, const std::string& way, const DatasheetLink& stated,
              Device& device) {
  const auto source = [&](const std::string& what) {
    return find_figure(sheet, "storage." + way + what)->source;
  };
  StorageLink& link = way == "read" ? device.storage.read : device.storage.write;
  const std::string key = "storage." + way;
  if (stated.latency_s) {
    link.latency_s = *stated.latency_s;
    set_figure(device, key + "_latency", fmt::format("{} s", link.latency_s), source("_latency"));
  }
  if (stated.rate_bytes_per_s) {
    link.rate_bytes_per_s = *stated.rate_bytes_per_s;
    set_figure(device, key + "_rate", fmt::format("{} B/s", link.rate_bytes_per_s),
               source("_rate"));
  }
  if (!stated.current_a) return;
  link.active_power_w = *stated.current_a * sheet.supply_v;
  set_figure(device, key + "_power", fmt::format("{} W", link.active_power_w),
             fmt::format("derived: {:g} V x {}", sheet.supply_v,
                         cited(sheet, "storage." + way + "_current")));
}

// So that each figure can be computed again by hand.
std::vector<std::string> derivation_of(const BoardProfileRequest& request,
                                       const BoardTrainingReport& training,
                                       const ProfileReport& report, const ChipFigures& chip,
                                       const Device& device) {
  const double instructions = report.timed_s / chip.instruction_s();
  std::vector<std::string> lines = {
      fmt::format("How these figures were derived ({}, {}):",
                  one_line(report.request.network.model), report.costs.measured),
      "",
      fmt::format("instructions of a step   {:.0f}, counted by the emulated board {}", instructions,
                  training.board.name),
      fmt::format("cycles per instruction   {:g} ({})", chip.cycles_per_instruction,
                  chip.cycles_source),
      fmt::format("clock                    {:g} MHz", chip.clock_hz / 1e6),
      fmt::format("seconds of a step        {:.0f} x {:g} / {:g} Hz = {:.6g} s", instructions,
                  chip.cycles_per_instruction, chip.clock_hz, report.timed_s),
      fmt::format("FLOP of a step           {}", report.timed_flop),
      fmt::format("compute.rate             {} / {:.6g} s = {:.6g} FLOP/s", report.timed_flop,
                  report.timed_s, device.compute.flop_per_s)};
  if (!request.datasheet) {
    lines.push_back(fmt::format("power above idle         {:.6g} W, {}", chip.active_power_w,
                                chip.power_source));
  } else {
    const Datasheet& sheet = *request.datasheet;
    const std::string idle = cited(sheet, "current.idle");
    lines.push_back(fmt::format("supply                   {}", cited(sheet, "supply.voltage")));
    lines.push_back(fmt::format("current while computing  {}", active_text(sheet)));
    lines.push_back(fmt::format("current when idle        {}",
                                idle.empty() ? "not stated: 0 is taken off" : idle));
    lines.push_back(fmt::format("power above idle         {:g} V x ({:g} A - {:g} A) = {:.6g} W",
                                sheet.supply_v, active_a(sheet), sheet.idle_a.value_or(0),
                                chip.active_power_w));
  }
  lines.push_back(fmt::format("joules of computing      {:.6g} W x {:.6g} s = {:.6g} J a step",
                              chip.active_power_w, report.timed_s,
                              chip.active_power_w * report.timed_s));
  lines.push_back(fmt::format("compute.efficiency       {:.6g} FLOP/s / {:.6g} W = {:.6g} FLOP/J",
                              device.compute.flop_per_s, chip.active_power_w,
                              device.compute.flop_per_j));
  const auto add_link = [&](std::string_view way, const StorageLink& link) {
    lines.push_back(fmt::format(
        "a byte {:<18}{:.6g} W / {:.6g} B/s = {:.6g} J, and {:.6g} W x {:.6g} s = {:.6g} J a "
        "transfer",
        way, link.active_power_w, link.rate_bytes_per_s,
        link.active_power_w / link.rate_bytes_per_s, link.active_power_w, link.latency_s,
        link.active_power_w * link.latency_s));
  };
  add_link("read", device.storage.read);
  add_link("written", device.storage.write);
  lines.emplace_back("Where each number is from stands beside it.");
  return lines;
}

// The device that the board goes by, with what was counted in place of its rates of computing, and
// with what the data sheet says.
Device counted_device(const BoardProfileRequest& request, const BoardTrainingReport& training,
                      const ProfileReport& report, const ChipFigures& chip, Device device) {
  const EmulatedBoard& board = training.board;
  device.name = request.device_name;
  device.title = fmt::format("{}, emulated, with the storage of {}", board.title, board.platform);
  device.ram_bytes = board.ram_bytes;
  set_figure(device, "ram.size", fmt::format("{} B", board.ram_bytes),
             fmt::format("the board {}", board.name));
  device.compute.flop_per_s = static_cast<double>(report.timed_flop) / report.timed_s;
  device.compute.flop_per_j = device.compute.flop_per_s / chip.active_power_w;
  const std::string source =
      fmt::format("{} FLOP in {:g} s: {}, {}", report.timed_flop, report.timed_s,
                  one_line(report.request.network.model), report.costs.measured);
  set_figure(device, "compute.rate", fmt::format("{} FLOP/s", device.compute.flop_per_s), source);
  const std::string power_source =
      request.datasheet ? fmt::format("{:g} W, {}", chip.active_power_w, chip.power_source)
                        : fmt::format("the {:g} W of {}", chip.active_power_w, board.platform);
  set_figure(device, "compute.efficiency", fmt::format("{} FLOP/J", device.compute.flop_per_j),
             "that rate, divided by " + power_source);
  if (!request.datasheet) return device;
  const Datasheet& sheet = *request.datasheet;
  device.title += fmt::format(" and the currents of {}", sheet.title);
  set_link(sheet, "read", sheet.read, device);
  set_link(sheet, "write", sheet.write, device);
  if (sheet.idle_a) {
    device.idle_w = *sheet.idle_a * sheet.supply_v;
    set_figure(device, "power.idle", fmt::format("{} W", device.idle_w),
               fmt::format("derived: {:g} V x {}", sheet.supply_v, cited(sheet, "current.idle")));
  }
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
  const ChipFigures chip = chip_figures(request, training->board, *device);
  report.costs = costs_of(request, *training, chip);
  add_step(training->project, report);
  if (!request.device_name.empty() && report.timed_flop > 0) {
    report.device = counted_device(request, *training, report, chip, *device);
    report.derivation = derivation_of(request, *training, report, chip, *report.device);
  }
  const double cycles = chip.cycles_per_instruction;
  report.warnings.push_back(
      fmt::format("the emulator counts instructions: {:g} {} for each {}", cycles,
                  cycles == 1 ? "cycle" : "cycles",
                  chip.cycles_source == kAssumed
                      ? "is assumed, and a board's own figure is for --cycles-per-instruction"
                      : "is taken, " + chip.cycles_source));
  return report;
}

}  // namespace poet
