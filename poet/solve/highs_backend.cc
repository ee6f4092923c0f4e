#include "poet/solve/highs_backend.h"

namespace poet {

Result<std::unique_ptr<LinearBackend>> open_highs(const std::vector<std::string>&) {
  return Error{.code = ErrorCode::Unsupported, .message = "this build has no HiGHS yet"};
}

}  // namespace poet
