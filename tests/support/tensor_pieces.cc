#include "support/tensor_pieces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "poet/base/check.h"
#include "poet/kernels/kernel_call.h"

namespace poet::testing {
namespace {

float extreme(Random& random) {
  constexpr float kExtremes[] = {0.0F,
                                 -0.0F,
                                 std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity(),
                                 3e38F,
                                 -3e38F,
                                 1e-38F,
                                 -1e-45F};
  return kExtremes[static_cast<std::size_t>(draw(random, 0, std::ssize(kExtremes) - 1))];
}

// A tensor as (before, extent, behind) around one dimension; in bytes behind it.
struct Around {
  std::size_t before = 1;
  std::size_t extent = 1;
  std::size_t behind_bytes = 1;
};

Around around(const TensorType& type, std::size_t dimension) {
  const Shape& shape = type.shape;
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(dimension);
  return {static_cast<std::size_t>(value_count({shape.begin(), at})), static_cast<std::size_t>(*at),
          static_cast<std::size_t>(value_count({at + 1, shape.end()})) *
              static_cast<std::size_t>(byte_size(type.element))};
}

using Pointers = std::vector<void*>;

// The outputs, of which `shared` one lies in the place of an input.
std::vector<TensorValue> executed(const OperationTypes& types, std::vector<TensorValue> inputs,
                                  const std::vector<SharedPlace>& shared) {
  std::vector<TensorValue> outputs;
  for (const TensorType& type : types.outputs)
    outputs.push_back(
        {type, std::vector<std::byte>(static_cast<std::size_t>(size_bytes(type)), std::byte{99})});
  std::vector<const void*> read;
  Pointers written;
  for (const TensorValue& input : inputs) read.push_back(input.bytes.data());
  for (TensorValue& output : outputs) written.push_back(output.bytes.data());
  for (const SharedPlace& place : shared)
    written[static_cast<std::size_t>(place.output)] =
        inputs[static_cast<std::size_t>(place.input)].bytes.data();
  const KernelCall call = entry_of(types.kind).kernel(types);
  std::vector<double> workspace(static_cast<std::size_t>(call.workspace_bytes) / sizeof(double) +
                                1);
  run(call, read, written, workspace.data());
  for (const SharedPlace& place : shared)
    outputs[static_cast<std::size_t>(place.output)].bytes =
        inputs[static_cast<std::size_t>(place.input)].bytes;
  return outputs;
}

bool is_like(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

}  // namespace

std::int64_t draw(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

TensorValue random_floats(Random& random, const Shape& shape, bool extremes) {
  std::vector<float> values(static_cast<std::size_t>(value_count(shape)));
  for (float& value : values)
    value =
        extremes && draw(random, 0, 40) == 0
            ? extreme(random)
            : static_cast<float>(draw(random, -(1 << 23), 1 << 23)) / static_cast<float>(1 << 23);
  return float_tensor(shape, values);
}

TensorValue random_integers(Random& random, ElementType element, const Shape& shape,
                            std::int64_t least, std::int64_t most) {
  const auto size = static_cast<std::size_t>(byte_size(element));
  TensorValue value{.type = {element, shape}};
  for (std::int64_t i = 0; i < value_count(shape); ++i) {
    const std::int64_t number = draw(random, least, most);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&number);
    value.bytes.insert(value.bytes.end(), bytes, bytes + size);
  }
  return value;
}

TensorValue zeros(const Shape& shape) {
  return float_tensor(shape, std::vector<float>(static_cast<std::size_t>(value_count(shape))));
}

std::vector<Range> random_cuts(Random& random, std::int64_t extent) {
  std::vector<Range> ranges;
  for (std::int64_t begin = 0; begin < extent; begin = ranges.back().end) {
    const std::int64_t most =
        draw(random, 0, 1) == 0 ? extent : std::max<std::int64_t>(extent / 3, 1);
    ranges.push_back({begin, std::min(extent, begin + draw(random, 1, most))});
  }
  return ranges;
}

TensorValue piece(const TensorValue& whole, std::size_t dimension, Range range) {
  const Around at = around(whole.type, dimension);
  POET_CHECK(range.begin >= 0 && range.begin < range.end &&
             range.end <= static_cast<std::int64_t>(at.extent));
  TensorValue result{.type = whole.type};
  result.type.shape[dimension] = range.end - range.begin;
  for (std::size_t i = 0; i < at.before; ++i) {
    const auto first =
        whole.bytes.begin() + static_cast<std::ptrdiff_t>(i * at.extent * at.behind_bytes);
    const auto step = static_cast<std::ptrdiff_t>(at.behind_bytes);
    result.bytes.insert(result.bytes.end(), first + range.begin * step, first + range.end * step);
  }
  return result;
}

TensorValue joined(const std::vector<TensorValue>& pieces, std::size_t dimension) {
  TensorValue result{.type = pieces[0].type};
  result.type.shape[dimension] = 0;
  for (const TensorValue& one : pieces) result.type.shape[dimension] += one.type.shape[dimension];
  const std::size_t before = around(result.type, dimension).before;
  for (std::size_t i = 0; i < before; ++i)
    for (const TensorValue& one : pieces) {
      const std::size_t step = one.bytes.size() / before;
      const auto first = one.bytes.begin() + static_cast<std::ptrdiff_t>(i * step);
      result.bytes.insert(result.bytes.end(), first, first + static_cast<std::ptrdiff_t>(step));
    }
  return result;
}

std::vector<TensorValue> made(Operator kind, const Attributes& attributes,
                              const std::vector<TensorValue>& inputs,
                              const std::vector<TensorType>& outputs) {
  OperationTypes types{.kind = kind, .attributes = attributes};
  for (const TensorValue& input : inputs) types.inputs.push_back(input.type);
  const OperatorEntry& entry = entry_of(kind);
  types.outputs = outputs;
  if (entry.output_types != nullptr) {
    const Result<std::vector<TensorType>> given = entry.output_types(types);
    if (!given.ok()) ADD_FAILURE() << entry.name << ": " << given.error().message;
    types.outputs = *given;
  }
  const std::vector<TensorValue> result = executed(types, inputs, {});
  for (const SharedPlace& place : entry.in_place) {
    if (static_cast<std::size_t>(place.input) >= inputs.size() ||
        static_cast<std::size_t>(place.output) >= types.outputs.size() ||
        size_bytes(types.inputs[static_cast<std::size_t>(place.input)]) !=
            size_bytes(types.outputs[static_cast<std::size_t>(place.output)]))
      continue;
    const std::vector<TensorValue> shared = executed(types, inputs, {place});
    for (std::size_t k = 0; k < result.size(); ++k)
      EXPECT_EQ(difference(shared[k], result[k]), "")
          << entry.name << ", output " << place.output << " in the place of " << place.input;
  }
  return result;
}

TensorValue one(Operator kind, const Attributes& attributes, const std::vector<TensorValue>& inputs,
                const std::vector<TensorType>& outputs) {
  return made(kind, attributes, inputs, outputs)[0];
}

std::vector<TensorValue> with(std::vector<TensorValue> inputs,
                              const std::vector<TensorValue>& more) {
  inputs.insert(inputs.end(), more.begin(), more.end());
  return inputs;
}

std::string difference(const TensorValue& a, const TensorValue& b) {
  if (a.type != b.type) return to_text(a.type) + " is not " + to_text(b.type);
  if (a.type.element != ElementType::Float32) return a.bytes == b.bytes ? "" : "other values";
  const std::vector<float> of_a = floats_of(a);
  const std::vector<float> of_b = floats_of(b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (!is_like(of_a[i], of_b[i]))
      return fmt::format("{} has {} at {}, not {}", to_text(a.type), of_a[i], i, of_b[i]);
  return "";
}

}  // namespace poet::testing
