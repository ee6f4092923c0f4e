#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "poet/graph/tensor_type.h"

namespace poet {

// [begin, end)
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t extent() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// What a tensor holds of another, by whose name it is known outside of a step.
struct TensorPiece {
  std::string whole = {};
  TensorType type = {};            // of the whole
  std::vector<Range> values = {};  // of each dimension

  bool operator==(const TensorPiece&) const = default;
};

// Values that follow each other both in a tensor and in a piece of it.
struct RunOfValues {
  std::int64_t in_whole = 0;  // the first of them, counted row by row
  std::int64_t in_piece = 0;
  std::int64_t count = 0;

  bool operator==(const RunOfValues&) const = default;
};

// All of a piece, in its order; as few runs as there are.
void for_each_run(const Shape& whole, const std::vector<Range>& piece,
                  const std::function<void(const RunOfValues&)>& visit);

}  // namespace poet
