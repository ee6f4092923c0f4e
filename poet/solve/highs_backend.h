#pragma once

#include <memory>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/solve/linear_backend.h"

namespace poet {

// HiGHS, loaded at run time from one of `directories` or from where the system's loader looks; an
// Error of code Unsupported when it is not there.
Result<std::unique_ptr<LinearBackend>> open_highs(const std::vector<std::string>& directories);

}  // namespace poet
