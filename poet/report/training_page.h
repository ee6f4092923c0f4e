#pragma once

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

}  // namespace poet
