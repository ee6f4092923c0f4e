#include "poet/solve/gurobi_backend.h"

namespace poet {

Result<std::unique_ptr<LinearBackend>> open_gurobi(const std::vector<std::string>&) {
  return Error{.code = ErrorCode::Unsupported, .message = "this build has no Gurobi yet"};
}

}  // namespace poet
