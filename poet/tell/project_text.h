#pragma once

#include <cstdint>
#include <string>

#include "poet/base/json_out.h"
#include "poet/deliver/board_training.h"

namespace poet {

// What 'poet export' answers: for people, and for programs.
std::string export_text(const ExportReport& report);
JsonOut export_to_json(const ExportReport& report);

// What 'poet run' answers: for people, for programs (docs/formats/run-json.md), and each step.
std::string board_training_text(const BoardTrainingReport& report);
JsonOut board_training_to_json(const BoardTrainingReport& report);
std::string board_log_line(const BoardStep& step);
std::string board_progress_line(const BoardStep& step, std::int64_t steps);

}  // namespace poet
