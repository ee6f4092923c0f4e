#include "apps/cli/environment.h"

#include <cstdlib>

namespace poet::cli {

const std::vector<EnvironmentVariable>& environment_table() {
  static const std::vector<EnvironmentVariable> table = {
      {"XDG_CACHE_HOME",
       "plans of trainings are kept in its folder poet; default, or where it is no absolute path: "
       ".cache in HOME"},
      {"HOME", "see XDG_CACHE_HOME"},
      {"HIGHS_HOME",
       "where HiGHS lies, if not where libraries do; its library is in the folder lib"},
      {"GUROBI_HOME", "the same for Gurobi"},
      {"GRB_LICENSE_FILE", "the licence of Gurobi"},
  };
  return table;
}

std::vector<std::string> library_directories() {
  std::vector<std::string> directories;
  for (const char* const name : {"GUROBI_HOME", "HIGHS_HOME"}) {
    const std::string home = environment_variable(name);
    if (!home.empty()) directories.push_back(home + "/lib");
  }
  return directories;
}

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace poet::cli
