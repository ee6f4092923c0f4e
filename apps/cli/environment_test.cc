#include "apps/cli/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace poet::cli {
namespace {

TEST(LibraryDirectories, ComeFromTheHomesOfTheLibraries) {
  unsetenv("GUROBI_HOME");
  setenv("HIGHS_HOME", "", 1);
  EXPECT_TRUE(library_directories().empty());
  setenv("GUROBI_HOME", "/opt/gurobi", 1);
  setenv("HIGHS_HOME", "/opt/highs", 1);
  EXPECT_EQ(library_directories(), (std::vector<std::string>{"/opt/gurobi/lib", "/opt/highs/lib"}));
}

}  // namespace
}  // namespace poet::cli
