#include "poet/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace poet {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: POET_CHECK(%s) failed; this is a bug in POET\n", file, line,
               condition);
  std::abort();
}

}  // namespace poet
