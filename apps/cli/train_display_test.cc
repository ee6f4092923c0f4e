#include "apps/cli/train_display.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace poet::cli {
namespace {

// Files of this process are no larger than that for as long as it lives.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t most_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{.rlim_cur = most_bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST(TrainDisplay, SaysThatItsLogCouldNotBeWrittenAndLeavesWholeLines) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("log.jsonl");
  TrainDisplay display(ProgressStyle::None, [] { return 0.0; });
  ASSERT_FALSE(display.open_log(path));
  const TrainEvents events = display.events();
  const StepLine line{.step = 1, .steps = 9};
  events.step(line);
  const std::uintmax_t line_bytes = std::filesystem::file_size(path);
  Failure failure;
  {
    const SmallFiles small(2 * line_bytes + line_bytes / 2);
    for (int step = 0; step < 4; ++step) events.step(line);
    failure = display.close_log();
  }
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "cannot write the log '" + path + "'");
  EXPECT_EQ(std::filesystem::file_size(path), 2 * line_bytes);
}

}  // namespace
}  // namespace poet::cli
