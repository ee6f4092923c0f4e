#pragma once

#include <memory>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/solve/linear_backend.h"

namespace poet {

// How each backend of backend_table() is opened.

// Cbc for integer programs, Clp for relaxations: linked in, so it always opens.
Result<std::unique_ptr<LinearBackend>> open_cbc();

// Loaded at run time from one of `directories` or from where the system's loader looks; an Error of
// code Unsupported when the library is not there.
Result<std::unique_ptr<LinearBackend>> open_highs(const std::vector<std::string>& directories);
Result<std::unique_ptr<LinearBackend>> open_gurobi(const std::vector<std::string>& directories);

}  // namespace poet
