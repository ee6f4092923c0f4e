#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/report/training_page.h"

namespace poet {

// A figure of a training, as predicted and as measured; texts, for people.
struct TrainingFact {
  std::string name = {};
  std::string predicted = {};  // empty: only measured
  std::string measured = {};
  std::string remark = {};
};

// A row of the table of what a step does.
struct TrainingRow {
  std::string form = {};
  std::string work = {};
  std::string name = {};
  std::int64_t times = 0;
  double predicted_s = 0;
  double measured_s = 0;
  double worked_s = 0;  // by the thread itself, of what was measured
  double waited_s = 0;
  std::int64_t moved_bytes = 0;
  std::int64_t planned_ram_bytes = 0;
  std::int64_t arena_ram_bytes = 0;
};

// What was predicted and what came: of the training as a whole, and of each operation and transfer,
// what takes longest first.
PageSection measured_facts_section(const std::vector<TrainingFact>& facts);
PageSection measured_work_section(std::vector<TrainingRow> rows);

}  // namespace poet
