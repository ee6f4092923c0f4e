#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/verify/replay.h"

namespace poet {

// The edge of a graph in which operations and what they make are one: `to` reads what `from` makes.
struct ReleasedEdge {
  OperationId from{};
  OperationId to{};

  bool operator==(const ReleasedEdge&) const = default;
};

// A schedule in the form that the released code answers in (docs/formats/released_matrices.md):
// rows are the stages t = 0 .. T-1, columns are operations, and column i stands for the first
// output of operation i, or the tensor whose view that is. Stage t begins after the first execution
// of t - 1 and the drops and writes that directly follow it, and ends after those that follow the
// first execution of t.
struct ReleasedMatrices {
  using Marks = std::vector<std::vector<std::int8_t>>;  // 0 or 1

  Marks r;       // R[t][k]: k runs in stage t
  Marks s_ram;   // SRam[t][i]: i is in RAM when stage t begins
  Marks s_sd;    // SSd[t][i]: i is in storage when stage t begins
  Marks m_in;    // Min[t][i]: i is read from storage in stage t
  Marks m_out;   // Mout[t][i]: i is written to storage in stage t
  Marks free_e;  // FreeE[t][e]: the tensor of edges[e] leaves RAM in stage t after edges[e].to, its
                 // last reader there
  std::vector<std::vector<std::int64_t>>
      u_bytes;  // U[t][k]: RAM in use while k runs in stage t; 0 when it does not
  std::vector<ReleasedEdge>
      edges;  // the columns of free_e, by `to`, then in the order of its inputs

  bool operator==(const ReleasedMatrices&) const = default;
};

// The released graphs list the loss twice as an input of the first gradient, and so have two
// columns for that edge.
enum class LossEdge { Once, Twice };

// `replay` is that of `schedule`, and valid.
ReleasedMatrices released_matrices(const Problem& problem, const Schedule& schedule,
                                   const Replay& replay, LossEdge loss_edge);

}  // namespace poet
