#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/report/arena_chart.h"
#include "poet/report/facts_list.h"
#include "poet/report/learning_chart.h"

namespace poet {

// A section that somebody else made: HTML without scripts, whose text is escaped. Tables and charts
// take the classes of page_css() and chart_css().
struct PageSection {
  std::string title = {};
  std::string html = {};
};

// Everything that a page about one training shows.
struct TrainingPage {
  std::string model = {};
  std::string platform = {};
  std::string command = {};
  std::string title = {};  // "Trained after 300 steps"
  std::string story = {};  // what the budget costs, and what would help
  std::vector<std::string> notes = {};
  std::vector<Card> cards = {};
  LearningCurve curve = {};
  std::vector<ArenaPicture> arenas = {};   // of the forms of a step
  std::vector<PageSection> sections = {};  // between the pictures and the figures
  std::vector<Fact> facts = {};
};

// One self-contained page: nothing is fetched from anywhere. The same input gives the same bytes.
std::string training_page(const TrainingPage& page);

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
