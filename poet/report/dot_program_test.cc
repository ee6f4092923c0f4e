#include "poet/report/dot_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace poet {
namespace {

// A folder of its own, gone with the test, and the search path for programs as it was.
class DrawGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "poet_dot_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    if (const char* path = std::getenv("PATH")) path_ = path;
  }
  void TearDown() override {
    if (path_) setenv("PATH", path_->c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string folder_;
  std::optional<std::string> path_;
};

TEST_F(DrawGraph, SaysThatTheProgramIsMissing) {
  write(file("a.dot"), "digraph { a -> b }");
  setenv("PATH", folder_.c_str(), 1);
  const Failure failure = draw_graph(file("a.dot"), file("a.svg"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(to_string(*failure),
            "the program 'dot' is not installed (package graphviz), so the graph is only written "
            "as '" +
                file("a.dot") + "'");
  EXPECT_FALSE(std::filesystem::exists(file("a.svg")));
}

// A stand-in for dot, so that the test does not depend on what is installed.
TEST_F(DrawGraph, HandsBothFilesToTheProgram) {
  write(file("dot"), "#!/bin/sh\ncat \"$4\" > \"$3\"\necho noise\n");
  std::filesystem::permissions(file("dot"), std::filesystem::perms::owner_all);
  setenv("PATH", (folder_ + ":/usr/bin:/bin").c_str(), 1);
  write(file("a.dot"), "digraph { a -> b }");
  EXPECT_EQ(draw_graph(file("a.dot"), file("a.svg")), std::nullopt);
  EXPECT_EQ(read(file("a.svg")), "digraph { a -> b }");
}

TEST_F(DrawGraph, LeavesTheOldPictureWhenTheProgramFails) {
  write(file("dot"), "#!/bin/sh\necho half > \"$3\"\nexit 1\n");
  std::filesystem::permissions(file("dot"), std::filesystem::perms::owner_all);
  setenv("PATH", (folder_ + ":/usr/bin:/bin").c_str(), 1);
  write(file("a.dot"), "digraph {");
  write(file("a.svg"), "old");
  const Failure failure = draw_graph(file("a.dot"), file("a.svg"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(to_string(*failure),
            "the program 'dot' could not draw '" + file("a.dot") + "' as '" + file("a.svg") + "'");
  EXPECT_EQ(read(file("a.svg")), "old");
  EXPECT_FALSE(std::filesystem::exists(file("a.svg.part")));
}

}  // namespace
}  // namespace poet
