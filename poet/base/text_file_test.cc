#include "poet/base/text_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace poet {
namespace {

namespace fs = std::filesystem;

// An empty folder that is gone after the test.
class TextFile : public testing::Test {
 protected:
  TextFile() {
    std::string name = testing::TempDir() + "text_file_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~TextFile() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ + "/" + name; }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  std::string folder_;
};

TEST_F(TextFile, ReadsWhatWasWritten) {
  const std::string text = "a\n\0b" + std::string(200'000, 'x');
  EXPECT_EQ(write_text_file(path("a"), text), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), text);
  EXPECT_EQ(files(), 1);
}

TEST_F(TextFile, IsReadInPiecesUntilSomebodyHasEnough) {
  const std::string text(200'000, 'x');
  EXPECT_EQ(write_text_file(path("a"), text), Failure{});
  std::string pieces;
  const auto take = [&pieces](std::string_view piece) -> Failure {
    pieces += piece;
    if (pieces.size() < 100'000) return std::nullopt;
    return Error{ErrorCode::BadInput, "enough", {}};
  };
  EXPECT_EQ(read_file_in_pieces(path("a"), take)->message, "enough");
  EXPECT_LT(pieces.size(), text.size());
  EXPECT_EQ(read_file_in_pieces(path("b"), take)->code, ErrorCode::NotFound);
}

TEST_F(TextFile, ReplacesAFileAndKeepsItsPermissions) {
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  EXPECT_EQ(write_text_file(path("a"), "new"), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "new");
  struct stat there {};
  ASSERT_EQ(::stat(path("a").c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777U, 0640U);
  EXPECT_EQ(files(), 1);
}

TEST_F(TextFile, WritesThroughASymbolicLink) {
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  fs::create_symlink("a", path("link"));
  EXPECT_EQ(write_text_file(path("link"), "new"), Failure{});
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_text_file(path("a")), "new");
}

TEST_F(TextFile, RefusesToReadWhatIsNotThere) {
  const Result<std::string> text = read_text_file(path("a"));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::NotFound);
  EXPECT_EQ(to_string(text.error()), "cannot read '" + path("a") + "': No such file or directory");
}

TEST_F(TextFile, RefusesToReadAFolder) {
  EXPECT_EQ(to_string(read_text_file(folder_).error()),
            "cannot read '" + folder_ + "': it is a directory");
}

TEST_F(TextFile, RefusesToReadMoreThanAllowed) {
  ASSERT_EQ(write_text_file(path("a"), "1234"), Failure{});
  EXPECT_EQ(*read_text_file(path("a"), 4), "1234");
  EXPECT_EQ(to_string(read_text_file(path("a"), 3).error()),
            "cannot read '" + path("a") + "': it is larger than 3 bytes");
}

TEST_F(TextFile, RefusesToReadWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  ASSERT_EQ(write_text_file(path("a"), "1234"), Failure{});
  ASSERT_EQ(::chmod(path("a").c_str(), 0), 0);
  EXPECT_EQ(to_string(read_text_file(path("a")).error()),
            "cannot read '" + path("a") + "': Permission denied");
}

TEST_F(TextFile, RefusesToWriteOverAFolderOrDevice) {
  EXPECT_EQ(to_string(*write_text_file(folder_, "x")),
            "cannot write '" + folder_ + "': it is a directory");
  EXPECT_EQ(to_string(*write_text_file("/dev/null", "x")),
            "cannot write '/dev/null': it is not a regular file");
}

TEST_F(TextFile, RefusesToWriteIntoAFolderThatIsNotThere) {
  const Failure failure = write_text_file(path("b/a"), "x");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::NotFound);
  EXPECT_EQ(to_string(*failure), "cannot write '" + path("b/a") + "': No such file or directory");
}

TEST_F(TextFile, RefusesToWriteBelowAFile) {
  ASSERT_EQ(write_text_file(path("a"), "x"), Failure{});
  EXPECT_EQ(to_string(*write_text_file(path("a/b"), "x")),
            "cannot write '" + path("a/b") + "': Not a directory");
}

// A limit on the size of files stands for a full disk.
TEST_F(TextFile, AFailedWriteLeavesTheOldFileAndNothingElse) {
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);

  const Failure over = write_text_file(path("a"), std::string(2000, 'x'));
  const Failure fresh = write_text_file(path("b"), std::string(2000, 'x'));

  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(over);
  EXPECT_EQ(to_string(*over), "cannot write '" + path("a") + "': File too large");
  EXPECT_TRUE(fresh);
  EXPECT_EQ(*read_text_file(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

// As anybody may in /tmp.
TEST_F(TextFile, LinksOfOthersInAFolderOfEverybodyAreNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may make a link of another owner";
  constexpr uid_t kSomebody = 65534;
  fs::create_directories(path("open"));
  fs::create_directories(path("kept"));
  ASSERT_EQ(::chmod(path("open").c_str(), 01777), 0);
  EXPECT_EQ(write_text_file(path("kept/a"), "ours"), Failure{});
  fs::create_symlink(path("kept/a"), path("open/file"));
  fs::create_symlink("../kept", path("open/folder"));
  fs::create_symlink(path("kept/new"), path("open/nowhere"));
  fs::create_symlink("open/file", path("by_another_link"));
  EXPECT_EQ(write_text_file(path("open/file"), "by our own link"), Failure{});
  for (const char* const link : {"open/file", "open/folder", "open/nowhere"})
    ASSERT_EQ(::lchown(path(link).c_str(), kSomebody, kSomebody), 0);
  for (const char* const name : {"open/file", "open/folder/a", "open/nowhere", "by_another_link"}) {
    const Failure failure = write_text_file(path(name), "theirs");
    ASSERT_TRUE(failure) << name;
    EXPECT_NE(failure->message.find("is a link that somebody else has put into a folder"),
              std::string::npos)
        << failure->message;
  }
  EXPECT_EQ(*read_text_file(path("kept/a")), "by our own link");
  EXPECT_FALSE(fs::exists(path("kept/new")));
  // Where not everybody may write, somebody was let to.
  ASSERT_EQ(::chmod(path("open").c_str(), 0775), 0);
  EXPECT_EQ(write_text_file(path("open/file"), "shared"), Failure{});
  EXPECT_EQ(*read_text_file(path("kept/a")), "shared");
}

TEST_F(TextFile, AClosedFolderIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
  EXPECT_EQ(to_string(*write_text_file(path("a"), "x")),
            "cannot write '" + path("a") + "': Permission denied");
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace poet
