#include "apps/cli/tell.h"

#include <cstdio>

namespace poet::cli {

void tell(std::string_view text) {
  static_cast<void>(!std::fwrite(text.data(), 1, text.size(), stderr));
  std::fflush(stderr);
  std::clearerr(stderr);
}

}  // namespace poet::cli
