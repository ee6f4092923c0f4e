#include "poet/graph/operators/strided_walk.h"

#include <algorithm>

#include "poet/base/check.h"
#include "poet/graph/operators/kernel_words.h"

namespace poet {
namespace {

// Whether every array comes from the end of dimension `inner` to the next index of `outer`.
bool continues(const StridedWalk& walk, std::size_t outer, std::size_t inner) {
  return std::all_of(walk.strides.begin(), walk.strides.end(), [&](const auto& strides) {
    return strides[outer] == strides[inner] * walk.extents[inner];
  });
}

enum class Dimensions { Kept, Summed };

// dy, a and b over the dimensions that are kept, or over those that are summed.
StridedWalk walk_over(const BroadcastGradient& gradient, Dimensions which) {
  const std::vector<std::int64_t> operand = broadcast_strides(gradient.operand, gradient.dy);
  const std::vector<std::vector<std::int64_t>> all = {dense_strides(gradient.dy),
                                                      broadcast_strides(gradient.a, gradient.dy),
                                                      broadcast_strides(gradient.b, gradient.dy)};
  StridedWalk walk{.extents = {}, .strides = std::vector<std::vector<std::int64_t>>(all.size())};
  for (std::size_t d = 0; d < gradient.dy.size(); ++d) {
    if ((operand[d] != 0) != (which == Dimensions::Kept)) continue;
    walk.extents.push_back(gradient.dy[d]);
    for (std::size_t i = 0; i < all.size(); ++i) walk.strides[i].push_back(all[i][d]);
  }
  return merged(walk);
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

std::vector<KernelWord> broadcast_words(const Shape& y, const Shape& a, const Shape& b) {
  const StridedWalk walk = merged_not_empty(
      {.extents = y, .strides = {broadcast_strides(a, y), broadcast_strides(b, y)}});
  return KernelWords()
      .integer("rank", static_cast<std::int64_t>(walk.extents.size()))
      .array("extents", walk.extents, 1)
      .array("a_strides", walk.strides[0], 0)
      .array("b_strides", walk.strides[1], 0)
      .take();
}

bool sums(const BroadcastGradient& gradient) {
  return value_count(gradient.operand) != value_count(gradient.dy);
}

std::vector<KernelWord> broadcast_gradient_words(const BroadcastGradient& gradient) {
  const StridedWalk kept = walk_over(gradient, Dimensions::Kept);
  const StridedWalk summed = walk_over(gradient, Dimensions::Summed);
  return KernelWords()
      .integer("kept_rank", static_cast<std::int64_t>(kept.extents.size()))
      .integer("summed_rank", static_cast<std::int64_t>(summed.extents.size()))
      .array("kept_extents", kept.extents, 1)
      .array("summed_extents", summed.extents, 1)
      .array("dy_kept_strides", kept.strides[0], 0)
      .array("dy_summed_strides", summed.strides[0], 0)
      .array("a_kept_strides", kept.strides[1], 0)
      .array("a_summed_strides", summed.strides[1], 0)
      .array("b_kept_strides", kept.strides[2], 0)
      .array("b_summed_strides", summed.strides[2], 0)
      .take();
}

std::vector<KernelWord> broadcast_sum_words(const BroadcastGradient& gradient, float alpha) {
  const StridedWalk kept = walk_over(gradient, Dimensions::Kept);
  const StridedWalk summed = walk_over(gradient, Dimensions::Summed);
  return KernelWords()
      .integer("kept_rank", static_cast<std::int64_t>(kept.extents.size()))
      .integer("summed_rank", static_cast<std::int64_t>(summed.extents.size()))
      .array("kept_extents", kept.extents, 1)
      .array("summed_extents", summed.extents, 1)
      .array("dy_kept_strides", kept.strides[0], 0)
      .array("dy_summed_strides", summed.strides[0], 0)
      .real("alpha", alpha)
      .take();
}

}  // namespace poet
