#pragma once

#include <string>

namespace poet::testing {

// The root of the source tree, for tests that read its documents and data.
std::string source_folder();

}  // namespace poet::testing
