#pragma once

#include <cstdint>
#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/use/board_training.h"
#include "poet/use/profile.h"

namespace poet {

// What is to be measured on an emulated board: the step of a training, with the plan that fits it.
struct BoardProfileRequest {
  BoardTrainingRequest training = {};  // of one micro-batch a step
  std::string date = {};               // "2026-03-01"
  double cycles_per_instruction = 1;   // the emulator counts instructions, and knows no cycles
  // For a device; empty: costs alone.
  std::string device_name = {};
};

// Counts what each operation of the training's step takes on the board. A device has the board's
// rate of computing, and the storage of the device that the board goes by, since the emulator's
// card takes no time. Refuses what train_on_board() refuses, a training that fails, and one for
// which there is no plan.
Result<ProfileReport> profile_on_board(const BoardProfileRequest& request, const Stop& stop,
                                       const BoardTrainingEvents& events);

}  // namespace poet
