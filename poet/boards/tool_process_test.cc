#include "poet/boards/tool_process.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(RunTool, GivesLinesErrorsAndTheExitCode) {
  std::vector<std::string> lines;
  const Result<ToolEnd> end =
      run_tool({{"sh", "-c", "echo one; printf 'two\\nthree'; echo bad >&2; exit 7"}}, "dash", {},
               [&lines](std::string_view line) { lines.emplace_back(line); });
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(end->errors, "bad\n");
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_FALSE(end->stopped);
}

TEST(RunTool, WorksInTheFolder) {
  std::string folder;
  const Result<ToolEnd> end = run_tool({{"pwd"}, "/"}, "coreutils", {},
                                       [&folder](std::string_view line) { folder = line; });
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(folder, "/");
}

TEST(RunTool, NamesTheSignal) {
  const Result<ToolEnd> end = run_tool({{"sh", "-c", "kill -9 $$"}}, "dash", {}, {});
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->exit_code, 128 + 9);
}

TEST(RunTool, EndsWhatIsStopped) {
  std::stop_source source;
  const Result<ToolEnd> end = run_tool({{"sh", "-c", "echo ready; cat </dev/zero >/dev/null"}},
                                       "dash", {source.get_token(), {}, 1e9},
                                       [&source](std::string_view) { source.request_stop(); });
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->stopped);
}

TEST(RunTool, SaysWhichPackageHasWhatIsNotThere) {
  const Result<ToolEnd> end = run_tool({{"poet-no-such-tool"}}, "no-such-package", {}, {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().message,
            "cannot run poet-no-such-tool: No such file or directory; Debian has it in the package "
            "no-such-package");
}

}  // namespace
}  // namespace poet
