#include "poet/graph/operators/strided_walk.h"

#include <algorithm>

#include "poet/base/check.h"

namespace poet {
namespace {

// Whether every array comes from the end of dimension `inner` to the next index of `outer`.
bool continues(const StridedWalk& walk, std::size_t outer, std::size_t inner) {
  return std::all_of(walk.strides.begin(), walk.strides.end(), [&](const auto& strides) {
    return strides[outer] == strides[inner] * walk.extents[inner];
  });
}

}  // namespace

StridedWalk merged(const StridedWalk& walk) {
  StridedWalk result{.extents = {},
                     .strides = std::vector<std::vector<std::int64_t>>(walk.strides.size())};
  std::size_t last = 0;  // the dimension of `walk` that the last one of `result` ends with
  for (std::size_t d = 0; d < walk.extents.size(); ++d) {
    if (walk.extents[d] == 1) continue;
    const bool joins = !result.extents.empty() && continues(walk, last, d);
    if (joins) {
      result.extents.back() *= walk.extents[d];
    } else {
      result.extents.push_back(walk.extents[d]);
    }
    for (std::size_t i = 0; i < walk.strides.size(); ++i) {
      if (joins) result.strides[i].pop_back();
      result.strides[i].push_back(walk.strides[i][d]);
    }
    last = d;
  }
  return result;
}

StridedWalk merged_not_empty(const StridedWalk& walk) {
  StridedWalk result = merged(walk);
  if (!result.extents.empty()) return result;
  result.extents.push_back(1);
  for (std::vector<std::int64_t>& strides : result.strides) strides.push_back(0);
  return result;
}

std::vector<std::int64_t> dense_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::vector<std::int64_t> broadcast_strides(const Shape& operand, const Shape& shape) {
  POET_CHECK(operand.size() <= shape.size());
  const std::size_t in_front = shape.size() - operand.size();
  const std::vector<std::int64_t> dense = dense_strides(operand);
  std::vector<std::int64_t> strides(shape.size(), 0);
  for (std::size_t d = 0; d < operand.size(); ++d) {
    POET_CHECK(operand[d] == 1 || operand[d] == shape[in_front + d]);
    if (operand[d] != 1) strides[in_front + d] = dense[d];
  }
  return strides;
}

}  // namespace poet
