// The files of a training that other programs look at, and change, while it runs.

#include <gtest/gtest.h>

#include <filesystem>

#include "poet/base/text_file.h"
#include "poet/train/checkpoint.h"
#include "poet/use/train_network.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

class TrainingWithCheckpoint : public ::testing::Test {
 protected:
  TrainRequest request() const {
    TrainRequest asked;
    asked.plan.model = "digits-mlp";
    asked.plan.platform = "laptop";
    asked.plan.batch_size = 4;
    asked.plan.alignment_bytes = 64;
    asked.plan.ram_budget = RamOfPlainPeak{1};
    asked.data.synthetic_examples = 16;
    asked.steps = 3;
    asked.storage.path = folder_.path();
    asked.checkpoint_path = path();
    return asked;
  }
  std::string path() const { return folder_.path("kept"); }
  std::int64_t step_of(const std::string& path) const {
    std::vector<std::byte> buffer(64 << 10);
    const Result<Checkpoint> checkpoint = open_checkpoint(path, buffer);
    return checkpoint.ok() ? checkpoint->state.step : -1;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(TrainingWithCheckpoint, KeepsAFileThatComesToItsPlace) {
  TrainEvents events;
  events.step = [this](const StepLine& line) {
    if (line.step != 2) return;
    EXPECT_EQ(write_text_file(path(), "somebody else's"), Failure{});
  };
  TrainRequest asked = request();
  asked.checkpoint_every = 1;
  const Result<TrainReport> report = train_network(asked, {}, events);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(*read_text_file(path() + ".found1"), "somebody else's");
  EXPECT_EQ(step_of(path()), 3);
  EXPECT_EQ(report->notes,
            std::vector<std::string>({"while it trained, another file came to '" + path() +
                                      "': that is '" + path() + ".found1' now"}));
  EXPECT_EQ(folder_.files(), 2);
}

TEST_F(TrainingWithCheckpoint, HasItsPlaceForItself) {
  std::int64_t refused = 0;
  TrainEvents events;
  events.step = [this, &refused](const StepLine&) {
    for (const bool resume : {false, true}) {
      TrainRequest other = request();
      other.resume = resume;
      const Result<TrainReport> report = train_network(other, {}, {});
      ASSERT_FALSE(report.ok());
      EXPECT_EQ(report.error().message, "another training writes the checkpoint '" + path() +
                                            "' at this moment: wait for it, or name another");
      ++refused;
    }
  };
  const Result<TrainReport> report = train_network(request(), {}, events);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(step_of(path()), 3);
  EXPECT_EQ(folder_.files(), 1);
}

}  // namespace
}  // namespace poet
