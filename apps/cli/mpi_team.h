#pragma once

#include <functional>
#include <memory>
#include <string>

#include "poet/ask/sweep_team.h"

namespace poet::cli {

// Workers that are the other ranks of an MPI job: on one machine or on many. Rank 0 hands out the
// questions. When a rank dies, MPI ends the whole job; what rank 0 has stored by then stays.
//
// All of these do nothing, as on a machine without MPI, where the build found none.

// This process's rank when mpirun started it together with others, before MPI is asked; -1
// otherwise. `variable`: reads the environment.
int mpi_rank(const std::function<std::string(const char*)>& variable);

// True where this build can take part.
bool has_mpi();

// Of rank 0: the others as a team. Nothing when there are no others.
std::unique_ptr<SweepTeam> make_mpi_team();

// Of the other ranks: answers until rank 0 says that it is over.
void serve_mpi(const std::function<std::string(const std::string& question)>& answer);

// Of rank 0, at its end: lets the others end. Those that are still at work are ended by force.
void end_mpi(bool somebody_at_work);

}  // namespace poet::cli
