#include "poet/onednn/onednn_kernels.h"

namespace poet {

Result<std::unique_ptr<KernelSet>> onednn_kernels(int, Factors) {
  return Error{.code = ErrorCode::Unsupported,
               .message =
                   "this poet was built without oneDNN; use --kernels reference, or install "
                   "libdnnl-dev and build poet again"};
}

}  // namespace poet
