#pragma once

#include <string_view>

#include "poet/base/named.h"
#include "poet/solve/solver.h"

namespace poet {

// The names of closed sets in the JSON of reports and in plans; those of problems stand beside
// their types.
constexpr Named<SolveStatus> kStatusNames[] = {
    {"optimal", SolveStatus::Optimal},
    {"feasible", SolveStatus::Feasible},
    {"infeasible", SolveStatus::Infeasible},
    {"unknown", SolveStatus::Unknown},
};
constexpr Named<Infeasibility::Kind> kInfeasibilityNames[] = {
    {"ram_budget", Infeasibility::Kind::RamBudget},
    {"deadline", Infeasibility::Kind::Deadline},
    {"storage_capacity", Infeasibility::Kind::StorageCapacity},
    {"write_budget", Infeasibility::Kind::WriteBudget},
    {"combined", Infeasibility::Kind::Combined},
};

inline std::string_view status_name(SolveStatus status) {
  return name_of(kStatusNames, status);
}

// The search ended by itself, not by a limit.
constexpr bool is_proved(SolveStatus status) {
  return status == SolveStatus::Optimal || status == SolveStatus::Infeasible;
}

}  // namespace poet
