#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board_build.h"
#include "poet/boards/board_run.h"
#include "poet/deliver/board_prediction.h"
#include "poet/deliver/export_project.h"

namespace poet {

// A training that is to run on an emulated board.
struct BoardTrainingRequest {
  ExportRequest project = {};  // its board is set
  BoardRunOptions run = {};    // its folder and steps are those of the project
};

struct BoardTrainingReport {
  std::string no = {};  // why nothing was trained: there is no plan
  EmulatedBoard board = {};
  ExportReport project = {};
  LinkedMemory memory = {};
  BoardRun run = {};
  std::optional<PredictionComparison> prediction = {};  // of a project that predicts
  double step_s = 0;  // by instructions, one in each cycle of the board's core; the median
};

// Who wants to know. Each may be empty.
struct BoardTrainingEvents {
  ProgressSink planning = {};
  std::function<void(const BoardStep&)> step = {};
};

// Plans the training, writes it as C, builds it and takes its steps on the emulated board. A
// project that predicts does so there afterwards, and what it says is compared. Where
// the budget chooses in what parts operations come, parts of which the flash does not hold the
// table are left for larger ones. Refuses what export_project(), build_for_board() and
// run_on_board() refuse, and a program whose arena is not the plan's. Where the training goes on
// with the card that is there, the project's folder must have been written by the same request.
Result<BoardTrainingReport> train_on_board(const BoardTrainingRequest& request, const Stop& stop,
                                           const BoardTrainingEvents& events);

// What a poet_status says, for people; empty for POET_OK.
std::string board_status_text(std::int64_t status);

}  // namespace poet
