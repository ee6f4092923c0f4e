#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board.h"
#include "poet/boards/chip_port.h"
#include "poet/emit/emit_request.h"
#include "poet/use/train_network.h"

namespace poet {

// A training that is to become a project of C, with the same settings as 'poet train'.
struct ExportRequest {
  TrainRequest training = {};  // its steps are set
  std::string folder = {};
  std::int64_t stack_bytes = 0;  // of the device's RAM, for the stack
  // Of its storage: what a power cut during a write may damage, whole. A power of two; by default
  // what the device file says that is erased at a time, or kStorageEraseBytes.
  std::optional<std::int64_t> storage_erase_bytes = {};
  // With what makes it a program for this board; the RAM is the board's then.
  std::optional<EmulatedBoard> board = {};
  // With the storage of this chip; the RAM is the chip's then, where `device_ram_bytes` has it.
  std::optional<ChipPort> port = {};
  std::optional<std::int64_t> device_ram_bytes = {};  // in place of what the device file says
  std::int64_t reserved_bytes = 0;                    // of the RAM, for others: a radio's stack
  bool calls_hook = false;                            // between actions, where steps can pause
  ProjectKind kind = ProjectKind::Make;               // a board's program is built by make
  // With poet_predict(), for so many examples.
  std::optional<std::int64_t> prediction_batch_size = {};
  std::optional<DailyUse> daily_use = {};  // for how long the storage lasts
  // Of a step whose parts the RAM budget chooses: what flash holds.
  std::optional<std::int64_t> most_operations = {};
};

// What an action of the project computes.
struct ExportedAction {
  std::string key = {};  // operation_key(); empty for transfers
  std::int64_t flop = 0;
  bool again = false;  // not for the first time in the step
};

// Of poet_predict().
struct ExportedPrediction {
  std::int64_t batch_size = 0;
  std::int64_t outputs = 0;  // floats of an example
  std::int64_t actions = 0;
  std::int64_t written_bytes = 0;  // to storage
  std::int64_t read_bytes = 0;
  double predicted_s = 0;
};

struct ExportReport {
  std::string no = {};  // why nothing was written: there is no plan
  std::vector<std::string> files = {};
  std::int64_t arena_bytes = 0;
  std::vector<EmittedMemory> further = {};  // memories beside the RAM, and their arenas
  std::int64_t stack_bytes = 0;
  std::int64_t ram_bytes = 0;       // of the device, without what others have
  std::int64_t reserved_bytes = 0;  // that others have
  StorageWear wear = {};
  std::string port = {};       // the name of the chip's storage, where it has one
  std::int64_t rom_bytes = 0;  // constants
  std::int64_t storage_bytes = 0;
  std::int64_t written_bytes = 0;  // to storage, by a step
  std::int64_t read_bytes = 0;
  std::int64_t actions = 0;
  std::optional<ExportedPrediction> prediction = {};
  // Of a step whose parts the RAM budget chose: how many.
  std::optional<std::int64_t> chosen_operations = {};
  double predicted_step_s = 0;
  double step_j = 0;
  std::int64_t ram_budget_bytes = 0;  // of the arena
  std::int64_t plain_peak_bytes = 0;
  std::vector<ExportedAction> computed = {};  // by action, of a step
  std::vector<std::string> notes = {};
};

// Plans and writes the project into the folder, which is made when it is not there. An earlier
// project there is replaced; files of the same names in any other folder are somebody's own, and
// refused.
Result<ExportReport> export_project(const ExportRequest& request, const Stop& stop,
                                    const ProgressSink& progress);

}  // namespace poet
