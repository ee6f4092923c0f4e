#pragma once

namespace poet::cli {

// What the program's exit tells a script.
enum ExitCode : int {
  kExitFound = 0,     // a schedule was found, a plan holds, a question was answered
  kExitNo = 1,        // the answer is no: infeasible, none found, a plan that breaks a rule
  kExitBadInput = 2,  // flags, names, numbers or files that are not right
  kExitBug = 3,       // a bug in POET
};
constexpr int kExitSecondInterrupt = 130;  // as shells report a program ended by Ctrl-C

}  // namespace poet::cli
