#include "poet/use/board_training.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "poet/boards/board_build.h"
#include "poet/boards/board_tools.h"
#include "poet/runtime/storage.h"
#include "poet/use/unlimited_stop.h"

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
  const std::int64_t room_bytes = arena_budget_bytes(report.board);
  if (report.project.arena_bytes <= room_bytes) return std::nullopt;
  return bad_input(fmt::format(
      "the plan's arena takes {} bytes, and {} has {} for it beside stack and data: ask for a "
      "smaller --ram-budget",
      report.project.arena_bytes, report.board.name, room_bytes));
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

}  // namespace

Result<BoardTrainingReport> train_on_board(const BoardTrainingRequest& request, const Stop& stop,
                                           const BoardTrainingEvents& events) {
  BoardTrainingReport report{.board = *request.project.board};
  if (Failure failure = check_board_tools(report.board, stop)) return *failure;
  Result<ExportReport> project = export_project(request.project, stop, events.planning);
  if (!project.ok()) return project.error();
  report.project = *std::move(project);
  report.no = report.project.no;
  if (!report.no.empty()) return report;
  if (Failure failure = check_room(report)) return *failure;

  const Stop unlimited = without_limit(stop);
  const Result<LinkedMemory> memory =
      build_for_board(report.board, request.project.folder, unlimited);
  if (!memory.ok()) return memory.error();
  report.memory = *memory;
  if (Failure failure = check_arena(report)) return *failure;

  BoardRunOptions options = request.run;
  options.folder = request.project.folder;
  options.steps = request.project.training.steps;
  Result<BoardRun> run =
      run_on_board(report.board, report.project.storage_bytes, options, unlimited, events.step);
  if (!run.ok()) return run.error();
  report.run = *std::move(run);
  report.step_s = median_step_s(report.board, report.run.steps);
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
    default:
      return fmt::format("unknown status {}", status);
  }
}

}  // namespace poet
