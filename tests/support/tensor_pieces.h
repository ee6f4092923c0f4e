#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"

// Tensors in dense pieces, and the operations of the table on them, for tests that compare an
// operation in parts with the whole.

namespace poet::testing {

using Random = std::mt19937_64;

// From `least` to `most`, on every machine the same for a seed.
std::int64_t draw(Random& random, std::int64_t least, std::int64_t most);

// Numbers between -1 and 1; with `extremes` also zeros of both signs, infinities, and numbers next
// to the largest and least.
TensorValue random_floats(Random& random, const Shape& shape, bool extremes = false);
TensorValue random_integers(Random& random, ElementType element, const Shape& shape,
                            std::int64_t least, std::int64_t most);
TensorValue zeros(const Shape& shape);

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
// All of [0, extent), in order, cut at random places.
std::vector<Range> random_cuts(Random& random, std::int64_t extent);

// Along one dimension: the places of `range`; and the pieces one after the other.
TensorValue piece(const TensorValue& whole, std::size_t dimension, Range range);
TensorValue joined(const std::vector<TensorValue>& pieces, std::size_t dimension);

// The outputs of an operation, whose types are those that its shape rule gives, or `outputs` where
// it has none. Also made in the place of every input that the table allows, which must not change a
// bit.
std::vector<TensorValue> made(Operator kind, const Attributes& attributes,
                              const std::vector<TensorValue>& inputs,
                              const std::vector<TensorType>& outputs = {});

// The first of them.
TensorValue one(Operator kind, const Attributes& attributes, const std::vector<TensorValue>& inputs,
                const std::vector<TensorType>& outputs = {});

// `inputs`, and `more` after them.
std::vector<TensorValue> with(std::vector<TensorValue> inputs,
                              const std::vector<TensorValue>& more);

// Where the bits of two tensors differ first, or nothing. A NaN is like every other.
std::string difference(const TensorValue& a, const TensorValue& b);

}  // namespace poet::testing
