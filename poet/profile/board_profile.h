#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/deliver/board_training.h"
#include "poet/device/datasheet.h"
#include "poet/profile/profile.h"

namespace poet {

// What is to be measured on an emulated board: the step of a training, with the plan that fits it.
struct BoardProfileRequest {
  BoardTrainingRequest training = {};  // of one micro-batch a step
  std::string date = {};               // "2026-03-01"
  // The emulator counts instructions, and knows no cycles; none: what the data sheet says, or 1.
  std::optional<double> cycles_per_instruction = {};
  // Clock and currents of the chip; none: the board's clock, and the power of the device that it
  // goes by.
  std::optional<Datasheet> datasheet = {};
  // For a device; empty: costs alone.
  std::string device_name = {};
};

// Counts what each operation of the training's step takes on the board. A device has the board's
// rate of computing, and the storage of the device that the board goes by, since the emulator's
// card takes no time, but for what the data sheet says of it. How each figure was derived is in the
// report's `derivation`. Refuses what train_on_board() refuses, a training that fails, and one for
// which there is no plan.
Result<ProfileReport> profile_on_board(const BoardProfileRequest& request, const Stop& stop,
                                       const BoardTrainingEvents& events);

}  // namespace poet
