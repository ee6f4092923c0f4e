#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/graph/tensor_piece.h"

namespace poet {

// Along what an operation can be done in parts, each by itself an operation on pieces of its
// tensors, so that all of them together make what it makes, to the last bit.

// Which values of a dimension meet a place of an axis: place p meets p stride - padding and the
// `reach` values from there on; or, where it is turned, the values that have p among those that
// they meet in this way.
struct Halo {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t reach = 1;
  bool turned = false;

  bool operator==(const Halo&) const = default;
};

// A dimension of a tensor that follows an axis: `scale` values for each place, or those of a halo.
struct Follows {
  int dimension = 0;
  std::int64_t scale = 1;
  std::optional<Halo> halo = {};

  bool operator==(const Follows&) const = default;
};

enum class AxisKind {
  Independent,  // parts share nothing
  Continued,    // what is summed: a part goes on where the part before it left the sum
};

struct PartAxis {
  AxisKind kind = AxisKind::Independent;
  std::int64_t extent = 1;    // places
  std::int64_t multiple = 1;  // parts begin at multiples of it
  // Of each input and output; none: every part meets all of it.
  std::vector<std::optional<Follows>> inputs = {};
  std::vector<std::optional<Follows>> outputs = {};

  bool operator==(const PartAxis&) const = default;
};

// The values of a dimension of `extent` values that a range of places meets; of a halo at least
// one.
Range values_met(const Follows& follows, const Range& places, std::int64_t extent);

// The axes of an operation, which has outputs. Those that are continued stand in the order of the
// sum, the outermost first: parts are executed so that the last of them runs fastest, and where one
// is cut, those before it go place by place.
std::vector<PartAxis> part_axes(const OperationTypes& types);

// The values of input or output `position` that the part of `ranges`, one for each of the axes,
// meets: one range for each of its dimensions.
std::vector<Range> part_of_input(const OperationTypes& types, const std::vector<PartAxis>& axes,
                                 const std::vector<Range>& ranges, std::size_t position);
std::vector<Range> part_of_output(const OperationTypes& types, const std::vector<PartAxis>& axes,
                                  const std::vector<Range>& ranges, std::size_t position);

// A part of an operation: what is executed, and on what.
struct PartOperation {
  Operator kind = {};
  Attributes attributes = {};
  // Which inputs of the operation it has, in their order; what it goes on with, all outputs of the
  // part before it, stands after the first `inputs_before_sum` of these.
  std::vector<int> inputs = {};
  std::optional<int> inputs_before_sum = {};

  bool operator==(const PartOperation&) const = default;
};

// The part that does `ranges`, one for each of the axes. `first` and `last` say where it stands
// among the parts that go on with each other.
PartOperation part_operation(const OperationTypes& types, const std::vector<PartAxis>& axes,
                             const std::vector<Range>& ranges, bool first, bool last);

}  // namespace poet
