#pragma once

#include <memory>

#include "poet/base/result.h"
#include "poet/solve/linear_backend.h"

namespace poet {

// Cbc for integer programs, Clp for relaxations: linked in, so it always opens.
Result<std::unique_ptr<LinearBackend>> open_cbc();

}  // namespace poet
