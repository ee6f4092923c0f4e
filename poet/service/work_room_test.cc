#include "poet/service/work_room.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

// As a worker does whose service was killed: it makes files in the folder that it has, whatever
// that is called by now.
class LateWriter {
 public:
  explicit LateWriter(const std::string& folder)
      : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), thread_([this] {
          for (int k = 0; k < kMostFiles && !is_over_; ++k) {
            const int file =
                openat(folder_, std::to_string(k).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            if (file >= 0) close(file);
          }
        }) {}
  ~LateWriter() {
    is_over_ = true;
    thread_.join();
    close(folder_);
  }
  LateWriter(const LateWriter&) = delete;
  LateWriter& operator=(const LateWriter&) = delete;

 private:
  static constexpr int kMostFiles = 1'000;  // it is about to end

  std::atomic<bool> is_over_ = false;
  int folder_;
  std::thread thread_;
};

TEST(WorkRooms, AreMadeAnewWhileAWorkerStillWritesIntoTheLast) {
  const testing::TemporaryFolder folder;
  const std::string work = folder.path("work");
  for (int round = 0; round < 20; ++round) {
    ASSERT_FALSE(WorkRoom::prepare(work));
    EXPECT_TRUE(fs::is_empty(work));
    fs::create_directory(work + "/1");
    const LateWriter worker(work + "/1");
    const Failure failure = WorkRoom::prepare(work);
    ASSERT_FALSE(failure) << failure->message;
    EXPECT_TRUE(fs::is_empty(work));
  }
  ASSERT_FALSE(WorkRoom::prepare(work));
  EXPECT_EQ(folder.files(), 1);
}

TEST(WorkRooms, AreRefusedWhereAFileIs) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(WorkRoom::prepare("/dev/null/work"));
  EXPECT_EQ(folder.files(), 0);
}

}  // namespace
}  // namespace poet
