#include "poet/report/measured_sections.h"

#include <gtest/gtest.h>

#include "poet/report/page_text_for_tests.h"

namespace poet {
namespace {

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
