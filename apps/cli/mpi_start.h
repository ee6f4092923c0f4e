#pragma once

namespace poet::cli {

// MPI_Init, with every signal held back meanwhile: MPI begins threads, which must not take the
// signals that this program waits for, as one of them would end it. Only where the build found MPI.
void start_mpi();

}  // namespace poet::cli
