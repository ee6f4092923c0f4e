#include "apps/cli/mpi_start.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>

namespace poet::cli {

void start_mpi() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  MPI_Init(nullptr, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace poet::cli
