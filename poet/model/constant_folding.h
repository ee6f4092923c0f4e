#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/result.h"
#include "poet/model/known_array.h"

namespace poet {

// Arithmetic on arrays that are known before the network runs, mostly shapes: one value after the
// other. Float32 arithmetic is rounded as the kernels round it. Results have at most
// kLargestKnownArray values. Refusals are sentences without the node's name.

enum class PairFold {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Min,
  Max,
  And,
  Or,
  Equal,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual
};

// Of two arrays of one element type, their shapes broadcast. Whole numbers: Div cuts off towards 0,
// Mod has the sign of the divisor; refuses division by 0 and results beyond 64 bits, and others
// wrap to their element type. Comparisons, And and Or give Bool.
Result<KnownArray> fold_pair(PairFold what, const KnownArray& a, const KnownArray& b);

enum class UnaryFold { Neg, Abs, Floor, Ceil, Sqrt, Not };
Result<KnownArray> fold_unary(UnaryFold what, const KnownArray& x);

// As the kernels convert (poet/runtime/cast.h): fractions are cut off, what does not fit becomes
// the nearest that does, and NaN gives 0.
KnownArray fold_cast(const KnownArray& x, ElementType to);

Result<KnownArray> fold_where(const KnownArray& condition, const KnownArray& yes,
                              const KnownArray& no);

enum class ReduceFold { Sum, Product, Min, Max };
// Over all dimensions in `axes`, which are removed.
Result<KnownArray> fold_reduce(ReduceFold what, const KnownArray& x,
                               const std::vector<std::int64_t>& axes);

// start, start + step, ... before `end`.
Result<KnownArray> fold_range(const KnownArray& start, const KnownArray& end,
                              const KnownArray& step);

// What only moves values. Axes are within the rank.
Result<KnownArray> fold_expand(const KnownArray& x, const Shape& shape);  // to exactly this shape
KnownArray fold_transpose(const KnownArray& x, const std::vector<std::int64_t>& permutation);
Result<KnownArray> fold_gather(const KnownArray& x, const KnownArray& indices, std::int64_t axis);
Result<KnownArray> fold_concat(const std::vector<KnownArray>& parts, std::int64_t axis);
// Value j of dimension d is value start[d] + j step[d] of x; all of them are in x.
KnownArray fold_slice(const KnownArray& x, const std::vector<std::int64_t>& start,
                      const std::vector<std::int64_t>& step, const Shape& extent);

// The shape that two shapes are broadcast to.
Result<Shape> folded_shape(const Shape& a, const Shape& b);

}  // namespace poet
