#include "tests/support/source_folder.h"

namespace poet::testing {

std::string source_folder() {
  return POET_SOURCE_DIR;
}

}  // namespace poet::testing
