#include "poet/report/html_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "poet/report/chart.h"
#include "poet/report/energy_chart.h"
#include "poet/report/extra_table.h"
#include "poet/report/matrix_chart.h"
#include "poet/report/page_text_for_tests.h"
#include "poet/report/ram_chart.h"
#include "poet/report/sample_step.h"

namespace poet {
namespace {

using sample::count_of;
using sample::has;

ReportInput without_schedule() {
  ReportInput input = sample::five_answer();
  input.schedule.reset();
  input.replay = {};
  input.problem.ram_budget_bytes = 250;
  input.solve.status = SolveStatus::Infeasible;
  input.solve.infeasibility = Infeasibility{};
  input.solve.infeasibility->reason = "operation 'b2' needs 300 bytes, more than the budget";
  input.solve.infeasibility->least_budget_bytes = 300;
  input.solve.infeasibility->working_budget_bytes = 300;
  return input;
}

TEST(HtmlReport, ClosesWhatItOpens) {
  EXPECT_EQ(sample::misplaced_tag(html_report(sample::five_answer())), std::nullopt);
  EXPECT_EQ(sample::misplaced_tag(html_report(without_schedule())), std::nullopt);
  EXPECT_EQ(sample::misplaced_tag(html_report(ReportInput{})), std::nullopt);
}

TEST(MisplacedTag, SeesAFault) {
  EXPECT_EQ(sample::misplaced_tag("<p><b>x</p>"), "/p");
  EXPECT_EQ(sample::misplaced_tag("<p>"), "p");
}

TEST(HtmlReport, IsTheSameTextEveryTime) {
  EXPECT_EQ(html_report(sample::five_answer()), html_report(sample::five_answer()));
}

TEST(HtmlReport, FetchesNothing) {
  const std::string page = html_report(sample::five_answer());
  EXPECT_EQ(sample::what_it_fetches(page), std::nullopt);
}

TEST(HtmlReport, ShowsTheAnswer) {
  const std::string page = html_report(sample::five_answer());
  EXPECT_TRUE(has(page,
                  "<h2>Proved best</h2><p>No schedule of the class uses less energy (first "
                  "executions in the given order; "
                  "re-executions within one stage in increasing order, each at most once).</p>"));
  EXPECT_TRUE(has(page,
                  "<h3>Energy of one step</h3><p class=\"value\">6.7 mJ</p><p "
                  "class=\"more\">1.7 mJ (34 %) above the unavoidable 5 mJ</p>"));
  EXPECT_TRUE(has(page,
                  "<h3>Peak RAM</h3><p class=\"value\">300 B</p><p class=\"more\">100 % of "
                  "the budget of 300 B</p>"));
  EXPECT_TRUE(has(page,
                  "<span>poet</span> <span>solve</span> <span>--model</span> "
                  "<span>five</span></code>"));
}

TEST(HtmlReport, SaysWhatLiesInSlowMemory) {
  ReportInput input = sample::five_answer();
  input.problem.further_memories = {{.name = "a <b>", .size_bytes = 4096},
                                    {.name = "sdram", .size_bytes = 4096}};
  input.replay.further_peak_bytes = {2048, 0};
  EXPECT_TRUE(has(html_report(input), "; up to 2 KiB lie in a &lt;b&gt;</p>"));
}

TEST(HtmlReport, SaysNothingOfEnergiesThatNobodyStates) {
  ReportInput input = sample::five_answer();
  input.problem.objective = Objective::Time;
  for (Operation& operation : input.problem.operations) operation.compute_j = 0;
  for (Tensor& tensor : input.problem.tensors) tensor.page_in_j = tensor.page_out_j = 0;
  input.problem.idle_w = 0;
  input.replay = replay(input.problem, *input.schedule);
  const std::string page = html_report(input);
  EXPECT_FALSE(has(page, "Energy of one step"));
  EXPECT_FALSE(has(page, "Where the energy goes"));
  EXPECT_TRUE(has(page, "<h3>Beyond the unavoidable</h3>"));
  EXPECT_EQ(sample::misplaced_tag(page), std::nullopt);
}

// The plan has 17 actions, of which 9 are computes and transfers; the last compute is action 13.
TEST(HtmlReport, NumbersActionsAsThePlanDoes) {
  const std::string page = html_report(sample::five_answer());
  const std::size_t begin = page.find("\"actions\":[[");
  const std::string actions = page.substr(begin, page.find("]]", begin) - begin);
  EXPECT_TRUE(actions.ends_with(",13")) << actions;
  EXPECT_TRUE(has(page, "\"action \" + action[6] + \" of the plan"));
}

TEST(HtmlReport, EveryIdIsUsedOnce) {
  const std::string page = html_report(sample::five_answer());
  std::set<std::string> ids;
  for (const std::string& id : sample::ids_in(page)) EXPECT_TRUE(ids.insert(id).second) << id;
  EXPECT_GT(ids.size(), 10U);
}

TEST(HtmlReport, EscapesEveryText) {
  const std::string evil = sample::kEvilName;
  ReportInput input = sample::five_answer();
  input.problem.name = evil;
  for (Operation& operation : input.problem.operations) operation.name = evil;
  for (Tensor& tensor : input.problem.tensors) tensor.name = evil;
  input.origin = {evil, evil, evil, evil};
  input.warnings = {evil};
  input.solve.notes = {evil};
  input.solve.method = evil;
  input.solve.backend = evil;
  input.replay.findings.push_back(Finding{.message = evil});
  const std::string page = html_report(input);
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_EQ(sample::misplaced_tag(page), std::nullopt);
  input.schedule.reset();
  input.solve.status = SolveStatus::Infeasible;
  input.solve.infeasibility = Infeasibility{};
  input.solve.infeasibility->reason = evil;
  EXPECT_FALSE(has(html_report(input), "<script>alert"));
}

TEST(HtmlReport, SaysWhyThereIsNoSchedule) {
  const std::string page = html_report(without_schedule());
  EXPECT_TRUE(has(page,
                  "<h2>No schedule fits</h2><p>Operation &#39;b2&#39; needs 300 bytes, more "
                  "than the budget. This speaks of schedules of the class: "));
  EXPECT_TRUE(has(page, "<h3>Smallest budget that works</h3><p class=\"value\">300 B</p>"));
  EXPECT_TRUE(has(page, "<svg class=\"chart\" role=\"img\""));
  EXPECT_TRUE(has(page, "working_sets-title"));
  EXPECT_FALSE(has(page, "RAM over the step"));
}

TEST(HtmlReport, ShowsADeadlineThatWorksAndIsProvedAsOne) {
  ReportInput input = without_schedule();
  input.solve.infeasibility->least_time_s = 2.5;
  input.solve.infeasibility->working_time_s = 2.5;
  const std::string page = html_report(input);
  EXPECT_TRUE(has(page, "<h3>Shortest deadline that works</h3><p class=\"value\">2.5 s</p>"));
  EXPECT_FALSE(has(page, "No deadline below"));
}

TEST(HtmlReport, ListsBrokenRules) {
  ReportInput input = sample::five_answer();
  input.problem.ram_budget_bytes = 250;
  input.replay = replay(input.problem, *input.schedule);
  ASSERT_FALSE(input.replay.valid());
  const std::string page = html_report(input);
  EXPECT_TRUE(has(page, "Not a valid schedule"));
  EXPECT_TRUE(has(page, "class=\"over\""));
}

TEST(HtmlReport, OneOperationAndNoTimeIsEnough) {
  Problem problem;
  problem.operations = {sample::operation("only", {}, 0)};
  problem.operations[0].compute_s = 0;
  problem.operations[0].compute_j = 0;
  problem.tensors = {sample::tensor("result")};
  problem.ram_budget_bytes = 1000;
  const std::string page = html_report(sample::answer(problem, plain_schedule(problem)));
  EXPECT_EQ(sample::misplaced_tag(page), std::nullopt);
  EXPECT_FALSE(has(page, "nan"));
  EXPECT_FALSE(has(page, "inf "));
  EXPECT_FALSE(has(page, "id=\"by-time\""));
  EXPECT_TRUE(has(page, "Nothing is recomputed, read or written: every operation runs once."));
}

TEST(HtmlReport, StaysSmallForHundredsOfOperations) {
  const int half = 200;
  const ReportInput input = sample::answer(sample::long_chain(half), sample::page_everything(half));
  ASSERT_TRUE(input.replay.valid()) << input.replay.findings[0].message;
  EXPECT_LT(html_report(input).size(), 1'000'000U);
}

TEST(HtmlReport, AccountsForTheEnergyByKind) {
  const ReportInput input = sample::five_answer();
  const EnergyParts parts = energy_parts(
      input.problem, timed_actions(input.problem, *input.schedule, input.replay), input.replay);
  EXPECT_DOUBLE_EQ(parts.compute_once_j, 0.005);
  EXPECT_DOUBLE_EQ(parts.recompute_j, 0.001);
  EXPECT_DOUBLE_EQ(parts.page_in_j, 0.0004);
  EXPECT_DOUBLE_EQ(parts.page_out_j, 0.0003);
  EXPECT_DOUBLE_EQ(parts.total_j(), input.replay.energy_j);
}

TEST(SvgCharts, AreWholeFilesWithTitleAndDescription) {
  const std::vector<ReportFile> files = svg_charts(sample::five_answer());
  std::vector<std::string> names;
  for (const ReportFile& file : files) {
    SCOPED_TRACE(file.name);
    names.push_back(file.name);
    EXPECT_EQ(sample::misplaced_tag(file.text), std::nullopt);
    EXPECT_TRUE(file.text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns="));
    EXPECT_EQ(count_of(file.text, "<title "), 1);
    EXPECT_EQ(count_of(file.text, "<desc "), 1);
    EXPECT_TRUE(has(file.text, "role=\"img\""));
    EXPECT_TRUE(has(file.text, "prefers-color-scheme: dark"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ram_over_actions.svg", "ram_over_time.svg",
                                             "stages.svg", "energy.svg"}));
}

TEST(SvgCharts, WithoutAScheduleShowWorkingSets) {
  const std::vector<ReportFile> files = svg_charts(without_schedule());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "working_sets.svg");
  EXPECT_TRUE(has(files[0].text, "class=\"over\""));
}

// Those of an earlier answer are removed by these names.
TEST(SvgCharts, HaveNamesThatAreListed) {
  const std::vector<std::string> known = chart_file_names();
  std::set<std::string> seen;
  ReportInput laid_out = sample::five_answer();
  laid_out.arena = ArenaPicture{
      .arena_bytes = 8, .actions = 1, .pieces = {{.name = "a", .end_bytes = 8, .end_action = 1}}};
  EXPECT_TRUE(has(html_report(laid_out), "What lies where in RAM"));
  for (const ReportInput& input : {laid_out, without_schedule()})
    for (const ReportFile& file : svg_charts(input)) seen.insert(file.name);
  EXPECT_EQ(seen, std::set<std::string>(known.begin(), known.end()));
}

TEST(SvgCharts, OfNothingAreNone) {
  EXPECT_TRUE(svg_charts(ReportInput{}).empty());
}

// Nine actions, one lane each for what is recomputed, read and written; 100 bytes at the left, 300
// at the peak.
TEST(RamChart, DrawsOneStepPerChangeAndALanePerKind) {
  const ReportInput input = sample::five_answer();
  const Chart chart =
      ram_chart(input.problem, timed_actions(input.problem, *input.schedule, input.replay),
                RamAxis::Actions, ChartWidth::Wide);
  EXPECT_EQ(chart.title, "RAM in use, action by action");
  EXPECT_EQ(chart.description,
            "RAM in use during 9 computes and transfers, at most 300 B. The RAM budget is 300 B, "
            "the largest "
            "working set 300 B, the plain peak 400 B.");
  EXPECT_EQ(count_of(chart.body, "<path class=\"recompute\""), 1);
  EXPECT_EQ(count_of(chart.body, "<path class=\"page-in\""), 1);
  EXPECT_EQ(count_of(chart.body, "<path class=\"page-out\""), 1);
  EXPECT_TRUE(has(chart.body, ">backward</text>"));
  EXPECT_TRUE(has(chart.body, ">computes and transfers, in order</text>"));
  EXPECT_EQ(count_of(chart.body, ">peak 300 B</text>"), 1);
  EXPECT_FALSE(has(chart.body, "class=\"over\""));
}

TEST(RamChart, NamesALineFarAboveInsteadOfDrawingIt) {
  ReportInput input = sample::five_answer();
  input.problem.ram_budget_bytes = 1'000'000;
  const Chart chart =
      ram_chart(input.problem, timed_actions(input.problem, *input.schedule, input.replay),
                RamAxis::Actions, ChartWidth::Wide);
  EXPECT_TRUE(has(chart.body, ">RAM budget ↑</text>"));
  EXPECT_FALSE(has(chart.body, "class=\"budget\""));
}

TEST(RamChart, ManyActionsAreDrawnAsFewerSteps) {
  const Problem problem = sample::long_chain(5000);
  const Schedule schedule = plain_schedule(problem);
  const Chart chart =
      ram_chart(problem, timed_actions(problem, schedule, replay(problem, schedule)),
                RamAxis::Actions, ChartWidth::Wide);
  EXPECT_LT(chart.body.size(), 60'000U);
}

TEST(MatrixChart, DrawsEachKindOfCellAsOnePath) {
  const ReportInput input = sample::five_answer();
  const std::vector<TimedAction> actions =
      timed_actions(input.problem, *input.schedule, input.replay);
  const Chart chart = matrix_chart(
      input.problem, stage_matrix(input.problem, *input.schedule, actions), ChartWidth::Wide);
  EXPECT_TRUE(has(chart.body, "<path class=\"storage\" d=\"M0 2h1v2h-1z\"/>"));
  EXPECT_TRUE(has(chart.body,
                  "<path class=\"ram\" d=\"M0 0h1v1h-1zM1 1h1v3h-1zM2 2h1v2h-1zM3 "
                  "3h1v2h-1zM4 4h1v1h-1z\"/>"));
  EXPECT_TRUE(has(chart.body, "<path class=\"both\" d=\"M0 1h1v1h-1zM0 4h1v1h-1z\"/>"));
  EXPECT_TRUE(has(chart.body, "<path class=\"recompute\" d=\"M1 3h1v1h-1z\"/>"));
}

TEST(MatrixChart, SharesCellsWhenThereAreTooMany) {
  const Problem problem = sample::long_chain(1000);
  const Schedule schedule = sample::page_everything(1000);
  const std::vector<TimedAction> actions =
      timed_actions(problem, schedule, replay(problem, schedule));
  const Chart chart =
      matrix_chart(problem, stage_matrix(problem, schedule, actions), ChartWidth::Wide);
  EXPECT_LT(chart.body.size(), 150'000U);
}

TEST(ExtraTable, SaysHowOftenAndWhen) {
  const ReportInput input = sample::five_answer();
  const std::string table = extra_table(
      input.problem,
      extra_work(input.problem, timed_actions(input.problem, *input.schedule, input.replay)));
  EXPECT_EQ(count_of(table, "<tr data-kind"), 3);
  EXPECT_TRUE(has(table,
                  "data-key=\"t0\">t0</th><td class=\"number\" data-key=\"2\">2×</td><td "
                  "class=\"number stages\" data-key=\"3\">3, 4</td><td class=\"number "
                  "bytes\" data-key=\"200\">200 B</td>"));
}

TEST(StagesText, ShortensLongLists) {
  EXPECT_EQ(stages_text({5, 7, 9, 11}, 4), "5, 7, 9, 11");
  EXPECT_EQ(stages_text({5, 7, 9, 11, 13}, 4), "5, 7, 9 and 2 more");
}

}  // namespace
}  // namespace poet
