#include "poet/deliver/announced_project.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "poet/base/text_file.h"

namespace poet {
namespace {

class AnAnnouncedProject : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<AnnouncedProject> read(const std::string& micro_batches, const std::string& actions) {
    EXPECT_FALSE(write_text_file(
        folder_ + "/project.json",
        R"({"format": "poet-emitted-project", "version": 2, "model": "m", "device": "d", "more": 1,)"
        "\n\"micro_batches\": " +
            micro_batches + ", \"actions\": [\n" + actions + "]}"));
    return read_announced_project(folder_);
  }

  std::string refusal(const std::string& micro_batches, const std::string& actions) {
    const Result<AnnouncedProject> project = read(micro_batches, actions);
    return project.ok() ? "not refused" : to_string(project.error()).substr(folder_.size() + 1);
  }

  std::string folder_ = ::testing::TempDir() + "announced_project_test" + std::to_string(getpid());
};

TEST_F(AnAnnouncedProject, IsAStepOfAllItsMicroBatchesWithTheirEnds) {
  const Result<AnnouncedProject> project =
      read("4", R"({"form": "first", "what": "read", "name": "w", "bytes": 512},
              {"form": "middle", "what": "compute", "name": "a", "operation": 0, "again": true,
               "key": "relu", "flop": 7},
              {"form": "last", "what": "write", "name": "w", "bytes": 512},
              {"form": "prediction", "what": "input", "name": "x", "bytes": 4})");
  ASSERT_TRUE(project.ok()) << to_string(project.error());
  EXPECT_EQ(project->model, "m");
  std::string words;
  for (const AnnouncedAction& action : project->step) words += action.what + ".";
  EXPECT_EQ(words, "read..compute..compute..write..");
  EXPECT_EQ(project->step[2].key, "relu");
  EXPECT_EQ(project->step[2].flop, 7);
  EXPECT_TRUE(project->step[2].again);
  EXPECT_EQ(project->step[0].bytes, 512);
}

TEST_F(AnAnnouncedProject, OfAnEarlierVersionIsToBeExportedAgain) {
  EXPECT_EQ(refusal("1", R"({"form": "whole", "what": "compute", "name": "a", "operation": 0,
                             "again": false})"),
            "project.json:3:1: the action has no 'key': the project was written before operations "
            "had one, and is to be exported again");
}

TEST_F(AnAnnouncedProject, HasAStepOfASensibleSize) {
  EXPECT_EQ(refusal("1", ""), "project.json: the project has no action of a step");
  EXPECT_EQ(refusal("600000", R"({"form": "first", "what": "input", "name": "x"},
                                 {"form": "middle", "what": "input", "name": "x"})"),
            "project.json: a step of more than 1000000 actions is not measured");
}

TEST_F(AnAnnouncedProject, DoesNothingBesideItsActions) {
  EXPECT_EQ(refusal(R"(1, "transfers": "overlapped")",
                    R"({"form": "whole", "what": "input", "name": "x"})"),
            "project.json: the project's transfers go on beside its actions, so that no action's "
            "time is its own: export it with --io blocking");
}

TEST_F(AnAnnouncedProject, IsAFileOfThatFormat) {
  EXPECT_FALSE(write_text_file(folder_ + "/project.json", R"({"format": "poet-plan"})"));
  EXPECT_EQ(to_string(read_announced_project(folder_).error()).substr(folder_.size() + 1),
            "project.json:1:12: 'format' must be \"poet-emitted-project\", found \"poet-plan\"");
  EXPECT_FALSE(read_announced_project(folder_ + "/absent").ok());
}

}  // namespace
}  // namespace poet
