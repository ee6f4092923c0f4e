#include "poet/parts/piece_values.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "poet/base/check.h"

namespace poet {
namespace {

// From a whole tensor's initial values, of which only whole steps can be had.
void copy_values(const Initial& whole, const TensorType& type, std::int64_t from_bytes,
                 std::span<std::byte> into) {
  constexpr auto kStep = static_cast<std::int64_t>(kInitialStepBytes);
  const std::int64_t begin = from_bytes / kStep * kStep;
  const auto before = static_cast<std::size_t>(from_bytes - begin);
  std::vector<std::byte> values(before + into.size());
  write_initial(whole, type, begin, values);
  std::memcpy(into.data(), values.data() + before, into.size());
}

Shape extents_of(const std::vector<Range>& ranges) {
  Shape shape;
  for (const Range& range : ranges) shape.push_back(range.extent());
  return shape;
}

}  // namespace

Initial initial_of_piece(const Initial& whole, const TensorType& type,
                         const std::vector<Range>& piece) {
  if (std::holds_alternative<FilledWith>(whole) || extents_of(piece) == type.shape) return whole;
  return WrittenBy{[whole, type, piece](std::int64_t offset_bytes, std::span<std::byte> into) {
    const std::int64_t size = byte_size(type.element);
    const std::int64_t end_bytes = offset_bytes + static_cast<std::int64_t>(into.size());
    for_each_run(type.shape, piece, [&](const RunOfValues& run) {
      const std::int64_t begin = std::max(run.in_piece * size, offset_bytes);
      const std::int64_t end = std::min((run.in_piece + run.count) * size, end_bytes);
      if (begin >= end) return;
      copy_values(whole, type, run.in_whole * size + begin - run.in_piece * size,
                  into.subspan(static_cast<std::size_t>(begin - offset_bytes),
                               static_cast<std::size_t>(end - begin)));
    });
  }};
}

}  // namespace poet
