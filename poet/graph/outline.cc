#include "poet/graph/outline.h"

namespace poet {

std::int64_t size_bytes(const OutlineTensor& tensor) {
  std::int64_t size = tensor.element_bytes;
  for (const std::int64_t extent : tensor.shape) size *= extent;
  return size;
}

}  // namespace poet
