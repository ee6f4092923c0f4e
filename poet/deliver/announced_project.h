#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// An action as project.json names it, or the end of a micro-batch: what poet_trace() is told.
struct AnnouncedAction {
  std::string what = {};  // "compute", "read", "write", ...; empty: the end of a micro-batch
  std::string name = {};
  std::string key = {};  // of what is computed
  std::int64_t flop = 0;
  std::int64_t bytes = 0;
  bool again = false;
};

// What a project of C does in one step, announcement by announcement.
struct AnnouncedProject {
  std::string model = {};
  std::string device = {};
  std::vector<AnnouncedAction> step = {};  // of all its micro-batches
};

// Reads project.json in the folder (docs/formats/emitted-project.md). Refuses, with its place, what
// is no such file, one that was written before its actions had keys, one whose transfers go on
// beside its actions, and steps of more than a million actions.
Result<AnnouncedProject> read_announced_project(const std::string& folder);

}  // namespace poet
