#include "poet/kernels/threads.h"

#include <omp.h>

#include "poet/base/check.h"

namespace poet {

void use_threads(int threads) {
  POET_CHECK(threads >= 1);
  omp_set_num_threads(threads);
}

namespace {

// Apart from run_parts(), since clang lets a function that holds a parallel region ask libomp for
// its thread first of all, and what asks first sets libomp up.
[[gnu::noinline]] void run_side_by_side(int parts, threads::PartFunction function,
                                        const void* work) {
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) function(work, part);
}

}  // namespace

void threads::run_parts(int parts, PartFunction function, const void* work) {
  if (parts == 1) return function(work, 0);
  run_side_by_side(parts, function, work);
}

}  // namespace poet
