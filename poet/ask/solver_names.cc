#include "poet/ask/solver_names.h"

#include <fmt/core.h>

#include "poet/base/closest_name.h"
#include "poet/solve/linear_backend.h"

namespace poet {
namespace {

Error unknown_solver(const std::string& solver) {
  std::vector<std::string_view> names;
  std::string list;
  for (const SolverName& row : solver_name_table()) {
    names.push_back(row.name);
    list += list.empty() ? "" : ", ";
    list += row.name;
  }
  const std::string hint = suggestion(solver, names);
  return Error{ErrorCode::NotFound,
               fmt::format("unknown solver '{}'{}", solver,
                           hint.empty() ? "; the solvers are " + list : hint),
               {}};
}

}  // namespace

const std::vector<SolverName>& solver_name_table() {
  static const std::vector<SolverName> table = {
      {"cbc", "cbc", WhenMissing::Refuse, "COIN-OR Cbc, always there"},
      {"highs", "highs", WhenMissing::Refuse, "HiGHS, when its library is installed"},
      {"gurobi", "gurobi", WhenMissing::UseCbc, "Gurobi, when installed and licensed; else cbc"},
      {"gurobipy", "gurobi", WhenMissing::UseCbc, "the released code's name for gurobi"},
      {"pulp-gurobi", "gurobi", WhenMissing::UseCbc, "the released code's name for gurobi"},
      {"pulp-cbc", "cbc", WhenMissing::Refuse, "the released code's name for cbc"},
  };
  return table;
}

Result<const SolverName*> solver_named(const std::string& name) {
  for (const SolverName& row : solver_name_table())
    if (row.name == name) return &row;
  return unknown_solver(name);
}

Result<BackendChoice> choose_backend(const SolverName& solver,
                                     const std::vector<std::string>& library_directories) {
  const auto opened = open_backend(solver.backend, library_directories);
  if (opened.ok()) return BackendChoice{std::string(solver.backend), {}};
  const std::string why = opened.error().message;
  if (solver.when_missing == WhenMissing::Refuse)
    return Error{ErrorCode::Unsupported,
                 fmt::format("the solver '{}' is not available: {}", solver.name, why),
                 {}};
  return BackendChoice{
      "cbc", {fmt::format("the solver '{}' is not available, cbc is used: {}", solver.name, why)}};
}

}  // namespace poet
