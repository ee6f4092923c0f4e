#include "poet/report/sweep_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "poet/report/page_text_for_tests.h"
#include "poet/report/sample_step.h"
#include "poet/report/sample_sweep.h"

namespace poet {
namespace {

using sample::count_of;
using sample::has;

// The numbers after each `part`, up to a quote.
std::vector<double> numbers_after(const std::string& text, const std::string& part) {
  std::vector<double> numbers;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    numbers.push_back(std::stod(text.substr(at + part.size(), 20)));
  return numbers;
}

TEST(SweepChart, MarksWhatFitsAndNothingElse) {
  const Chart chart = sweep_energy_chart(sample::three_budgets(), ChartWidth::Wide);
  EXPECT_EQ(count_of(chart.body, "data-at=\"2."), 3);
  EXPECT_EQ(count_of(chart.body, "data-at=\"1."), 1);
  EXPECT_EQ(count_of(chart.body, "data-at=\"0."), 0);
  EXPECT_TRUE(has(chart.body, "Fits at none of these budgets: nowhere."));
}

TEST(SweepChart, SaysWhatItsAxisIs) {
  const Chart energy = sweep_energy_chart(sample::three_budgets(), ChartWidth::Wide);
  EXPECT_TRUE(has(energy.body, "Energy of one step: five on board, at most 80 s</text>"));
  EXPECT_TRUE(has(energy.body,
                  "The axis begins at the unavoidable 1 J, not at 0, and is logarithmic above 0.2 "
                  "%. Shaded: no schedule of the class is there."));
  SweepFigure with_others = sample::three_budgets();
  with_others.has_other_steps = true;
  EXPECT_TRUE(has(sweep_energy_chart(with_others, ChartWidth::Narrow).body, "shared step."));
  const Chart time = sweep_time_chart(sample::three_budgets(), ChartWidth::Wide);
  EXPECT_TRUE(has(time.body, "The axis does not begin at 0.</text>"));
  EXPECT_TRUE(has(time.body, "deadline 80 s"));
  EXPECT_FALSE(has(time.body, "class=\"bound\""));
}

TEST(SweepChart, SaysThatADeadlineIsFarAbove) {
  SweepFigure figure = sample::three_budgets();
  figure.deadline_s = 5000;
  const Chart chart = sweep_time_chart(figure, ChartWidth::Wide);
  EXPECT_TRUE(has(chart.description, "The deadline, 1 h 23 min, is above the picture."));
  EXPECT_FALSE(has(chart.body, ">deadline"));
}

TEST(SweepChart, ShowsTheBoundOfTheObjective) {
  SweepFigure figure = sample::three_budgets();
  EXPECT_TRUE(has(sweep_energy_chart(figure, ChartWidth::Wide).body, ">bound</text>"));
  figure.least_time = true;
  figure.unavoidable = 50;
  for (BoundPoint& bound : figure.bounds) bound.bound += 50;
  EXPECT_FALSE(has(sweep_energy_chart(figure, ChartWidth::Wide).body, ">bound</text>"));
  EXPECT_TRUE(has(sweep_time_chart(figure, ChartWidth::Wide).body, ">bound</text>"));
}

// What bounds 4 KiB holds at 2 and 3 KiB too.
TEST(SweepChart, NoBoundIsBelowThatOfALargerBudget) {
  SweepFigure figure = sample::three_budgets();
  figure.bounds = {{2048, 1.01}, {3072, 1}, {4096, 1.004}};
  const std::string weak = sweep_energy_chart(figure, ChartWidth::Wide).body;
  figure.bounds[1].bound = 1.004;
  EXPECT_EQ(weak, sweep_energy_chart(figure, ChartWidth::Wide).body);
}

// The device has 1 MiB, far beyond the budgets.
TEST(SweepChart, ShowsLandmarksNearTheBudgets) {
  const Chart chart = sweep_energy_chart(sample::three_budgets(), ChartWidth::Wide);
  EXPECT_TRUE(has(chart.body, "largest working set 1.86 KiB"));
  EXPECT_TRUE(has(chart.body, "plain peak 4.1 KiB"));
  EXPECT_FALSE(has(chart.body, "RAM of the device"));
}

TEST(SweepChart, BreaksALineWhereTheMethodDoesNotFit) {
  SweepFigure figure = sample::three_budgets();
  figure.curves[2].points[1].fits = false;
  const std::string body = sweep_energy_chart(figure, ChartWidth::Wide).body;
  const std::size_t begin = body.rfind("<path class=\"curve\"", body.find("data-at=\"2.0\""));
  const std::string path = body.substr(begin, body.find("/>", begin) - begin);
  EXPECT_EQ(count_of(path, "M"), 2) << path;
  EXPECT_EQ(count_of(path, "L"), 0) << path;
}

TEST(SweepChart, SaysWhenNothingFits) {
  SweepFigure figure = sample::three_budgets();
  figure.curves.resize(1);
  EXPECT_TRUE(has(sweep_energy_chart(figure, ChartWidth::Wide).body,
                  "no method fits at any of these budgets"));
  EXPECT_TRUE(has(sweep_energy_chart(SweepFigure{}, ChartWidth::Narrow).body, "nothing fits"));
}

TEST(SweepChart, DrawsWithinItself) {
  SweepFigure one_budget = sample::three_budgets();
  for (Curve& curve : one_budget.curves) curve.points.resize(1);
  one_budget.bounds.resize(1);
  SweepFigure no_unavoidable = sample::three_budgets();
  no_unavoidable.unavoidable = 0;
  for (const SweepFigure& figure :
       {sample::three_budgets(), sample::crowded(20, 40), sample::crowded(1, 1), one_budget,
        no_unavoidable, SweepFigure{}})
    for (const ChartWidth width : {ChartWidth::Wide, ChartWidth::Narrow})
      for (const Chart& chart :
           {sweep_energy_chart(figure, width), sweep_time_chart(figure, width)}) {
        SCOPED_TRACE(figure.title + " " + chart.name);
        EXPECT_FALSE(has(chart.body, "nan"));
        EXPECT_FALSE(has(chart.body, "inf\"") || has(chart.body, "inf "));
        for (const double x : numbers_after(chart.body, " data-x=\"")) {
          EXPECT_GT(x, 0);
          EXPECT_LT(x, chart.width_px);
        }
        for (const double y : numbers_after(chart.body, " y=\"")) {
          EXPECT_GT(y, 0);
          EXPECT_LT(y, chart.height_px);
        }
        EXPECT_EQ(sample::misplaced_tag(standalone_svg(chart)), std::nullopt);
      }
}

// Lines that end at one place get names one below the other.
TEST(SweepChart, NamesDoNotCoverEachOther) {
  SweepFigure figure = sample::crowded(20, 3);
  for (Curve& curve : figure.curves) curve.points.back().energy_j = 2;
  const std::string body = sweep_energy_chart(figure, ChartWidth::Wide).body;
  std::vector<double> places;
  for (std::size_t at = body.find("class=\"leader\""); at != std::string::npos;
       at = body.find("class=\"leader\"", at + 1))
    places.push_back(std::stod(body.substr(body.find(" y=\"", at) + 4, 20)));
  ASSERT_EQ(places.size(), 20U);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 15.9);
}

TEST(SweepChart, DrawsPoetBelowTheOthers) {
  const std::string body = sweep_energy_chart(sample::three_budgets(), ChartWidth::Wide).body;
  EXPECT_LT(body.find("data-at=\"2.0\""), body.find("data-at=\"1.1\""));
}

TEST(SweepChart, IsTheSameTextEveryTime) {
  const SweepFigure figure = sample::crowded(7, 9);
  EXPECT_EQ(standalone_svg(sweep_energy_chart(figure, ChartWidth::Wide)),
            standalone_svg(sweep_energy_chart(figure, ChartWidth::Wide)));
}

TEST(SweepChart, CutsLongNames) {
  SweepFigure figure = sample::three_budgets();
  figure.curves[1].method = std::string(80, 'x');
  const std::string body = sweep_energy_chart(figure, ChartWidth::Wide).body;
  EXPECT_FALSE(has(body, ">" + figure.curves[1].method + "</text>"));
  EXPECT_TRUE(has(body, "xxx…</text>"));
}

}  // namespace
}  // namespace poet
