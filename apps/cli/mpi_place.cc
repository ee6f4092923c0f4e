// The same with and without MPI.

#include <cstdlib>

#include "apps/cli/mpi_ranks.h"

namespace poet::cli {

std::optional<RankPlace> place_by_mpirun(const std::function<std::string(const char*)>& variable) {
  const std::string count = variable("OMPI_COMM_WORLD_SIZE");
  const std::string own = variable("OMPI_COMM_WORLD_RANK");
  if (count.empty() || own.empty() || count == "1") return std::nullopt;
  return RankPlace{.own = std::atoi(own.c_str()), .count = std::atoi(count.c_str())};
}

}  // namespace poet::cli
