#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/train_flags.h"
#include "poet/ask/option_row.h"
#include "poet/boards/board.h"
#include "poet/boards/chip_port.h"
#include "poet/emit/project_kind.h"
#include "poet/use/training_defaults.h"

namespace poet::cli {

struct ExportFlags {
  TrainFlags train = {};  // its out_path is the folder
  std::int64_t stack_bytes = kProjectStackBytes;
  std::optional<std::int64_t> storage_erase_bytes = {};
  std::optional<EmulatedBoard> board = {};
  std::optional<ChipPort> port = {};
  std::optional<std::int64_t> device_ram_bytes = {};  // the port's, where no device was named
  std::int64_t reserved_bytes = 0;
  std::optional<std::int64_t> steps_per_day = {};
  std::optional<std::int64_t> save_every = {};
  bool hook = false;
  ProjectKind kind = ProjectKind::Make;
  bool predict = false;
  std::optional<std::int64_t> prediction_batch_size = {};
};

std::vector<OptionRow> export_option_rows(ExportFlags& flags);

// Those of them that say what is trained, and how.
std::vector<OptionRow> export_training_rows(ExportFlags& flags);

// --predict and --predict-batch, in a group of options.
std::vector<OptionRow> prediction_rows(const char* group, ExportFlags& flags);

// What they ask for.
std::optional<std::int64_t> asked_prediction(const ExportFlags& flags);

// How the training is used, where that was said.
std::optional<DailyUse> asked_use(const ExportFlags& flags);

// --board, in a group of options.
OptionRow board_row(const char* group, std::optional<EmulatedBoard>& board);

// --reserve, in a group of options.
OptionRow reserve_row(const char* group, ExportFlags& flags);

// What is filled in and refused once a command's rows were read: what is planned is a training for
// a board with a card, and by default for that of --board.
Failure settle_export_flags(const std::string& command, const std::vector<std::string>& arguments,
                            ExportFlags& flags);

// 'poet export': what is written is the first word, "c", "onnx" or "safetensors".
int run_export(const std::vector<std::string>& arguments);

}  // namespace poet::cli
