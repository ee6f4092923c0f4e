#include "poet/kernels/threads.h"

#include <omp.h>

#include "poet/base/check.h"

namespace poet {

void use_threads(int threads) {
  POET_CHECK(threads >= 1);
  omp_set_num_threads(threads);
}

void threads::run_parts(int parts, PartFunction function, const void* work) {
  if (parts == 1) return function(work, 0);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) function(work, part);
}

}  // namespace poet
