#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "poet/train/ranks.h"

namespace poet::cli {

// The place of this process among those that mpirun started together, before MPI is asked; nothing
// where it is alone. `variable`: reads the environment. Also without MPI.
std::optional<RankPlace> place_by_mpirun(const std::function<std::string(const char*)>& variable);

// Joins the others; null where the build found no MPI. Once.
std::unique_ptr<Ranks> join_mpi_ranks();

// At the end, after which they are no longer used: waits for the others to come to theirs.
void leave_mpi_ranks();

}  // namespace poet::cli
