#include "poet/problem/problem_json.h"

#include <gtest/gtest.h>

#include "poet/base/text_file.h"
#include "tests/support/source_folder.h"

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}

// Every field differs from its default somewhere.
Problem with_everything() {
  Problem problem;
  problem.name = "step \"1\"";
  problem.ram_budget_bytes = 100;
  problem.deadline_s = 1.0 / 3;
  problem.uncertainty = Uncertainty{.ratio = 0.1, .deviations = 3, .deadline_s = 0.3};
  problem.storage_capacity_bytes = std::int64_t{1} << 62;
  problem.write_budget_bytes = 0;
  problem.idle_w = 1.0000000000000001e-60;
  problem.time_mode = TimeMode::Overlapped;
  problem.objective = Objective::Time;
  problem.paging_allowed = false;
  problem.rematerialisation_allowed = false;
  problem.tensors = {{.name = "x",
                      .size_bytes = 8,
                      .home = Home::Storage,
                      .page_in_j = 0.1,
                      .page_out_j = 0.2,
                      .page_in_s = 1e60,
                      .page_out_s = 3},
                     {.name = "a", .size_bytes = 4},
                     {.name = "v", .view_of = t(1)},
                     {.size_bytes = 2, .home = Home::Storage, .may_be_resident = true},
                     {.name = "w'", .size_bytes = 2, .updates = t(3)},
                     {.name = "table", .size_bytes = 9, .home = Home::Rom},
                     {.name = "pinned", .size_bytes = 1, .home = Home::Resident}};
  problem.operations = {{.name = "conv",
                         .inputs = {t(0), t(5), t(6)},
                         .outputs = {t(1)},
                         .workspace_bytes = 7,
                         .compute_j = 0.3,
                         .compute_s = 2,
                         .in_place = InPlace{t(0), t(1)}},
                        {.inputs = {t(1)}, .outputs = {t(2)}, .view = true},
                        {.name = "sgd",
                         .inputs = {t(2), t(3)},
                         .outputs = {t(4)},
                         .written_bytes = 5,
                         .once = true,
                         .backward = true}};
  return problem;
}

TEST(ProblemJson, ReadsBackWhatItWrote) {
  const Result<Problem> back = parse_problem(problem_text(with_everything()), "p.json");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(*back, with_everything());
}

TEST(ProblemJson, LeavesOutDefaults) {
  Problem problem;
  problem.ram_budget_bytes = 3;
  problem.tensors = {{.name = "a", .size_bytes = 2}};
  problem.operations = {{.name = "one", .outputs = {t(0)}, .compute_j = 1}};
  EXPECT_EQ(problem_text(problem), R"({
  "format": "poet-problem",
  "version": 1,
  "name": "",
  "ram_budget_bytes": 3,
  "time_mode": "blocking",
  "objective": "energy",
  "tensors": [{"id": 0, "name": "a", "size_bytes": 2}],
  "operations": [{"id": 0, "name": "one", "inputs": [], "outputs": [0], "compute_j": 1.0}]
}
)");
}

// The problem above, with one piece of its text replaced.
std::string error_with(const std::string& piece, const std::string& other) {
  std::string text = R"({
"format": "poet-problem", "version": 1, "ram_budget_bytes": 3,
"tensors": [
  {"id": 0, "size_bytes": 2, "home": "made"},
  {"id": 1, "size_bytes": 1}],
"operations": [
  {"id": 0, "name": "one", "inputs": [], "outputs": [0]},
  {"id": 1, "name": "two", "inputs": [0], "outputs": [1], "in_place": {"input": 0, "output": 1}}]
})";
  const std::size_t at = text.find(piece);
  if (at == std::string::npos) return "no such piece";
  text.replace(at, piece.size(), other);
  const Result<Problem> problem = parse_problem(text, "p.json");
  return problem.ok() ? "no error" : to_string(problem.error());
}

TEST(ProblemJson, PointsAtTheWrongField) {
  EXPECT_EQ(error_with("x", ""), "no such piece");
  EXPECT_EQ(error_with("two", "2"), "no error");
  EXPECT_EQ(error_with("size_bytes\": 2", "size_bytes\": -3"),
            "p.json:4:27: 'size_bytes' must be a whole number from 0 to 2^62, found -3");
  EXPECT_EQ(error_with("\"size_bytes\": 1", "\"size\": 1"),
            "p.json:5:3: a tensor must have 'size_bytes'");
  EXPECT_EQ(error_with("\"name\": \"two\"", "\"naem\": \"two\""),
            "p.json:8:13: an operation has no field 'naem'; did you mean 'name'?");
  EXPECT_EQ(
      error_with("made", "mad"),
      "p.json:4:38: 'home' must be made, storage, rom or resident, found \"mad\"; did you mean "
      "'made'?");
  EXPECT_EQ(error_with("\"id\": 1, \"size", "\"id\": 2, \"size"),
            "p.json:5:10: 'id' must be 1, the position in the list, found 2");
  EXPECT_EQ(error_with("[0], \"outputs", "[4294967296], \"outputs"),
            "p.json:8:39: 'inputs' must be a whole number from 0 to 2147483647, found 4294967296");
  EXPECT_EQ(error_with("\"version\": 1", "\"version\": 2"),
            "p.json:2:38: version 2 of poet-problem is not known here; version 1 is");
  EXPECT_EQ(error_with("{\"input\": 0, \"output\": 1}", "true"),
            "p.json:8:71: 'in_place' must be an object, found true");
}

TEST(ProblemJson, PointsAtTheOperationOrTensorThatBreaksARule) {
  EXPECT_EQ(error_with("\"inputs\": []", "\"inputs\": [1]"),
            "p.json:7:3: operation 0 'one' reads tensor 1, which is made later, by operation 1 "
            "'two'; an operation may read only what an earlier one makes");
  EXPECT_EQ(
      error_with("\"id\": 1, \"size_bytes\": 1", "\"id\": 1, \"size_bytes\": 1, \"view_of\": 1"),
      "p.json:5:3: tensor 1 must be a view of an earlier tensor, not of tensor 1");
  EXPECT_EQ(error_with("\"size_bytes\": 2", "\"size_bytes\": 4611686018427387904"),
            "p.json:1:1: the problem has sizes that add up to more than 2^53 bytes, above which "
            "doubles skip "
            "some");
}

TEST(ProblemJson, FurtherMemoriesAreWrittenWhereThereAreSome) {
  Problem problem = with_everything();
  problem.uncertainty.reset();
  EXPECT_EQ(problem_text(problem).find("further_memories"), std::string::npos);
  problem.further_memories = {
      {.name = "psram", .size_bytes = 8, .read_s_per_byte = 0.5, .write_j_per_byte = 0.25}, {}};
  const std::string text = problem_text(problem);
  EXPECT_NE(text.find(R"("further_memories": [{"name": "psram", "size_bytes": 8, )"
                      R"("read_s_per_byte": 0.5, "write_j_per_byte": 0.25}, )"
                      R"({"name": "", "size_bytes": 0}],)"),
            std::string::npos)
      << text;
  EXPECT_EQ(*parse_problem(text, "p.json"), problem);
}

// docs/formats/problem.md shows this file.
TEST(ProblemJson, TheExampleOfTheDocumentationIsRead) {
  const std::string page = *read_text_file(testing::source_folder() + "/docs/formats/problem.md");
  const std::string fence = "```json\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const Result<Problem> problem = parse_problem(example, "problem.md");
  ASSERT_TRUE(problem.ok()) << to_string(problem.error());
  EXPECT_EQ(problem_text(*problem), example);
}

}  // namespace
}  // namespace poet
