#include "poet/base/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "poet/base/text_file.h"

namespace poet {
namespace {

// What a child writes to its standard output, which has ended with it.
std::string said_by(ChildCall call) {
  Result<Pipe> pipe = open_pipe();
  if (!pipe.ok()) return pipe.error().message;
  call.output = pipe->writing.get();
  const Result<pid_t> child = start_child(call);
  if (!child.ok()) return child.error().message;
  pipe->writing.close();
  std::string text;
  std::array<char, 256> piece{};
  for (ssize_t got = 0; (got = read(pipe->reading.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  EXPECT_TRUE(wait_for_child(*child).ok());
  return text;
}

ChildCall shell(const std::string& script) {
  return {.words = {"sh", "-c", script}};
}

TEST(ChildProcess, TellsTheExitCodeAndTheSignal) {
  const Result<pid_t> seven = start_child(shell("exit 7"));
  ASSERT_TRUE(seven.ok());
  EXPECT_EQ(*wait_for_child(*seven), 7);
  const Result<pid_t> killed = start_child(shell("kill -KILL $$"));
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(*wait_for_child(*killed), 128 + SIGKILL);
}

TEST(ChildProcess, WaitsForNobodyElses) {
  const Result<int> code = wait_for_child(getpid());
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().message, "No child processes");
}

TEST(ChildProcess, IsRefusedWithTheReason) {
  const Result<pid_t> child = start_child({.words = {"poet-no-such-program"}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code, ErrorCode::NotFound);
  EXPECT_EQ(child.error().message, "No such file or directory");
  const Result<pid_t> folder = start_child({.words = {"/"}});
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::Io);
  EXPECT_EQ(folder.error().message, "Permission denied");
}

TEST(ChildProcess, HasVariablesOfItsOwnBesideOurs) {
  ChildCall call = shell("echo $POET_OF_THE_CHILD; echo ${PATH:+there}");
  call.variables = {"POET_OF_THE_CHILD=7"};
  EXPECT_EQ(said_by(call), "7\nthere\n");
}

TEST(ChildProcess, HasTheNameOfItsFirstWord) {
  EXPECT_EQ(said_by({.words = {"other", "-c", "echo $0"}, .program = "/bin/sh"}), "other\n");
}

TEST(ChildProcess, WorksInItsFolder) {
  EXPECT_EQ(said_by({.words = {"pwd"}, .folder = "/"}), "/\n");
}

TEST(ChildProcess, ReadsNothingFromNowhere) {
  ChildCall call = shell("cat; echo end");
  call.input = Nowhere{};
  EXPECT_EQ(said_by(call), "end\n");
}

TEST(ChildProcess, WritesItsErrorsIntoANewFile) {
  const std::string path = ::testing::TempDir() + "/poet_child_errors";
  ChildCall call = shell("echo bad >&2");
  call.errors = NewFile{path};
  EXPECT_EQ(said_by(call), "");
  EXPECT_EQ(*read_text_file(path), "bad\n");
  unlink(path.c_str());
}

TEST(ChildProcess, HasItsOwnGroupOrOurs) {
  ChildCall call = shell("set -- $(cat /proc/$$/stat); [ $5 = $$ ] && echo own || echo $5");
  EXPECT_EQ(said_by(call), "own\n");
  call.group = ChildGroup::Ours;
  EXPECT_EQ(said_by(call), std::to_string(getpgrp()) + "\n");
}

TEST(ChildProcess, GetsTheSignalsThatWeHoldBack) {
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  sigprocmask(SIG_BLOCK, &held, &before);
  const Result<pid_t> child = start_child(shell("kill -TERM $$; exit 5"));
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(*wait_for_child(*child), 128 + SIGTERM);
}

TEST(ChildProcess, InheritsOnlyItsStreamsWhereItIsToldSo) {
  const OwnedFile open(dup(STDERR_FILENO));
  const std::string look = "[ -e /proc/$$/fd/" + std::to_string(open.get()) + " ] && echo there";
  ChildCall call = shell(look);
  EXPECT_EQ(said_by(call), "there\n");
  call.files = ChildFiles::StreamsOnly;
  EXPECT_EQ(said_by(call), "");
}

}  // namespace
}  // namespace poet
