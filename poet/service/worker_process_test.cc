#include "poet/service/worker_process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace poet {
namespace {

// Runs a script as a worker; `wish` is asked as its lines come.
struct ScriptRun {
  WorkerReport report;
  std::vector<std::string> lines;
};

ScriptRun run_script(const std::string& script, double limit_s = 1e9,
                     const std::function<WorkerWish(const std::vector<std::string>&)>& wish = {}) {
  ScriptRun run;
  double now_s = 0;
  const Result<WorkerReport> report =
      run_worker({.words = {"/bin/sh", "-c", script},
                  .folder = ::testing::TempDir(),
                  .wall_limit_s = limit_s,
                  .cpu_limit_s = 1},
                 {.elapsed_s = [&now_s] { return now_s += 0.25; },
                  .wish = [&] { return wish ? wish(run.lines) : WorkerWish::GoOn; },
                  .line = [&run](const std::string& line) { run.lines.push_back(line); }});
  EXPECT_TRUE(report.ok());
  if (report.ok()) run.report = *report;
  return run;
}

// Whether a process is not there, or only waits to be counted by its parent.
bool is_ended_now(int id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  std::getline(file, text);
  if (text.empty()) return true;
  const char state = text.at(text.rfind(')') + 2);
  return state == 'Z' || state == 'X';
}

// A killed process takes a moment to go.
bool is_ended(int id) {
  for (int k = 0; k < 100'000; ++k) {
    if (is_ended_now(id)) return true;
    std::this_thread::yield();
  }
  return false;
}

WorkerWish finish_after_a_line(const std::vector<std::string>& lines) {
  return lines.empty() ? WorkerWish::GoOn : WorkerWish::Finish;
}

TEST(WorkerProcess, GivesLinesAndTheEnd) {
  const ScriptRun run = run_script("echo one; echo two; exit 0");
  EXPECT_EQ(run.lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(run.report.end, WorkerEnd::Finished);
}

TEST(WorkerProcess, TellsHowItEnded) {
  EXPECT_EQ(run_script("exit 12").report.end, WorkerEnd::OutOfMemory);
  EXPECT_EQ(run_script("exit 2").report.end, WorkerEnd::Crashed);
  const ScriptRun crash = run_script("echo a bug >&2; exit 3");
  EXPECT_EQ(crash.report.end, WorkerEnd::Crashed);
  EXPECT_EQ(crash.report.complaint, "a bug?");
  EXPECT_EQ(run_script("kill -SEGV $$").report.end, WorkerEnd::Died);
  EXPECT_EQ(crash.report.how, "exit code 3");
  const ScriptRun killed = run_script("kill -KILL $$");
  EXPECT_EQ(killed.report.end, WorkerEnd::KilledBySystem);
  EXPECT_EQ(killed.report.how, "signal 9 (Killed)");
  EXPECT_EQ(run_script("ulimit -S -t 1; while :; do :; done").report.end, WorkerEnd::OutOfTime);
  // The hard limit kills as the system does when memory runs out: the time it took tells.
  EXPECT_EQ(run_script("ulimit -t 1; while :; do :; done").report.end, WorkerEnd::OutOfTime);
}

TEST(WorkerProcess, WhatItStartedEndsWithIt) {
  // The grandchild holds the output open, and is in the worker's group.
  const ScriptRun run = run_script("sleep 1000 & echo $!; exit 0");
  EXPECT_EQ(run.report.end, WorkerEnd::Finished);
  ASSERT_EQ(run.lines.size(), 1U);
  EXPECT_TRUE(is_ended(std::stoi(run.lines[0])));
  const ScriptRun killed = run_script("sleep 1000 & echo $!; wait", 1e9, [](const auto& lines) {
    return lines.empty() ? WorkerWish::GoOn : WorkerWish::Die;
  });
  EXPECT_EQ(killed.report.end, WorkerEnd::Killed);
  ASSERT_EQ(killed.lines.size(), 1U);
  EXPECT_TRUE(is_ended(std::stoi(killed.lines[0])));
}

TEST(WorkerProcess, IsToldToFinishByTheEndOfItsInput) {
  const ScriptRun run =
      run_script("echo ready; cat > /dev/null; echo best", 1e9, finish_after_a_line);
  EXPECT_EQ(run.lines, (std::vector<std::string>{"ready", "best"}));
  EXPECT_EQ(run.report.end, WorkerEnd::Finished);
}

TEST(WorkerProcess, IsKilledWhenItDoesNotListen) {
  const std::string deaf = "echo ready; while :; do read x || read y < /dev/zero; done";
  EXPECT_EQ(run_script(deaf, 1e9, finish_after_a_line).report.end, WorkerEnd::Killed);
  EXPECT_EQ(run_script("echo ready; exec cat", 1e9,
                       [](const auto& lines) {
                         return lines.empty() ? WorkerWish::GoOn : WorkerWish::Die;
                       })
                .report.end,
            WorkerEnd::Killed);
  EXPECT_EQ(run_script("exec cat", 2).report.end, WorkerEnd::OutOfTime);
}

TEST(WorkerProcess, InheritsNoOtherFiles) {
  const ScriptRun run = run_script("for f in /proc/self/fd/*; do echo $f; done | wc -l");
  ASSERT_EQ(run.lines.size(), 1U);
  EXPECT_LE(std::stoi(run.lines[0]), 4);  // three, and that of the pattern
}

TEST(WorkerProcess, AProgramThatIsNotThereIsRefused) {
  const Result<WorkerReport> report = run_worker(
      {.words = {"/none/such"}, .folder = ::testing::TempDir(), .wall_limit_s = 1},
      {.elapsed_s = [] { return 0.0; }, .wish = [] { return WorkerWish::GoOn; }, .line = {}});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "cannot start a worker: No such file or directory");
}

}  // namespace
}  // namespace poet
