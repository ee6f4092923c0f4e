#pragma once

#include <cstddef>

#include "poet/base/check.h"
#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/base/time_mode.h"
#include "poet/poet.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/solver.h"

namespace poet::v1 {

// One value of an enum of the interface, and the one inside that it stands for.
template <typename Ours, typename Inside>
struct Pair {
  Ours ours;
  Inside inside;
};

inline constexpr Pair<ErrorKind, ErrorCode> kErrorKinds[] = {
    {ErrorKind::BadInput, ErrorCode::BadInput},
    {ErrorKind::NotFound, ErrorCode::NotFound},
    {ErrorKind::Unsupported, ErrorCode::Unsupported},
    {ErrorKind::Io, ErrorCode::Io},
};
inline constexpr Pair<Transfers, TimeMode> kTransfers[] = {
    {Transfers::Free, TimeMode::Free},
    {Transfers::Blocking, TimeMode::Blocking},
    {Transfers::Overlapped, TimeMode::Overlapped},
};
inline constexpr Pair<Status, SolveStatus> kStatuses[] = {
    {Status::Optimal, SolveStatus::Optimal},
    {Status::Feasible, SolveStatus::Feasible},
    {Status::Infeasible, SolveStatus::Infeasible},
    {Status::Unknown, SolveStatus::Unknown},
};
inline constexpr Pair<Evidence, poet::Evidence> kEvidences[] = {
    {Evidence::None, poet::Evidence::None},
    {Evidence::Arithmetic, poet::Evidence::Arithmetic},
    {Evidence::Certificate, poet::Evidence::Certificate},
    {Evidence::Backend, poet::Evidence::Backend},
};

template <typename Ours, typename Inside, std::size_t N>
Ours value_of_other(const Pair<Ours, Inside> (&table)[N], Inside value) {
  for (const Pair<Ours, Inside>& row : table)
    if (row.inside == value) return row.ours;
  check_failed("every value inside has one of the interface", __FILE__, __LINE__);
}
template <typename Ours, typename Inside, std::size_t N>
Inside value_of_other(const Pair<Ours, Inside> (&table)[N], Ours value) {
  for (const Pair<Ours, Inside>& row : table)
    if (row.ours == value) return row.inside;
  check_failed("every value of the interface has one inside", __FILE__, __LINE__);
}

// What an action does, and to what.
inline void name_action(const Compute& compute, const Problem& problem, Action& action) {
  action.verb = Verb::Compute;
  action.name = at(problem.operations, compute.operation).name;
}
inline void name_action(const PageOut& out, const Problem& problem, Action& action) {
  action.verb = Verb::PageOut;
  action.name = at(problem.tensors, out.tensor).name;
}
inline void name_action(const PageIn& in, const Problem& problem, Action& action) {
  action.verb = Verb::PageIn;
  action.name = at(problem.tensors, in.tensor).name;
}
inline void name_action(const Drop& drop, const Problem& problem, Action& action) {
  action.verb = Verb::Drop;
  action.name = at(problem.tensors, drop.tensor).name;
}

}  // namespace poet::v1
