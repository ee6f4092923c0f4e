#include "poet/base/replace_together.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "poet/base/text_file.h"
#include "tests/support/failing_file_calls.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>;

// From one call on nothing happens any more: what a process does that is killed there.
class KilledFileCalls final : public FileCalls {
 public:
  explicit KilledFileCalls(std::int64_t at) : left_(at) {}
  bool killed() const { return left_ < 0; }

  int open(const char* path, int flags, mode_t mode) override {
    return dead() ? -EIO : real_.open(path, flags, mode);
  }
  int close(int file) override {
    const int result = real_.close(file);
    return dead() ? -EIO : result;
  }
  int status(int file, struct stat* into) override {
    return dead() ? -EIO : real_.status(file, into);
  }
  int permit(int file, mode_t mode) override { return dead() ? -EIO : real_.permit(file, mode); }
  int lock(int file) override { return dead() ? -EIO : real_.lock(file); }
  int resize(int file, std::int64_t size) override {
    return dead() ? -EIO : real_.resize(file, size);
  }
  int reserve(int file, std::int64_t size) override {
    return dead() ? -EIO : real_.reserve(file, size);
  }
  std::int64_t read_at(int file, std::int64_t offset, std::span<std::byte> into) override {
    return dead() ? -EIO : real_.read_at(file, offset, into);
  }
  std::int64_t write_at(int file, std::int64_t offset, std::span<const std::byte> from) override {
    return dead() ? -EIO : real_.write_at(file, offset, from);
  }
  int sync(int file) override { return dead() ? -EIO : real_.sync(file); }
  int rename(const char* from, const char* to) override {
    return dead() ? -EIO : real_.rename(from, to);
  }
  int unlink(const char* path) override { return dead() ? -EIO : real_.unlink(path); }
  std::int64_t direct_alignment(int file) override {
    return dead() ? -EIO : real_.direct_alignment(file);
  }

 private:
  bool dead() { return left_ < 0 || --left_ < 0; }
  FileCalls& real_ = system_file_calls();
  std::int64_t left_;
};

const Texts kOld = {{"gate", "old gate"}, {"door", "a door"},      {"a", "old a"},
                    {"sub/b", "old b"},   {"gone/rom", "old rom"}, {"same", "as ever"}};
const Texts kNew = {{"gate", "new gate"}, {"door", "a door"}, {"a", "new a"},
                    {"sub/b", "new b"},   {"new/c", "new c"}, {"same", "as ever"}};
const Texts kTheirs = {{"notes", "mine"}, {"sub/notes", "mine, too"}};

class ReplacedTogether : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder_.path(name)).parent_path());
    ASSERT_FALSE(write_text_file(folder_.path(name), text));
  }
  void SetUp() override {
    for (const auto& [name, text] : kOld) put(name, text);
    for (const auto& [name, text] : kTheirs) put(name, text);
    for (const char* const name : {"gate", "door", "a", "sub/b", "new/c"})
      put(std::string(".new/") + name, kNew.at(name));
  }
  FilesTogether files() const {
    return {.folder = folder_.path(),
            .staging = folder_.path(".new"),
            .names = {"a", "door", "gate", "new/c", "sub/b"},
            .removed = {"gone/rom", "never/there"},
            .gates = {{"gate", "shut"}, {"door", "shut"}}};
  }
  // All that lies in the folder but for what is staged or half-written.
  Texts found() const {
    Texts texts;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      const std::string name = fs::relative(entry.path(), folder_.path()).string();
      if (entry.is_directory() || name.starts_with(".new/") || name.ends_with(".poet-new"))
        continue;
      texts[name] = *read_text_file(entry.path().string());
    }
    return texts;
  }
  // Whether one of them says what only the one, or only the other, set of files says.
  static bool has_of(const Texts& texts, const Texts& set, const Texts& other) {
    for (const auto& [name, text] : texts) {
      const auto in_set = set.find(name);
      const auto in_other = other.find(name);
      const bool says = in_set != set.end() && in_set->second == text;
      if (says && (in_other == other.end() || in_other->second != text)) return true;
    }
    return false;
  }

  testing::TemporaryFolder folder_;
};

Texts with_theirs(Texts texts) {
  texts.insert(kTheirs.begin(), kTheirs.end());
  return texts;
}

TEST_F(ReplacedTogether, AreNewAndNothingElseChanges) {
  const auto before = fs::last_write_time(folder_.path("door"));
  fs::last_write_time(folder_.path("door"), before - std::chrono::hours(1));
  ASSERT_EQ(replace_together(files()), Failure());
  EXPECT_EQ(found(), with_theirs(kNew));
  EXPECT_EQ(fs::last_write_time(folder_.path("door")), before - std::chrono::hours(1));
}

// At every call, by an end or by an error: never old beside new, a gate that is shut wherever
// something is missing, and what others put there as it was.
void expect_one_of_both(const Texts& texts, const std::string& what) {
  SCOPED_TRACE(what);
  for (const auto& [name, text] : kTheirs) EXPECT_EQ(texts.at(name), text);
  EXPECT_EQ(texts.at("same"), "as ever");
  const bool whole = texts == with_theirs(kOld) || texts == with_theirs(kNew);
  const auto gate = texts.find("gate");
  const auto door = texts.find("door");
  const auto shut = [&texts](auto found) {
    return found == texts.end() || found->second == "shut";
  };
  if (!whole) {
    EXPECT_TRUE(shut(gate) || shut(door));
  }
}

TEST_F(ReplacedTogether, NeverLieBesideOldOnes) {
  std::int64_t calls = 0;
  for (bool ended = true; ended; ++calls) {
    fs::remove_all(folder_.path());
    fs::create_directories(folder_.path());
    SetUp();
    KilledFileCalls killed(calls);
    const Failure failure = replace_together(files(), killed);
    ended = killed.killed();
    const Texts texts = found();
    if (!failure) {
      EXPECT_EQ(texts, with_theirs(kNew)) << calls;
    }
    expect_one_of_both(texts, "killed at call " + std::to_string(calls));
    EXPECT_FALSE(has_of(texts, kOld, kNew) && has_of(texts, kNew, kOld)) << calls;
  }
  EXPECT_GT(calls, 40);
  EXPECT_EQ(found(), with_theirs(kNew));
}

TEST_F(ReplacedTogether, AnErrorLeavesThemAsAnEndDoes) {
  for (std::int64_t call = 0;; ++call) {
    fs::remove_all(folder_.path());
    fs::create_directories(folder_.path());
    SetUp();
    testing::FailingFileCalls calls(call, testing::Fault::Broken);
    const Failure failure = replace_together(files(), calls);
    if (!calls.failed()) break;
    const Texts texts = found();
    expect_one_of_both(texts, "error at call " + std::to_string(call));
    EXPECT_FALSE(has_of(texts, kOld, kNew) && has_of(texts, kNew, kOld)) << call;
    if (!testing::may_be_survived(testing::Fault::Broken, calls.failed_call())) {
      EXPECT_TRUE(failure.has_value()) << calls.failed_call() << call;
    }
  }
}

TEST_F(ReplacedTogether, AnErrorSaysThatTheFolderIsNotWhole) {
  fs::remove(folder_.path("a"));
  fs::create_directories(folder_.path("a/theirs"));
  EXPECT_EQ(replace_together(files())->message,
            "cannot replace 'a' in '" + folder_.path() +
                "': Is a directory; the folder holds a part of the files only");
}

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
