#pragma once

#include <string_view>

namespace poet::cli {

// What the program's exit tells a script.
enum ExitCode : int {
  kExitFound = 0,
  kExitNo = 1,
  kExitBadInput = 2,
  kExitBug = 3,
};
constexpr int kExitSecondInterrupt = 130;  // as shells report a program ended by Ctrl-C

// One row per exit code, for manual pages.
struct ExitMeaning {
  int code;
  std::string_view what;
};
constexpr ExitMeaning kExitMeanings[] = {
    {kExitFound, "a schedule was found, a plan holds, a question was answered"},
    {kExitNo, "the answer is no: infeasible, none found, a plan that breaks a rule"},
    {kExitBadInput, "flags, names, numbers or files that are not right"},
    {kExitBug, "a bug in POET"},
    {kExitSecondInterrupt, "a second Ctrl-C, or a second SIGTERM, did not wait for the answer"},
};

}  // namespace poet::cli
