#include "poet/deliver/board_training.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/boards/board_build.h"
#include "poet/forms/unlimited_stop.h"
#include "poet/runtime/storage.h"

namespace poet {
namespace {

double median_step_s(const EmulatedBoard& board, const std::vector<BoardStep>& steps) {
  if (steps.empty()) return 0;
  std::vector<double> counts;
  for (const BoardStep& step : steps) counts.push_back(step.instructions);
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  return *middle / board.core_hz;
}

Failure check_room(const BoardTrainingReport& report) {
  const std::int64_t room_bytes = arena_budget_bytes(report.board) - report.project.reserved_bytes;
  if (report.project.arena_bytes <= room_bytes) return std::nullopt;
  const char* const reserved =
      report.project.reserved_bytes > 0 ? ", data and --reserve" : " and data";
  return bad_input(
      fmt::format("the plan's arena takes {} bytes, and {} has {} for it beside stack{}: ask for a "
                  "smaller --ram-budget",
                  report.project.arena_bytes, report.board.name, room_bytes, reserved));
}

// The linker's word on what the plan said.
Failure check_arena(const BoardTrainingReport& report) {
  constexpr std::int64_t kAlignmentBytes = 8;
  const std::int64_t planned_bytes =
      (report.project.arena_bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
  if (report.memory.arena_bytes == planned_bytes) return std::nullopt;
  return Error{ErrorCode::Unsupported,
               fmt::format("the linker gave the arena {} bytes, and the plan {}",
                           report.memory.arena_bytes, planned_bytes),
               {}};
}

// So often fewer operations are asked for.
constexpr int kMostRetries = 3;

// How many operations a step may have whose program was so much larger than the flash: as many
// fewer as the flash is smaller, and some more, as code does not get smaller with the table of the
// step.
std::int64_t fewer_operations(std::int64_t operations, const EmulatedBoard& board,
                              std::int64_t overflow_bytes) {
  constexpr double kRoom = 0.98;
  const auto flash_bytes = static_cast<double>(board.flash_bytes);
  return static_cast<std::int64_t>(static_cast<double>(operations) * kRoom * flash_bytes /
                                   (flash_bytes + static_cast<double>(overflow_bytes)));
}

std::string larger_parts_note(const EmulatedBoard& board, std::int64_t operations,
                              std::int64_t overflow_bytes) {
  return fmt::format(
      "the parts that the RAM alone would choose are {} operations, and a program of {} bytes more "
      "than the flash of {}: so they are larger",
      grouped_digits(operations), grouped_digits(overflow_bytes), board.name);
}

// The same word, as if it were given now: each search has the whole limit.
Stop begun_anew(const Stop& stop) {
  Stop anew = with_own_limit(without_limit(stop), stop.limit_s);
  anew.limit_s = stop.limit_s;
  if (stop.elapsed_s)
    anew.elapsed_s = [clock = stop.elapsed_s, begun_s = stop.now_s()] { return clock() - begun_s; };
  return anew;
}

// Writes the project and builds it. Where the RAM chooses the parts of operations and the program
// is too large for the flash, it is asked again for parts that are fewer.
Failure build(ExportRequest request, const Stop& stop, const ProgressSink& progress,
              BoardTrainingReport& report) {
  std::vector<std::string> notes;
  std::optional<Error> too_large;
  for (int retries = 0; retries <= kMostRetries; ++retries) {
    Result<ExportReport> project = export_project(request, begun_anew(stop), progress);
    if (!project.ok()) return project.error();
    if (!project->no.empty() && too_large) return too_large;
    report.project = *std::move(project);
    report.no = report.project.no;
    report.project.notes.insert(report.project.notes.begin(), notes.begin(), notes.end());
    if (!report.no.empty()) return std::nullopt;
    if (Failure failure = check_room(report)) return failure;
    const Result<BoardProgram> program =
        build_for_board(report.board, request.folder, without_limit(stop));
    if (!program.ok()) return program.error();
    report.memory = program->memory;
    const std::int64_t overflow_bytes = program->flash_overflow_bytes;
    if (overflow_bytes == 0) return check_arena(report);
    too_large = too_large_for_flash(report.board, overflow_bytes);
    const std::optional<std::int64_t> operations = report.project.chosen_operations;
    if (!operations) return too_large;
    request.most_operations = fewer_operations(*operations, report.board, overflow_bytes);
    notes = {larger_parts_note(report.board, *operations, overflow_bytes)};
  }
  return too_large;
}

}  // namespace

Result<BoardTrainingReport> train_on_board(const BoardTrainingRequest& request, const Stop& stop,
                                           const BoardTrainingEvents& events) {
  BoardTrainingReport report{.board = *request.project.board};
  if (Failure failure = check_board_tools(report.board, stop)) return *failure;
  if (Failure failure = build(request.project, stop, events.planning, report)) return *failure;
  if (!report.no.empty()) return report;

  BoardRunOptions options = request.run;
  options.folder = request.project.folder;
  options.steps = request.project.training.steps;
  options.predict = predicted_examples(request.project);
  Result<BoardRun> run = run_on_board(report.board, report.project.storage_bytes, options,
                                      without_limit(stop), events.step);
  if (!run.ok()) return run.error();
  report.run = *std::move(run);
  report.step_s = median_step_s(report.board, report.run.steps);
  if (report.run.predictions.examples == 0 || report.run.status != POET_OK) return report;
  Result<PredictionComparison> prediction = compare_predictions(
      request.project, *report.project.prediction, report.run.predictions, stop);
  if (!prediction.ok()) return prediction.error();
  report.prediction = *prediction;
  return report;
}

std::string board_status_text(std::int64_t status) {
  switch (status) {
    case POET_OK:
      return "";
    case POET_READ_FAILED:
      return "the card could not be read";
    case POET_WRITE_FAILED:
      return "the card could not be written";
    case POET_STORAGE_TOO_SMALL:
      return "the card is too small";
    case POET_NO_CHECKPOINT:
      return "the card has no whole checkpoint of this training";
    case POET_EXAMPLES_FAILED:
      return "the examples could not be read";
    case POET_NOT_CONNECTED:
      return "nothing is connected";
    case POET_NOT_LOADED:
      return "nothing is loaded";
    case POET_PAUSED:
      return "a step is paused";
    case POET_TOO_LATE:
      return "the step has changed values";
    default:
      return fmt::format("unknown status {}", status);
  }
}

}  // namespace poet
