#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/plan/plan.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/report/arena_chart.h"
#include "poet/report/cuts_section.h"
#include "poet/solve/solver.h"
#include "poet/verify/replay.h"

namespace poet {

struct DeviceRam {
  std::string name;
  std::int64_t ram_bytes = 0;
};

// Everything that a page about one answer shows. `replay` is of `schedule`, in the problem's time
// mode; without a schedule it is not looked at. `problem` is well formed.
struct ReportInput {
  PlanOrigin origin;
  Problem problem;
  std::optional<Schedule> schedule;
  SolveReport solve;  // status, bound, method, effort, why infeasible; its `best` is not looked at
  Replay replay;
  double unavoidable_j = 0;
  std::optional<double>
      solve_s;  // left out of the page when not given, which makes its bytes repeatable
  std::vector<std::string> warnings;
  std::optional<ArenaPicture> arena = {};  // where the schedule's buffers lie
  std::optional<CutPicture> cuts = {};     // where operations are in parts
  // Which steps a proof is of, where the RAM budget may choose others: " of whole operations with
  // separate updates".
  std::string scope = {};
  std::optional<DeviceRam> device = {};  // that is to hold the plan, where it is known
};

// A text to be written to a file: `name` has no folder.
struct ReportFile {
  std::string name;
  std::string text;

  bool operator==(const ReportFile&) const = default;
};

}  // namespace poet
