#pragma once

#include <cstdint>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/report/timed_actions.h"

namespace poet {

// A further memory is one that operations reach by address, as the RAM.
enum class Place { Nowhere, Ram, RamAndStorage, Storage, Further, FurtherAndStorage };

// Where one tensor lies during the stages [begin_stage, end_stage).
struct PlaceRun {
  std::int64_t column = 0;
  std::int64_t begin_stage = 0;
  std::int64_t end_stage = 0;
  Place place = Place::Nowhere;

  bool operator==(const PlaceRun&) const = default;
};

// Something that happens to a tensor in a stage: it is made (kind Compute or Recompute) or moved.
struct StageMark {
  std::int64_t column = 0;
  std::int64_t stage = 0;
  ActionKind kind = ActionKind::Compute;

  bool operator==(const StageMark&) const = default;
};

//              tensors (columns, in the order in which operations make or first read them)
//   stages     C
//   (rows)     r C          C computed now, r in RAM while the stage's operation runs for the first
//   time
//              r r C        s in storage, R recomputed in the stage, ...
//              s r R C
//
// Roots only, without tensors in rom. When every operation makes one tensor and nothing else
// exists, columns are operations, and the picture is that of the matrices of the released code.
struct StageMatrix {
  std::vector<TensorId> columns;
  std::int64_t stages =
      0;  // operations, and one more when something happens after the last of them
  std::vector<PlaceRun> runs;    // by column, then stage; Nowhere is left out
  std::vector<StageMark> marks;  // in the order of the schedule
};

StageMatrix stage_matrix(const Problem& problem, const Schedule& schedule,
                         const std::vector<TimedAction>& steps);

}  // namespace poet
