#include "poet/tell/project_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"
#include "poet/runtime/storage.h"

namespace poet {
namespace {

std::string row(const char* what, const std::string& value) {
  return fmt::format("  {:<16} {}\n", what, value);
}

// What all steps of this run came to.
struct StepSums {
  double instructions = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
};

StepSums sums_of(const BoardRun& run) {
  StepSums sums;
  for (const BoardStep& step : run.steps) {
    sums.instructions += step.instructions;
    sums.read_bytes += step.read_bytes;
    sums.written_bytes += step.written_bytes;
  }
  return sums;
}

// In a step.
std::int64_t recomputed(const ExportReport& project) {
  return std::count_if(project.computed.begin(), project.computed.end(),
                       [](const ExportedAction& action) { return action.again; });
}

std::string headline(const BoardTrainingReport& report) {
  const std::size_t steps = report.run.steps.size();
  const std::string after =
      fmt::format("after {} step{} on {}", steps, steps == 1 ? "" : "s", report.board.name);
  if (report.run.stopped) return "Stopped " + after;
  if (report.run.status != POET_OK)
    return fmt::format("Failed {}: {}", after, board_status_text(report.run.status));
  return "Trained " + after;
}

std::string prediction_row(const ExportReport& report) {
  if (!report.prediction) return {};
  const ExportedPrediction& one = *report.prediction;
  return row("prediction", fmt::format("of {} example{}: {} actions, {} read, {} written",
                                       one.batch_size, one.batch_size == 1 ? "" : "s", one.actions,
                                       bytes_text(one.read_bytes), bytes_text(one.written_bytes)));
}

std::string board_ram_text(const BoardTrainingReport& report) {
  const std::int64_t reserved_bytes = report.project.reserved_bytes;
  if (reserved_bytes == 0) return bytes_text(report.board.ram_bytes);
  return fmt::format("{}, of which others have {}", bytes_text(report.board.ram_bytes),
                     grouped_digits(reserved_bytes));
}

std::string reserved_text(const ExportReport& report) {
  if (report.reserved_bytes == 0) return {};
  return fmt::format(", and {} that others have", grouped_digits(report.reserved_bytes));
}

std::string wear_row(const ExportReport& report) {
  if (!report.wear.estimate) return {};
  return row("checkpoint", bytes_text(report.wear.checkpoint_bytes) + " written") +
         row("wear", wear_text(*report.wear.estimate));
}

// Years of what is not known are null.
JsonOut wear_json(const WearEstimate& estimate) {
  JsonOut out = {{"steps_per_day", estimate.use.steps},
                 {"save_every", estimate.use.save_every},
                 {"written_bytes_per_day", estimate.bytes_per_day},
                 {"least_years", nullptr},
                 {"most_years", nullptr}};
  if (estimate.least_years) out["least_years"] = *estimate.least_years;
  if (estimate.most_years) out["most_years"] = *estimate.most_years;
  if (!estimate.unknown.empty()) out["unknown"] = estimate.unknown;
  return out;
}

std::string port_row(const ExportReport& report) {
  return report.port.empty() ? "" : row("port", report.port + ": make port");
}

std::string comparison_text(const PredictionComparison& one) {
  const std::string verdict =
      one.different == 0
          ? "bit for bit those of this machine"
          : fmt::format("{} outputs are not those of this machine", grouped_digits(one.different));
  return fmt::format("{} outputs of {} examples: {}; {:.4g} instructions each time", one.outputs,
                     one.examples, verdict, one.instructions);
}

std::string memory_text(const LinkedMemory& memory) {
  return fmt::format("{}: arena {}, stack {}, data {}", bytes_text(memory.ram_bytes()),
                     grouped_digits(memory.arena_bytes), grouped_digits(memory.stack_bytes),
                     grouped_digits(memory.data_bytes));
}

std::string further_rows(const ExportReport& report) {
  std::string rows;
  for (const EmittedMemory& memory : report.further)
    rows +=
        row(("arena in " + memory.name).c_str(),
            fmt::format("{} of {}", bytes_text(memory.arena_bytes), bytes_text(memory.size_bytes)));
  return rows;
}

void add_further(const ExportReport& report, JsonOut& out) {
  for (const EmittedMemory& memory : report.further)
    out["further_arenas"].push_back({{"name", memory.name},
                                     {"size_bytes", memory.arena_bytes},
                                     {"memory_bytes", memory.size_bytes}});
}

}  // namespace

std::string export_text(const ExportReport& report) {
  if (!report.no.empty()) return report.no + "\n";
  return fmt::format("Wrote {} files\n\n", report.files.size()) +
         row("arena", bytes_text(report.arena_bytes)) + further_rows(report) +
         row("stack", bytes_text(report.stack_bytes) + " are kept for it") +
         row("RAM", bytes_text(report.ram_bytes) + reserved_text(report)) +
         row("constants", bytes_text(report.rom_bytes) + " in flash") +
         row("storage", bytes_text(report.storage_bytes)) +
         row("actions", fmt::format("{} in a step", report.actions)) +
         row("transfers",
             fmt::format("{} read, {} written in a step", bytes_text(report.read_bytes),
                         bytes_text(report.written_bytes))) +
         prediction_row(report) + port_row(report) + wear_row(report);
}

JsonOut export_to_json(const ExportReport& report) {
  JsonOut out = {{"format", "poet-export"}, {"version", 1}, {"notes", report.notes}};
  if (!report.no.empty()) {
    out["no"] = report.no;
    return out;
  }
  out["files"] = report.files;
  out["arena_bytes"] = report.arena_bytes;
  add_further(report, out);
  out["stack_bytes"] = report.stack_bytes;
  out["ram_bytes"] = report.ram_bytes;
  out["reserved_bytes"] = report.reserved_bytes;
  if (!report.port.empty()) out["port"] = report.port;
  out["rom_bytes"] = report.rom_bytes;
  out["storage_bytes"] = report.storage_bytes;
  out["actions"] = report.actions;
  out["paged_in_bytes"] = report.read_bytes;
  out["paged_out_bytes"] = report.written_bytes;
  out["predicted_step_s"] = report.predicted_step_s;
  out["checkpoint_written_bytes"] = report.wear.checkpoint_bytes;
  if (report.wear.estimate) out["wear"] = wear_json(*report.wear.estimate);
  if (report.prediction)
    out["prediction"] = {{"batch_size", report.prediction->batch_size},
                         {"outputs", report.prediction->outputs},
                         {"actions", report.prediction->actions},
                         {"paged_in_bytes", report.prediction->read_bytes},
                         {"paged_out_bytes", report.prediction->written_bytes},
                         {"predicted_s", report.prediction->predicted_s}};
  return out;
}

std::string board_training_text(const BoardTrainingReport& report) {
  if (!report.no.empty()) return report.no + "\n";
  const std::vector<BoardStep>& steps = report.run.steps;
  std::string text = headline(report) + "\n\n";
  if (!steps.empty()) {
    const StepSums sums = sums_of(report.run);
    std::string losses = fmt::format("{:.6g} at step {}", steps.front().loss, steps.front().step);
    if (steps.size() > 1)
      losses += fmt::format(", {:.6g} at step {}", steps.back().loss, steps.back().step);
    text += row("loss", losses);
    text += row("instructions",
                fmt::format("{:.4g} per step, {:.4g} s with one in each cycle of {:g} MHz",
                            sums.instructions / static_cast<double>(steps.size()), report.step_s,
                            report.board.core_hz / 1e6));
    text += row("predicted", fmt::format("{:.4g} s by the plan, transfers included",
                                         report.project.predicted_step_s));
    text += row("recomputed", fmt::format("{} operations per step", recomputed(report.project)));
    text += row("transfers", fmt::format("{} read, {} written", bytes_text(sums.read_bytes),
                                         bytes_text(sums.written_bytes)));
  }
  text += row("RAM", memory_text(report.memory));
  text += further_rows(report.project);
  text += row("of the board", board_ram_text(report));
  text += row("stack in use", bytes_text(report.run.stack_used_bytes) + " at most");
  text += row("flash", bytes_text(report.memory.flash_bytes));
  if (report.prediction) text += row("prediction", comparison_text(*report.prediction));
  if (!report.run.parameters_sha256.empty())
    text += row("parameters", "sha256 " + report.run.parameters_sha256);
  return text;
}

JsonOut board_training_to_json(const BoardTrainingReport& report) {
  JsonOut out = {{"format", "poet-board-training"}, {"version", 1}};
  if (!report.no.empty()) {
    out["no"] = report.no;
    return out;
  }
  const BoardRun& run = report.run;
  const StepSums sums = sums_of(run);
  out["board"] = report.board.name;
  out["losses"] = JsonOut::array();
  for (const BoardStep& step : run.steps) out["losses"].push_back(step.loss);
  out["parameters_sha256"] = run.parameters_sha256;
  out["first_step"] = run.loaded_step + 1;
  out["steps"] = run.steps.size();
  out["stopped"] = run.stopped;
  out["status"] = run.status;
  out["problem"] = board_status_text(run.status);
  out["saved_step"] = run.saved_step;
  out["step_s"] = report.step_s;
  out["predicted_step_s"] = report.project.predicted_step_s;
  out["energy_j"] = report.project.step_j * static_cast<double>(run.steps.size());
  out["arena_bytes"] = report.project.arena_bytes;
  add_further(report.project, out);
  out["storage_bytes"] = report.project.storage_bytes;
  out["ram_budget_bytes"] = report.project.ram_budget_bytes;
  out["plain_peak_bytes"] = report.project.plain_peak_bytes;
  out["paged_in_bytes"] = sums.read_bytes;
  out["paged_out_bytes"] = sums.written_bytes;
  out["recomputed_operations"] = recomputed(report.project);
  out["instructions"] = JsonOut::array();
  for (const BoardStep& step : run.steps) out["instructions"].push_back(step.instructions);
  out["linked"] = {{"ram_bytes", report.memory.ram_bytes()},
                   {"arena_bytes", report.memory.arena_bytes},
                   {"stack_bytes", report.memory.stack_bytes},
                   {"data_bytes", report.memory.data_bytes},
                   {"flash_bytes", report.memory.flash_bytes}};
  if (report.prediction)
    out["prediction"] = {{"examples", report.prediction->examples},
                         {"outputs", report.prediction->outputs},
                         {"different", report.prediction->different},
                         {"instructions", report.prediction->instructions}};
  out["stack_used_bytes"] = run.stack_used_bytes;
  out["board_ram_bytes"] = report.board.ram_bytes;
  out["reserved_bytes"] = report.project.reserved_bytes;
  out["notes"] = report.project.notes;
  return out;
}

std::string board_log_line(const BoardStep& step) {
  return json_line({{"step", step.step},
                    {"loss", step.loss},
                    {"instructions", step.instructions},
                    {"paged_in_bytes", step.read_bytes},
                    {"paged_out_bytes", step.written_bytes}});
}

std::string board_progress_line(const BoardStep& step, std::int64_t steps) {
  return fmt::format("step {}/{}  loss {}  {:.4g} instructions  {} bytes read, {} written",
                     step.step, steps, loss_figure(step.loss), step.instructions, step.read_bytes,
                     step.written_bytes);
}

}  // namespace poet
