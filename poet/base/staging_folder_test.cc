#include "poet/base/staging_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "poet/base/text_file.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

class AStagingFolder : public ::testing::Test {
 protected:
  Result<StagingFolder> make() const { return StagingFolder::make(folder_.path(""), ".new"); }
  std::string message() const {
    const Result<StagingFolder> made = make();
    return made.ok() ? "" : made.error().message;
  }
  std::string path(const char* name) const { return folder_.path(name); }

  testing::TemporaryFolder folder_;
};

TEST_F(AStagingFolder, IsGoneWithWhatIsInIt) {
  {
    const Result<StagingFolder> made = make();
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(write_text_file(made->path() + "/a", "new"), Failure{});
    EXPECT_TRUE(fs::exists(path(".new/a")));
  }
  EXPECT_FALSE(fs::exists(path(".new")));
}

TEST_F(AStagingFolder, IsEmptyWhereAKilledProcessLeftOne) {
  if (const pid_t child = ::fork(); child == 0) {
    const Result<StagingFolder> made = make();
    static_cast<void>(write_text_file(made->path() + "/a", "left"));
    ::_exit(0);  // as a kill would: nothing is tidied up
  } else {
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
  }
  ASSERT_TRUE(fs::exists(path(".new/a")));
  const Result<StagingFolder> made = make();
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(fs::is_empty(made->path()));
}

TEST_F(AStagingFolder, LeavesWhatTheUserHasUnderItsNames) {
  fs::create_directory(path(".new"));
  ASSERT_EQ(write_text_file(path(".new/mine"), "keep"), Failure{});
  fs::create_directory(path("far"));
  ASSERT_EQ(write_text_file(path("far/mine"), "keep"), Failure{});
  fs::create_directory_symlink("far", path(".new1"));
  ASSERT_EQ(write_text_file(path(".new2"), "a file"), Failure{});
  fs::create_directory(path(".new3"));
  fs::permissions(path(".new3"), fs::perms{01777});  // as /tmp has it
  ASSERT_EQ(write_text_file(path(".new3/mine"), "keep"), Failure{});
  {
    const Result<StagingFolder> made = make();
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(fs::path(made->path()).filename(), ".new4");
  }
  EXPECT_EQ(*read_text_file(path(".new/mine")), "keep");
  EXPECT_EQ(*read_text_file(path("far/mine")), "keep");
  EXPECT_EQ(*read_text_file(path(".new2")), "a file");
  EXPECT_EQ(*read_text_file(path(".new3/mine")), "keep");
  EXPECT_FALSE(fs::exists(path(".new4")));
}

TEST_F(AStagingFolder, IsRefusedWhileAnotherIsAtWork) {
  const Result<StagingFolder> first = make();
  ASSERT_TRUE(first.ok());
  EXPECT_NE(message().find("another process writes into"), std::string::npos);
  EXPECT_TRUE(fs::exists(first->path()));
}

}  // namespace
}  // namespace poet
