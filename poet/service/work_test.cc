#include "poet/service/work.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "poet/base/json_out.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

WorkOrder order_for(JobKind kind) {
  WorkOrder order{.model_name = "linear"};
  order.question.kind = kind;
  order.question.asked.model = "linear";
  order.question.asked.platform = "m4";
  order.question.asked.graph = GraphKind::Released;
  return order;
}

class Works : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) /
        ("work_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories((folder_ / kModelFile).parent_path());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::vector<std::string> lines_;
  WorkOutput work(const WorkOrder& order) {
    return do_work(order, folder_.string(), {},
                   [this](const std::string& line) { lines_.push_back(line); });
  }
};

TEST_F(Works, APlanIsTheAnswerOfTheCommand) {
  WorkOrder order = order_for(JobKind::Plan);
  order.question.asked.ram_budget = RamBytes{5000};
  order.question.asked.deadline = DeadlineRatio{1.5};
  const WorkOutput output = work(order);
  ASSERT_FALSE(output.error);
  const JsonOut result = json_of_text(output.result);
  EXPECT_EQ(result["format"], "poet-report");
  EXPECT_EQ(result["status"], "optimal");
  ASSERT_EQ(output.files.size(), 2U);
  EXPECT_EQ(output.files[0].name, "plan");
  EXPECT_NE(output.files[0].bytes.find("poet solve --model linear --platform m4 --graph released "
                                       "--ram-budget 5000 --runtime-budget 1.5x"),
            std::string::npos);
  ASSERT_FALSE(lines_.empty());
  EXPECT_TRUE(json_of_text(lines_.back()).contains("overhead_gap"));
}

TEST_F(Works, ANoHasNoFiles) {
  WorkOrder order = order_for(JobKind::Plan);
  order.question.asked.ram_budget = RamBytes{100};
  const WorkOutput output = work(order);
  EXPECT_FALSE(output.error);
  EXPECT_EQ(json_of_text(output.result)["status"], "infeasible");
  EXPECT_TRUE(output.files.empty());
}

TEST_F(Works, ACurveHasAPointForEachBudgetAndMethod) {
  WorkOrder order = order_for(JobKind::Curve);
  order.question.points = 3;
  order.question.methods = {"keep-all", "paging"};
  const WorkOutput output = work(order);
  ASSERT_FALSE(output.error) << output.error->message;
  const JsonOut result = json_of_text(output.result);
  ASSERT_EQ(result["methods"].size(), 3U);  // and POET
  EXPECT_EQ(result["methods"][2]["name"], "poet");
  EXPECT_EQ(result["methods"][2]["points"].size(), 3U);
  EXPECT_EQ(result["methods"][2]["points"][2]["outcome"], "fits");
  EXPECT_GT(result["methods"][2]["points"][2]["energy_j"].get<double>(), 0);
  EXPECT_EQ(json_of_text(lines_.back())["all"], 9);
}

TEST_F(Works, AFileThatIsNoModelIsRefusedByTheNameThatPeopleGave) {
  { std::ofstream(folder_ / kModelFile) << "this is no model"; }
  WorkOrder order{.kind = WorkKind::Describe, .model_name = "mine.onnx"};
  order.question.asked.model = "sha256:" + std::string(64, 'a');
  order.question.asked.platform = "m4";
  order.question.asked.graph = GraphKind::Real;
  const WorkOutput output = work(order);
  ASSERT_TRUE(output.error);
  EXPECT_EQ(output.error->code, "unusable_model");
  EXPECT_NE(output.error->message.find("mine.onnx"), std::string::npos) << output.error->message;
  EXPECT_EQ(output.error->message.find(folder_.string()), std::string::npos);
}

TEST_F(Works, FiguresSayWhatABudgetCanBe) {
  WorkOrder order = order_for(JobKind::Plan);
  order.kind = WorkKind::Figures;
  const JsonOut figures = json_of_text(work(order).result);
  EXPECT_EQ(figures["plain_peak_bytes"], 7416);
  EXPECT_EQ(figures["working_set_bytes"], 3256);
  EXPECT_EQ(figures["operations"], 27);
  EXPECT_TRUE(figures["parameters"].is_null());
  order.question.asked.model = order.model_name = "mlp";
  order.question.asked.graph = GraphKind::Real;
  EXPECT_EQ(json_of_text(work(order).result)["parameters"], 266'610);
}

// The page says "no schedule fits" by the least that any step needs, by slices where that is less.
TEST_F(Works, FiguresSayWhatTheLeastBudgetIs) {
  WorkOrder order = order_for(JobKind::Plan);
  order.kind = WorkKind::Figures;
  JsonOut figures = json_of_text(work(order).result);
  EXPECT_EQ(figures["least_bytes"], figures["working_set_bytes"]);  // a released graph
  order.question.asked.model = order.model_name = "lenet5";
  order.question.asked.graph = GraphKind::Real;
  figures = json_of_text(work(order).result);
  EXPECT_EQ(figures["working_set_bytes"], 384'032);
  EXPECT_LE(figures["least_bytes"].get<int>(), 219'712);
}

TEST_F(Works, AnOutputIsReadBackAsItWasWritten) {
  WorkOutput output;
  output.error = ServiceError{.status = 422, .code = "x", .message = "why", .field = "model"};
  output.result = "{}\n";
  output.files = {{"plan", std::string("a\0b\n", 4)}, {"empty", ""}};
  const std::string text = output_text(output);
  const Result<WorkOutput> again = parse_output(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(output_text(*again), text);
  EXPECT_EQ(again->error->status, 422);
  EXPECT_EQ(again->files[0].bytes, output.files[0].bytes);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_output(text.substr(0, size)).ok()) << size;
}

// The tensors of a model may lie in files that it names, below its own folder.
TEST_F(Works, AnUploadNamesNoFileOfItsWorker) {
  for (const char* const name : {kOrderFile, kPlanFile, kOutputFile})
    EXPECT_NE((folder_ / name).parent_path(), (folder_ / kModelFile).parent_path()) << name;
}

}  // namespace
}  // namespace poet
