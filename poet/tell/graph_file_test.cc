
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "poet/ask/asked_for_tests.h"
#include "poet/ask/make_plan.h"
#include "poet/ask/plan_check.h"
#include "poet/base/json_out.h"
#include "poet/plan/plan_file.h"
#include "poet/tell/inspect.h"
#include "poet/tell/report_json.h"
#include "poet/tell/summary_text.h"

namespace poet {
namespace {

// A chain of four and its way back, as a network's: op_4 to op_6 read what op_0 to op_2 made.
CostedGraph chain() {
  const auto ids = [](std::initializer_list<std::int32_t> numbers) {
    std::vector<OperationId> list;
    for (const std::int32_t number : numbers) list.push_back(OperationId{number});
    return list;
  };
  return {.name = "chain",
          .nodes = {{.name = "a", .output_bytes = 100, .duration_s = 1},
                    {.name = "b", .inputs = ids({0}), .output_bytes = 100, .duration_s = 2},
                    {.name = "c", .inputs = ids({1}), .output_bytes = 100, .duration_s = 4},
                    {.name = "d", .inputs = ids({2}), .output_bytes = 100, .duration_s = 8},
                    {.name = "gc", .inputs = ids({2, 3}), .output_bytes = 100, .duration_s = 8},
                    {.name = "gb", .inputs = ids({1, 4}), .output_bytes = 100, .duration_s = 8},
                    {.name = "ga", .inputs = ids({0, 5}), .output_bytes = 100, .duration_s = 8}}};
}

CostedGraph with_energies() {
  CostedGraph graph = chain();
  graph.has_energies = true;
  for (CostedNode& node : graph.nodes) node.compute_j = 2 * node.duration_s;
  return graph;
}

CostedGraph with_storage() {
  CostedGraph graph = with_energies();
  graph.has_storage = graph.has_transfer_times = true;
  for (CostedNode& node : graph.nodes) {
    node.page_in_j = 0.25;
    node.page_out_j = 0.5;
    node.page_in_s = 16;
    node.page_out_s = 32;
  }
  return graph;
}

PlanRequest about(CostedGraph graph) {
  PlanRequest request;
  request.model = graph.name;
  request.costed_graph = std::move(graph);
  request.ram_budget = RamOfPlainPeak{0.9};
  return request;
}

std::string error_of(const PlanRequest& request) {
  const Result<Problem> problem = make_problem(request);
  return problem.ok() ? "no error" : to_string(problem.error());
}

std::string reading_error_of(PlanRequest request, const std::string& path) {
  request.graph_file = path;
  const Result<Question> about_file = read_question(request);
  return about_file.ok() ? "no error" : to_string(about_file.error());
}

TEST(GraphFile, MakesTimeLeastWithoutPagingWhenThereAreOnlyDurations) {
  const Problem problem = make_problem(about(chain())).value();
  EXPECT_EQ(problem.objective, Objective::Time);
  EXPECT_FALSE(problem.paging_allowed);
  EXPECT_EQ(problem.deadline_s, std::nullopt);
  EXPECT_EQ(problem.idle_w, 0);
  EXPECT_EQ(problem.ram_budget_bytes, 450);  // 0.9 of 500
}

TEST(GraphFile, UnderstandsEveryFormOfABudget) {
  PlanRequest request = about(chain());
  request.ram_budget = RamOfPlainPeak{0.6};
  EXPECT_EQ(make_problem(request)->ram_budget_bytes, 300);
  request.ram_budget = RamOnTheWay{0.4};
  EXPECT_EQ(make_problem(request)->ram_budget_bytes, 380);  // 300 and 0.4 of 200
  request.ram_budget = RamBytes{524'288};
  EXPECT_EQ(make_problem(request)->ram_budget_bytes, 524'288);
}

TEST(GraphFile, NeedsABudgetOrADevice) {
  PlanRequest request = about(chain());
  request.ram_budget = {};
  EXPECT_EQ(error_of(request),
            "a graph file alone says nothing of the RAM: give --ram-budget, such as 0.9x of the "
            "plain peak, or --platform for the RAM of a device");
  request.platform = "m4";
  EXPECT_EQ(make_problem(request)->ram_budget_bytes, 262'144);
}

TEST(GraphFile, MakesEnergyLeastWhenThereAreEnergies) {
  PlanRequest request = about(with_energies());
  EXPECT_EQ(make_problem(request)->objective, Objective::Energy);
  EXPECT_FALSE(make_problem(request)->paging_allowed);
  request.objective = Objective::Time;
  EXPECT_EQ(make_problem(request)->objective, Objective::Time);
}

TEST(GraphFile, RefusesToMakeLeastWhatIsNotKnown) {
  PlanRequest request = about(chain());
  request.objective = Objective::Energy;
  EXPECT_EQ(error_of(request),
            "the graph file states no energies ('compute_j'), so only time can be made least");
}

TEST(GraphFile, PagesWithItsOwnTransfers) {
  PlanRequest request = about(with_storage());
  request.memory_power_scale = 2;
  const Problem problem = make_problem(request).value();
  EXPECT_TRUE(problem.paging_allowed);
  EXPECT_EQ(problem.time_mode, TimeMode::Blocking);
  EXPECT_EQ(problem.tensors[3].page_in_j, 0.5);
  EXPECT_EQ(problem.tensors[3].page_out_j, 1);
  EXPECT_EQ(problem.tensors[3].page_in_s, 16);
  EXPECT_EQ(problem.tensors[3].page_out_s, 32);
  request.paging = false;
  EXPECT_FALSE(make_problem(request)->paging_allowed);
  request.io = TimeMode::Free;
  EXPECT_EQ(make_problem(request)->time_mode, TimeMode::Free);
}

TEST(GraphFile, PagesAsADeviceDoes) {
  PlanRequest request = about(with_energies());
  request.platform = "m4";
  const Result<Instance> instance = make_instance(request);
  ASSERT_TRUE(instance.ok());
  EXPECT_TRUE(instance->problem.paging_allowed);
  EXPECT_EQ(instance->problem.time_mode, instance->device->time_mode);
  const StorageLink& read = instance->device->storage.read;
  EXPECT_EQ(instance->problem.tensors[3].page_in_j, transfer_j(read, 100));
  EXPECT_EQ(instance->problem.tensors[3].page_in_s, transfer_s(read, 100));
  EXPECT_EQ(instance->problem.operations[3].compute_j, 16);  // the file's
  EXPECT_TRUE(instance->warnings.empty());
}

TEST(GraphFile, SaysWhoseTransfersCount) {
  PlanRequest request = about(with_storage());
  request.platform = "m4";
  EXPECT_EQ(make_instance(request)->warnings,
            std::vector<std::string>{
                "transfers cost what they cost on m4, and not what the graph file states"});
}

TEST(GraphFile, WarnsOfPagingThatCostsNothing) {
  PlanRequest request = about(with_storage());
  EXPECT_TRUE(make_instance(request)->warnings.empty());
  request.costed_graph->has_transfer_times = false;
  EXPECT_TRUE(make_instance(request)->warnings.empty());
  request.objective = Objective::Time;
  EXPECT_EQ(make_instance(request)->warnings,
            std::vector<std::string>{
                "transfers take no time here, so paging costs nothing when time is made least"});
}

TEST(GraphFile, WarnsOfStatementsThatItsSizesContradict) {
  PlanRequest request = about(chain());
  request.costed_graph->stated_plain_peak_bytes = 500;
  request.costed_graph->stated_working_set_bytes = 300;
  EXPECT_TRUE(make_instance(request)->warnings.empty());
  request.costed_graph->stated_plain_peak_bytes = 4'000;
  request.costed_graph->stated_working_set_bytes = 299;
  EXPECT_EQ(make_instance(request)->warnings,
            (std::vector<std::string>{
                "the graph file states a plain peak of 4,000 bytes, but by its sizes and edges it "
                "is 500 bytes",
                "the graph file states a largest working set of 299 bytes, but by its sizes and "
                "edges it is 300 bytes"}));
}

TEST(GraphFile, RefusesNamesAndFactorsThatAreNotRight) {
  PlanRequest request = about(with_storage());
  request.memory_power_scale = -1;
  EXPECT_EQ(error_of(request), "the memory power scale is -1; it is a factor of at least 0");
  request.platform = "m9";
  EXPECT_EQ(error_of(request), "unknown platform 'm9'; did you mean 'm0'?");
}

TEST(ReadQuestion, TakesTheNameOfTheGraph) {
  const std::string path = ::testing::TempDir() + "/with_graph_file_test.json";
  std::ofstream(path) << R"({"name": "two", "nodes": 2, "edges": [[0, 1]], "duration": [1, 2],
                             "output_bytes": [3, 4]})";
  const Result<Question> question = read_question({.graph_file = path});
  std::filesystem::remove(path);
  ASSERT_TRUE(question.ok()) << to_string(question.error());
  EXPECT_EQ(question->origin, (PlanOrigin{"two", "", "file", ""}));
  EXPECT_FALSE(question->device);
  EXPECT_EQ(std::get<CostedGraph>(question->graph).nodes.size(), 2u);
}

TEST(ReadQuestion, RefusesTwoThingsToPlan) {
  PlanRequest request;
  request.model = "bert";
  EXPECT_EQ(reading_error_of(request, "g.json"),
            "the network 'bert' and the graph file 'g.json' are two things to plan; name one of "
            "them");
  request = {};
  request.batch_size = 4;
  EXPECT_EQ(reading_error_of(request, "g.json"),
            "a graph file has the sizes of one batch size; it cannot be given another");
  EXPECT_EQ(reading_error_of({}, "no_such_graph.json"),
            "cannot read 'no_such_graph.json': No such file or directory");
}

TEST(MakePlan, PlansACostedGraph) {
  PlanRequest request = about(chain());
  request.ram_budget = RamBytes{400};
  const Result<PlanReport> report = make_plan(asked(request), {}, {});
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  EXPECT_EQ(report->solve.status, SolveStatus::Optimal);
  // Without keeping `a`: it is computed again in the end.
  EXPECT_EQ(report->replay.time_s, 40);
  EXPECT_EQ(report->replay.recomputed_operations, 1);

  const Result<Plan> read = parse_plan(plan_text(*report->plan), "plan.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(check_plan(*read, std::nullopt).valid());
  EXPECT_EQ(read->origin, (PlanOrigin{"chain", "", "file", ""}));

  const JsonOut json = report_to_json(*report);
  EXPECT_EQ(json["model"], "chain");
  EXPECT_EQ(json["graph"], "file");
  EXPECT_EQ(json["platform"], nullptr);
  EXPECT_EQ(json["objective"], "time");
  const std::string text = summary_text(*report);
  EXPECT_TRUE(text.starts_with(
      "chain, graph from a file, free transfers, no paging, least time\noptimal schedule"))
      << text;
  EXPECT_EQ(text.find("energy"), std::string::npos) << text;
}

}  // namespace
}  // namespace poet
