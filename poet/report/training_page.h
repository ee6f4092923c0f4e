#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  double worked_s = 0;
  double waited_s = 0;
  std::int64_t moved_bytes = 0;
  std::int64_t planned_ram_bytes = 0;
  std::int64_t arena_ram_bytes = 0;
};

struct TrainingPageInput {
  std::string title = {};
  std::string command = {};
  std::string story = {};
  std::vector<std::string> notes = {};
  std::vector<TrainingFact> facts = {};
  std::int64_t first_step = 1;
  std::vector<float> losses = {};
  std::vector<TrainingRow> rows = {};
};

// One self-contained page about a training: what was predicted and what came, the loss, and each
// operation and transfer. The same input gives the same bytes.
std::string training_page(const TrainingPageInput& input);

}  // namespace poet
