#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// What a missing library means for a name.
enum class WhenMissing {
  Refuse,
  UseCbc,  // as the released code does, with a warning
};

// One row per name that a user may give as the solver: our backends, and the released code's names
// for them.
struct SolverName {
  std::string_view name;
  std::string_view backend;  // a name of backend_table()
  WhenMissing when_missing = WhenMissing::Refuse;
  std::string_view what;  // one line for help texts
};
const std::vector<SolverName>& solver_name_table();

// The row with this name; refuses others.
Result<const SolverName*> solver_named(const std::string& name);

// The backend that a name stands for here and now, with what the user should know about the choice.
struct BackendChoice {
  std::string backend;
  std::vector<std::string> warnings;
};
Result<BackendChoice> choose_backend(const SolverName& solver,
                                     const std::vector<std::string>& library_directories);

}  // namespace poet
