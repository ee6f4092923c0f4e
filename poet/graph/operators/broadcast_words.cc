#include "poet/graph/operators/broadcast_words.h"

#include "poet/graph/operators/kernel_words.h"
#include "poet/graph/operators/strided_walk.h"

namespace poet {
namespace {

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
