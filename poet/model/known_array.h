#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "poet/graph/tensor_type.h"
#include "poet/model/initial.h"

namespace poet {

// An array whose values are known before the network runs. Extents may be 0, as those of an empty
// list of axes.
struct Constant {
  TensorType type = {};
  Initial values = FilledWith{0};
};

// Its values one by one, to calculate with: whole numbers of all element types but Float32 are
// held in 64 bits.
struct KnownArray {
  TensorType type = {};
  std::variant<std::vector<std::int64_t>, std::vector<float>> values = {};

  bool is_float() const { return type.element == ElementType::Float32; }
  const std::vector<std::int64_t>& wholes() const { return std::get<0>(values); }
  const std::vector<float>& floats() const { return std::get<1>(values); }

  bool operator==(const KnownArray&) const = default;
};

// Shape computations are small; what is larger is left to the network's operations.
inline constexpr std::int64_t kLargestKnownArray = std::int64_t{1} << 21;

KnownArray array_of(const Constant& constant);  // at most kLargestKnownArray values
Constant constant_of(const KnownArray& array);

KnownArray whole_array(std::vector<std::int64_t> values);  // one dimension, Int64
KnownArray whole_scalar(std::int64_t value);               // no dimension, Int64

// The only value of a constant of one value, whatever its element type and rank.
std::optional<double> single_value(const Constant& constant);

}  // namespace poet
