// In place of mpi_team.cc and mpi_ranks.cc where the build found no MPI.

#include "apps/cli/mpi_ranks.h"
#include "apps/cli/mpi_team.h"

namespace poet::cli {

int mpi_rank(const std::function<std::string(const char*)>&) {
  return -1;
}
bool has_mpi() {
  return false;
}
std::unique_ptr<SweepTeam> make_mpi_team() {
  return nullptr;
}
void serve_mpi(const std::function<std::string(const std::string&)>&) {}
void end_mpi(bool) {}
std::unique_ptr<Ranks> join_mpi_ranks() {
  return nullptr;
}
void leave_mpi_ranks() {}

}  // namespace poet::cli
