#include "poet/use/forms_request.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace poet {
namespace {

class ExpectedSteps : public testing::Test {
 protected:
  ExpectedSteps() { std::filesystem::create_directories(folder_ / "more"); }
  ~ExpectedSteps() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, std::size_t bytes) {
    std::ofstream(folder_ / name) << std::string(bytes, 'x');
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                  ("poet-expected-steps" + std::to_string(getpid()));
  // A picture of 7 numbers and its label.
  WantedParts wanted_ = {
      .parts = {{"x", {ElementType::Float32, {7}}}, {"y", {ElementType::Int32, {}}}}};
  TrainRequest request_ = {.epochs = 3};
};

TEST_F(ExpectedSteps, AreThoseAskedForWhateverTheData) {
  request_.steps = 12;
  request_.data.paths = {"/nowhere"};
  EXPECT_EQ(known_steps(request_), 12);
  EXPECT_EQ(expected_steps(request_, wanted_), 12);
}

TEST_F(ExpectedSteps, OfMadeUpExamplesAreKnown) {
  request_.data.synthetic_examples = 40;
  request_.plan.batch_size = 4;
  EXPECT_EQ(known_steps(request_), 30);
  EXPECT_EQ(expected_steps(request_, wanted_), 30);
}

TEST_F(ExpectedSteps, OfFilesAreWhatTheirBytesHaveRoomFor) {
  write("a", 800);
  write("more/b", 1'600);
  request_.data.paths = {folder_.string()};
  request_.plan.batch_size = 10;
  EXPECT_EQ(known_steps(request_), std::nullopt);
  EXPECT_EQ(expected_steps(request_, wanted_), 90);  // 300 examples, three times
  request_.data.paths = {(folder_ / "a").string()};
  EXPECT_EQ(expected_steps(request_, wanted_), 30);
  request_.held_out_ratio = 0.5;
  EXPECT_EQ(expected_steps(request_, wanted_), 15);
}

TEST_F(ExpectedSteps, OfWhatIsNoFileAreNotKnown) {
  request_.data.paths = {(folder_ / "nothing").string()};
  EXPECT_EQ(expected_steps(request_, wanted_), std::nullopt);
  request_.data.paths = {"/dev/null"};
  EXPECT_EQ(expected_steps(request_, wanted_), std::nullopt);
}

}  // namespace
}  // namespace poet
