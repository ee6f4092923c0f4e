#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/solve_flags.h"
#include "poet/ask/option_row.h"
#include "poet/boards/board.h"
#include "poet/device/datasheet.h"
#include "poet/profile/power_profile.h"
#include "poet/profile/profile.h"

namespace poet::cli {

// Everything that the flags of `poet profile` set.
struct ProfileFlags {
  SolveFlags network;  // how it is made and trained, the time limit, and how to print
  ProfileRequest profile;
  std::optional<std::string> storage_folder;
  bool direct = false;
  std::optional<std::string> device_path;
  std::optional<std::string> costs_path;
  std::optional<EmulatedBoard> board;  // measured in place of this machine
  std::int64_t board_steps = 2;
  std::optional<double> cycles_per_instruction;
  std::optional<Datasheet> datasheet;  // of the board's chip
  PowerLogRequest power;               // with a path: of a real board, in place of this machine
};

// `flags` must outlive the rows.
std::vector<OptionRow> profile_option_rows(ProfileFlags& flags);

int run_profile(const std::vector<std::string>& arguments);

}  // namespace poet::cli
