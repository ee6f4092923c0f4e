#include "poet/base/file_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

// A file system that knows no files without names.
class NamesForAll final : public FileCalls {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    return (flags & O_TMPFILE) == O_TMPFILE ? -EOPNOTSUPP : system_.open(path, flags, mode);
  }
  int close(int file) override { return system_.close(file); }
  int status(int file, struct stat* into) override { return system_.status(file, into); }
  int permit(int file, mode_t mode) override { return system_.permit(file, mode); }
  int lock(int file) override { return system_.lock(file); }
  int resize(int file, std::int64_t bytes) override { return system_.resize(file, bytes); }
  int reserve(int file, std::int64_t bytes) override { return system_.reserve(file, bytes); }
  std::int64_t read_at(int file, std::int64_t at, std::span<std::byte> into) override {
    return system_.read_at(file, at, into);
  }
  std::int64_t write_at(int file, std::int64_t at, std::span<const std::byte> from) override {
    return system_.write_at(file, at, from);
  }
  int sync(int file) override { return system_.sync(file); }
  int rename(const char* from, const char* to) override { return system_.rename(from, to); }
  int unlink(const char* path) override { return system_.unlink(path); }
  std::int64_t direct_alignment(int file) override { return system_.direct_alignment(file); }

 private:
  FileCalls& system_ = system_file_calls();
};

void expect_writable(int file) {
  ASSERT_GE(file, 0);
  char byte = 0;
  EXPECT_EQ(::write(file, "x", 1), 1);
  EXPECT_EQ(::pread(file, &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'x');
  ::close(file);
}

TEST(NamelessFile, HasNoName) {
  const testing::TemporaryFolder folder;
  NamesForAll named;
  expect_writable(open_nameless_file(folder.path()));
  expect_writable(open_nameless_file(folder.path(), named));
  EXPECT_EQ(folder.files(), 0);
}

TEST(NamelessFile, LeavesAFileOfTheNameThatItHasForAMoment) {
  const testing::TemporaryFolder folder;
  NamesForAll named;
  const std::string taken = folder.path(".poet-nameless-" + std::to_string(::getpid()) + "-0");
  std::ofstream(taken) << "mine";
  expect_writable(open_nameless_file(folder.path(), named));
  EXPECT_EQ(folder.files(), 1);
}

TEST(NamelessFile, NeedsAFolder) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(open_nameless_file(folder.path("none")), -ENOENT);
}

}  // namespace
}  // namespace poet
