#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/verify/replay.h"

namespace poet {

// The forms with all the RAM that they could use: what a budget is held against, also where the
// forms that fit it are others, by slices or in parts.
struct PlainForms {
  std::int64_t peak_bytes = 0;  // the largest of theirs
  // The size of the parts that their operations are in, where parts were asked for; empty: whole.
  std::optional<std::int64_t> part_bytes = {};
  std::vector<double> time_s = {};    // of each form
  std::vector<double> energy_j = {};  // of each form
};

// What the schedule that keeps everything costs in as much RAM as it uses, without a deadline.
Replay plain_replay(Problem problem);

}  // namespace poet
