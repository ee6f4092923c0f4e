#include "poet/report/training_page.h"

#include <gtest/gtest.h>

#include <set>

#include "poet/report/page_text_for_tests.h"

namespace poet {
namespace {

using sample::has;

TrainingPage whole_page() {
  TrainingPage page{.model = "lenet5",
                    .platform = "m4",
                    .command = "poet train --model lenet5",
                    .title = "Trained after 3 steps",
                    .story = "The budget costs nothing.",
                    .notes = {"a note"},
                    .cards = {{"loss", "0.5", "after 3 steps"}}};
  page.curve = {.losses = {3, 2, 1}, .tested = {{3, 1.0, 0.9}}};
  page.arenas = {{.name = "whole",
                  .arena_bytes = 64,
                  .ram_budget_bytes = 64,
                  .actions = 2,
                  .pieces = {{.name = "w", .end_bytes = 32, .end_action = 2}}}};
  page.sections = {{.title = "Predicted and measured", .html = "<p>near</p>"}};
  page.facts = {{"arena", "64 bytes"}};
  return page;
}

TEST(TrainingPage, HasEverySection) {
  const std::string text = training_page(whole_page());
  for (const char* part :
       {"Trained after 3 steps", "The budget costs nothing.", "a note", "How the training went",
        "Accuracy on the test data", "What lies where in the arena", "Predicted and measured",
        "<p>near</p>", "In figures", "64 bytes", "--model"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(TrainingPage, FetchesNothingAndClosesEveryTag) {
  const std::string text = training_page(whole_page());
  EXPECT_EQ(sample::what_it_fetches(text), std::nullopt);
  EXPECT_EQ(sample::misplaced_tag(text), std::nullopt);
  const std::vector<std::string> ids = sample::ids_in(text);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(TrainingPage, EscapesNames) {
  TrainingPage page = whole_page();
  page.model = page.title = page.story = page.notes[0] = sample::kEvilName;
  page.facts[0].value = page.cards[0].more = page.sections[0].title = sample::kEvilName;
  page.arenas[0].pieces[0].name = sample::kEvilName;
  const std::string text = training_page(page);
  EXPECT_FALSE(has(text, "alert('x')"));
  EXPECT_EQ(sample::misplaced_tag(text), std::nullopt);
}

TEST(TrainingPage, LeavesOutWhatIsNotThere) {
  const std::string text = training_page({.model = "mlp", .title = "Stopped after 0 steps"});
  for (const char* part : {"How the training went", "arena", "In figures", "class=\"cards"})
    EXPECT_FALSE(has(text.substr(text.find("<body>")), part)) << part;
}

std::vector<TrainingRow> two_rows() {
  return {{.form = "whole",
           .work = "compute",
           .name = "slow",
           .times = 1,
           .predicted_s = 1,
           .measured_s = 0.5},
          {.form = "whole",
           .work = "read",
           .name = "<slower>",
           .times = 2,
           .predicted_s = 1,
           .measured_s = 1.5,
           .moved_bytes = 4096}};
}

TEST(MeasuredWorkSection, PutsWhatTakesLongestFirst) {
  const std::string html = measured_work_section(two_rows()).html;
  EXPECT_LT(html.find("slower"), html.find(">slow<"));
  EXPECT_TRUE(sample::has(html, ">1.50<"));  // measured by predicted
  EXPECT_TRUE(sample::has(html, ">4,096<"));
}

TEST(MeasuredWorkSection, EscapesNamesAndClosesItsTags) {
  const std::string html = measured_work_section(two_rows()).html;
  EXPECT_TRUE(sample::has(html, "&lt;slower&gt;"));
  EXPECT_EQ(sample::misplaced_tag(html), std::nullopt);
}

TEST(MeasuredFactsSection, HasARowForEachFigure) {
  const PageSection section =
      measured_facts_section({{"time per step", "1 s", "2 s", "+100 %"}, {"<RAM>", "", "3", ""}});
  EXPECT_EQ(sample::count_of(section.html, "<tr>"), 3);
  EXPECT_TRUE(sample::has(section.html, "&lt;RAM&gt;"));
  EXPECT_EQ(sample::misplaced_tag(section.html), std::nullopt);
}

}  // namespace

}  // namespace poet
