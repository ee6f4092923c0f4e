#include "poet/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "poet/base/text_file.h"
#include "tests/support/failing_file_calls.h"
#include "tests/support/temporary_folder.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class AtomicFile : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return folder_.path(name); }
  std::ptrdiff_t files() const { return folder_.files(); }

  testing::TemporaryFolder folder_;
};

TEST_F(AtomicFile, HoldsWhatWasAppended) {
  std::int64_t written_bytes = 0;
  const Failure failure = write_file_atomically(path("a"), [&](FileWriter& file) {
    for (const char* const piece : {"one", "", "two"})
      if (Failure refused = file.append(bytes_of(piece))) return refused;
    written_bytes = file.written_bytes();
    return Failure{};
  });
  EXPECT_EQ(failure, Failure{});
  EXPECT_EQ(written_bytes, 6);
  EXPECT_EQ(*read_text_file(path("a")), "onetwo");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, AnErrorOfTheWriterLeavesTheOldFile) {
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  const Failure failure = write_file_atomically(path("a"), [](FileWriter& file) {
    file.append(bytes_of("half"));
    return Failure(bad_input("no more"));
  });
  EXPECT_EQ(failure, Failure(bad_input("no more")));
  EXPECT_EQ(*read_text_file(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

// What a power cut would show: the new file is on the disk before it has the name, and the name is
// before we say so.
TEST_F(AtomicFile, FlushesTheFileBeforeItsNameAndTheFolderAfter) {
  testing::FailingFileCalls calls(1'000, testing::Fault::Broken);
  ASSERT_EQ(write_file_atomically(
                path("a"), [&](FileWriter& file) { return file.append(bytes_of("text")); }, calls),
            Failure{});
  EXPECT_EQ(calls.made(),
            (std::vector<std::string_view>{"open", "lock", "status", "write_at", "sync", "rename",
                                           "permit", "close", "open", "sync", "close"}));
}

TEST_F(AtomicFile, FilesThatAreOneThingAreAllReplacedOrNone) {
  const auto both = [this](const char* first, const char* second) {
    std::vector<ReplacedFile> files;
    for (const char* const name : {first, second})
      files.push_back({path(name), [](FileWriter& file) { return file.append(bytes_of("new")); }});
    return write_together_atomically(files);
  };
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  fs::create_directory(path("b"));
  ASSERT_TRUE(both("a", "b"));
  EXPECT_EQ(both("a", "b")->message, "cannot write '" + path("b") + "': it is a directory");
  EXPECT_EQ(*read_text_file(path("a")), "old");
  EXPECT_EQ(files(), 2);
  EXPECT_EQ(both("a", "c"), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "new");
  EXPECT_EQ(*read_text_file(path("c")), "new");
  EXPECT_EQ(files(), 3);
}

TEST_F(AtomicFile, APlainNameLiesWhereTheProgramIs) {
  const fs::path before = fs::current_path();
  fs::current_path(fs::path(path("a")).parent_path());
  const Failure failure = write_text_file("a", "here");
  fs::current_path(before);
  EXPECT_EQ(failure, Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "here");
}

TEST_F(AtomicFile, UsesWhatAKilledProcessLeft) {
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  if (const pid_t child = ::fork(); child == 0) {
    static_cast<void>(write_file_atomically(path("a"), [](FileWriter& file) {
      file.append(bytes_of(std::string(5000, 'x')));
      ::_exit(0);  // as a kill would: nothing is tidied up
      return Failure{};
    }));
    ::_exit(1);
  } else {
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  ASSERT_EQ(fs::file_size(path("a.poet-new")), 5000U);
  EXPECT_EQ(write_text_file(path("a"), "new"), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "new");
  EXPECT_EQ(files(), 1);
}

// A copy of ours that somebody made is theirs.
TEST_F(AtomicFile, LeavesAFileOfTheUsersThatHasTheNameOfANewOne) {
  ASSERT_EQ(write_text_file(path("a.poet-new"), "mine"), Failure{});
  ASSERT_EQ(write_text_file(path("a.poet-new1"), "mine, too"), Failure{});
  EXPECT_EQ(write_text_file(path("a"), "new"), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "new");
  EXPECT_EQ(*read_text_file(path("a.poet-new")), "mine");
  EXPECT_EQ(*read_text_file(path("a.poet-new1")), "mine, too");
  EXPECT_EQ(files(), 3);
  EXPECT_EQ(fs::status(path("a")).permissions() & fs::perms::sticky_bit, fs::perms::none);
}

TEST_F(AtomicFile, HasRoomBesideTheLongestName) {
  const std::string longest(255, 'a');
  EXPECT_EQ(write_text_file(path(longest.c_str()), "new"), Failure{});
  EXPECT_EQ(*read_text_file(path(longest.c_str())), "new");
  EXPECT_EQ(write_text_file(path(longest.c_str()), "newer"), Failure{});
  EXPECT_EQ(*read_text_file(path(longest.c_str())), "newer");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, SaysWhatIsInTheWayWhereNoNameIsLeft) {
  ASSERT_EQ(write_text_file(path("a.poet-new"), "mine"), Failure{});
  for (int i = 1; i < 100; ++i)
    ASSERT_EQ(write_text_file(path(("a.poet-new" + std::to_string(i)).c_str()), ""), Failure{});
  EXPECT_EQ(write_text_file(path("a"), "new")->message,
            "cannot write '" + path("a") + "': '" + path("a") +
                ".poet-new' and 99 files of such names are in the way");
  EXPECT_EQ(files(), 100);
}

TEST_F(AtomicFile, LeavesAloneWhatAnotherWritesAtThisMoment) {
  const std::string taken = path("a.poet-new");
  const int other = ::open(taken.c_str(), O_WRONLY | O_CREAT, 0666);
  ASSERT_GE(other, 0);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  ASSERT_EQ(::write(other, "theirs", 6), 6);
  EXPECT_EQ(write_text_file(path("a"), "ours"), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "ours");
  EXPECT_EQ(*read_text_file(taken), "theirs");
  ::close(other);
}

TEST_F(AtomicFile, DoesNotFollowALinkLaidInItsWay) {
  ASSERT_EQ(write_text_file(path("precious"), "keep"), Failure{});
  fs::create_symlink("precious", path("a.poet-new"));
  EXPECT_TRUE(write_text_file(path("a"), "x"));
  EXPECT_EQ(*read_text_file(path("precious")), "keep");
}

TEST_F(AtomicFile, MakesTheFileThatALinkLeadsTo) {
  fs::create_directory(path("far"));
  fs::create_symlink("next", path("a"));
  fs::create_symlink("far/file", path("next"));
  ASSERT_EQ(write_text_file(path("a"), "one"), Failure{});
  EXPECT_EQ(fs::read_symlink(path("a")), "next");
  EXPECT_EQ(fs::read_symlink(path("next")), "far/file");
  EXPECT_FALSE(fs::is_symlink(path("far/file")));
  EXPECT_EQ(*read_text_file(path("far/file")), "one");
  ASSERT_EQ(write_text_file(path("a"), "two"), Failure{});
  EXPECT_EQ(*read_text_file(path("far/file")), "two");
}

TEST_F(AtomicFile, RefusesALinkToNoFolderAndOneToItself) {
  fs::create_symlink("none/file", path("a"));
  EXPECT_EQ(write_text_file(path("a"), "x")->message,
            "cannot write '" + path("a") + "': No such file or directory");
  fs::create_symlink("b", path("b"));
  EXPECT_EQ(write_text_file(path("b"), "x")->message,
            "cannot write '" + path("b") + "': Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(path("a")));
  EXPECT_TRUE(fs::is_symlink(path("b")));
}

// In a folder that others may write to, they can lay a second name of a file there: ours, to have
// it overwritten, or theirs, to read what we write.
TEST_F(AtomicFile, LeavesAloneAFileThatHasAnotherName) {
  ASSERT_EQ(write_text_file(path("precious"), "keep"), Failure{});
  fs::create_hard_link(path("precious"), path("a.poet-new"));
  const Failure failure = write_text_file(path("a"), "x");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "cannot write '" + path("a") + "': '" + path("a.poet-new") +
                                  "' is in the way: POET did not leave that file there");
  EXPECT_EQ(*read_text_file(path("precious")), "keep");
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(AtomicFile, DoesNotWaitAtAPipe) {
  ASSERT_EQ(::mkfifo(path("a.poet-new").c_str(), 0666), 0);
  EXPECT_TRUE(write_text_file(path("a"), "x"));
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFile, DoesNotWriteIntoAStrangersFile) {
  ASSERT_EQ(write_text_file(path("a.poet-new"), "theirs"), Failure{});
  if (::chown(path("a.poet-new").c_str(), 65534, 65534) != 0)
    GTEST_SKIP() << "only the administrator can give a file away";
  EXPECT_TRUE(write_text_file(path("a"), "secret"));
  EXPECT_EQ(*read_text_file(path("a.poet-new")), "theirs");
  EXPECT_FALSE(fs::exists(path("a")));
}

// A file that was laid open for reading before is not written into, though it is of our own name.
TEST_F(AtomicFile, WritesIntoAFileThatNobodyHasOpen) {
  ASSERT_EQ(write_text_file(path("a.poet-new"), ""), Failure{});
  const int reader = ::open(path("a.poet-new").c_str(), O_RDONLY);
  ASSERT_GE(reader, 0);
  ASSERT_EQ(write_text_file(path("a"), "secret"), Failure{});
  char byte = 0;
  EXPECT_EQ(::pread(reader, &byte, 1, 0), 0);
  ::close(reader);
}

class FileModes : public AtomicFile {
 protected:
  void SetUp() override { before_ = ::umask(022); }
  void TearDown() override { ::umask(before_); }
  // Of a file, in the middle of writing it and afterwards.
  std::pair<fs::perms, fs::perms> modes(const char* name, NewFileReaders readers) {
    fs::perms first{};
    const auto fill = [&](FileWriter&) {
      // Who may read; that it is not whole is said by another bit.
      first = fs::status(path(name) + ".poet-new").permissions() & ~fs::perms::sticky_bit;
      return Failure{};
    };
    EXPECT_EQ(write_file_atomically(path(name), fill, system_file_calls(), readers), Failure{});
    return {first, fs::status(path(name)).permissions()};
  }

 private:
  mode_t before_ = 0;
};

TEST_F(FileModes, AreTheUsualOnesUnlessAskedOtherwise) {
  EXPECT_EQ(modes("a", NewFileReaders::AsUsual), std::pair(fs::perms{0644}, fs::perms{0644}));
  EXPECT_EQ(modes("b", NewFileReaders::OnlyTheOwner), std::pair(fs::perms{0600}, fs::perms{0600}));
}

TEST_F(FileModes, OfAnExistingFileAreKeptAlsoWhileItIsReplaced) {
  for (const fs::perms kept : {fs::perms{0600}, fs::perms{0640}, fs::perms{0664}}) {
    ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
    fs::permissions(path("a"), kept);
    const auto [first, last] = modes("a", NewFileReaders::AsUsual);
    EXPECT_EQ(first & ~kept, fs::perms::none);
    EXPECT_EQ(last, kept);
  }
}

// Whatever call fails, and however: one sentence, and the old file or the new one, whole.
TEST_F(AtomicFile, EveryCallMayFailOnce) {
  const std::string old_text(3000, 'o');
  const std::string new_text(5000, 'n');
  for (const testing::Fault fault : testing::kFaults) {
    bool reached = true;
    for (std::int64_t k = 0; reached; ++k) {
      SCOPED_TRACE(std::string(testing::name_of(fault)) + " at call " + std::to_string(k));
      ASSERT_EQ(write_text_file(path("a"), old_text), Failure{});
      testing::FailingFileCalls calls(k, fault);
      const Failure failure = write_file_atomically(
          path("a"), [&](FileWriter& file) { return file.append(bytes_of(new_text)); }, calls);
      reached = calls.failed();
      const std::string now = *read_text_file(path("a"));
      if (failure) {
        EXPECT_EQ(failure->message.rfind("cannot write '" + path("a") + "': ", 0), 0U)
            << failure->message;
        const bool replaced = failure->message.find("it is replaced") != std::string::npos;
        EXPECT_EQ(now, replaced ? new_text : old_text) << failure->message;
      } else {
        EXPECT_EQ(now, new_text);
      }
      EXPECT_TRUE(failure || !reached || testing::may_be_survived(fault, calls.failed_call()))
          << calls.failed_call();
      EXPECT_LE(files(), 2);
      fs::remove(path("a.poet-new"));
    }
  }
}

// A process that is killed while it writes leaves the old file or a new one, and the next one
// writes.
TEST_F(AtomicFile, SurvivesBeingKilled) {
  const std::string large(1 << 20, 'n');
  ASSERT_EQ(write_text_file(path("a"), "old"), Failure{});
  for (int i = 0; i < 20; ++i) {
    int begun[2] = {};
    ASSERT_EQ(::pipe(begun), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (bool first = true;; first = false) {
        write_text_file(path("a"), large);
        if (first && ::write(begun[1], "x", 1) != 1) ::abort();
      }
    }
    char byte = 0;
    ASSERT_EQ(::read(begun[0], &byte, 1), 1);
    for (int spin = 0; spin < i * 20'000; ++spin) byte = static_cast<char>(byte ^ spin);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(begun[0]);
    ::close(begun[1]);
    EXPECT_EQ(*read_text_file(path("a")), large);
  }
  EXPECT_EQ(write_text_file(path("a"), "last"), Failure{});
  EXPECT_EQ(*read_text_file(path("a")), "last");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace poet
