#include <gtest/gtest.h>

#include <set>
#include <string>

#include "poet/report/page_text_for_tests.h"
#include "poet/report/sample_step.h"
#include "poet/report/sample_sweep.h"
#include "poet/report/sweep_figure.h"

namespace poet {
namespace {

using sample::count_of;
using sample::has;

std::string page_of(const SweepFigure& figure) {
  return sweep_page({figure}, "poet sweep --model five");
}

TEST(SweepPage, ClosesWhatItOpens) {
  EXPECT_EQ(sample::misplaced_tag(page_of(sample::three_budgets())), std::nullopt);
  EXPECT_EQ(sample::misplaced_tag(page_of(sample::crowded(20, 40))), std::nullopt);
  EXPECT_EQ(sample::misplaced_tag(page_of(SweepFigure{})), std::nullopt);
  EXPECT_EQ(sample::misplaced_tag(sweep_page({}, "")), std::nullopt);
}

TEST(SweepPage, IsTheSameTextEveryTime) {
  EXPECT_EQ(page_of(sample::three_budgets()), page_of(sample::three_budgets()));
}

TEST(SweepPage, FetchesNothing) {
  const std::string page = page_of(sample::three_budgets());
  EXPECT_EQ(sample::what_it_fetches(page), std::nullopt);
}

TEST(SweepPage, EveryIdIsUsedOnce) {
  const std::string page =
      sweep_page({sample::three_budgets(), sample::crowded(3, 2)}, "poet sweep");
  std::set<std::string> ids;
  for (const std::string& id : sample::ids_in(page)) EXPECT_TRUE(ids.insert(id).second) << id;
  EXPECT_GT(ids.size(), 16U);
}

TEST(SweepPage, EscapesEveryText) {
  const std::string evil = sample::kEvilName;
  SweepFigure figure = sample::three_budgets();
  figure.title = evil;
  for (Curve& curve : figure.curves) {
    curve.method = curve.what = evil;
    for (CurvePoint& point : curve.points) point.verdict = point.reason = evil;
  }
  const std::string page = sweep_page({figure, figure}, evil);
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_EQ(sample::misplaced_tag(page), std::nullopt);
}

TEST(SweepPage, ListsTheSmallestBudgetOfEachMethodSmallestFirst) {
  const std::string page = page_of(sample::three_budgets());
  const std::size_t begin = page.find("<h3>The smallest budget");
  const std::string table = page.substr(begin, page.find("</table>", begin) - begin);
  EXPECT_TRUE(has(table,
                  "<td class=\"number\">2 KiB</td><td class=\"number\">48.8 %</td><td "
                  "class=\"number\">1.02 J (+2 %)</td><td>this program</td>"));
  EXPECT_TRUE(has(table,
                  "<td colspan=\"3\">fits at none of these budgets; at the largest: no paging</td>"
                  "<td>never fits</td>"));
  EXPECT_LT(table.find("this program"), table.find("fits in the middle"));
  EXPECT_LT(table.find("fits in the middle"), table.find("never fits"));
}

TEST(SweepPage, ListsEveryPoint) {
  const std::string page = page_of(sample::three_budgets());
  const std::size_t begin = page.find("<h3>All numbers");
  const std::string table = page.substr(begin, page.find("</table>", begin) - begin);
  EXPECT_EQ(count_of(table, "<tr data-method"), 9);
  EXPECT_TRUE(has(table,
                  "<tr data-method=\"2\" class=\"own\"><td class=\"number\">3,072</td><th "
                  "scope=\"row\">poet</th><td>fits</td><td class=\"number\">1.004000</td><td "
                  "class=\"number\">52.00000</td><td class=\"number\">0.4000</td><td "
                  "class=\"number\">3,048</td><td class=\"number\">3</td><td "
                  "class=\"number\">1</td></tr>"));
  EXPECT_TRUE(has(table, "<td>over RAM: needs 9,000 B of RAM</td>"));
}

TEST(SweepPage, HasABoxForEveryMethodOfAFigure) {
  const std::string page = page_of(sample::three_budgets());
  EXPECT_EQ(count_of(page, "<input type=\"checkbox\" data-method="), 3);
  EXPECT_TRUE(has(page, "id=\"poet-methods\">[\"nowhere\",\"half\",\"poet\"]</script>"));
}

TEST(SweepPage, AMethodLooksTheSameInEveryFigure) {
  SweepFigure second = sample::three_budgets();
  second.curves.erase(second.curves.begin());
  const std::string page = sweep_page({sample::three_budgets(), second}, "");
  const std::size_t begin = page.find("id=\"figure-2\"");
  EXPECT_TRUE(has(page.substr(begin), "class=\"tone-1 dash-1\" data-method=\"1\""));
  EXPECT_FALSE(has(page.substr(begin), "tone-0 dash-0\" data-method"));
  EXPECT_EQ(count_of(page, "<a href=\"#figure-2\">"), 1);
}

TEST(SweepPage, LeavesOutWhatNobodyStates) {
  SweepFigure figure = sample::three_budgets();
  figure.least_time = true;
  for (Curve& curve : figure.curves)
    for (CurvePoint& point : curve.points) point.energy_j.reset();
  const std::string page = page_of(figure);
  EXPECT_FALSE(has(page, "Energy of one step"));
  EXPECT_TRUE(has(page, "Time of one step"));
  EXPECT_FALSE(has(sweep_page({figure}, ""), "The command that made this"));
  EXPECT_FALSE(has(page_of(SweepFigure{}), "<h3>"));
}

// Each point speaks for itself where there is no script.
TEST(SweepPage, PointsHaveTitles) {
  EXPECT_TRUE(has(page_of(sample::three_budgets()),
                  "<title>poet\nRAM budget 2 KiB (2,048 B)\nfits\nenergy 1.02 J, 2 % above the "
                  "unavoidable\ntime 55 s\npeak RAM 1.98 KiB\n3 operations recomputed, 1 tensor "
                  "paged</title>"));
}

}  // namespace
}  // namespace poet
