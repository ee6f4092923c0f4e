#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/tensor_type.h"

namespace poet {

// A part of every example: what goes into one input of a network, or what should come out.
struct ExamplePart {
  std::string name = {};
  TensorType type = {};  // of one example: a batch has one dimension more, before these
  // Of labels and tokens: whole numbers from 0 on, less than this.
  std::optional<std::int64_t> value_limit = {};
  std::optional<std::int64_t> ignored_value = {};  // and this: a label that does not count

  bool operator==(const ExamplePart&) const = default;
};

// Examples to learn from, each with the same parts. Where they come from, and how much memory that
// takes, does not depend on how many there are. Reading one twice gives the same bytes.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::int64_t size() const = 0;  // examples; at least 1
  virtual const std::vector<ExamplePart>& parts() const = 0;

  // Writes part `part` of an example: size_bytes(parts()[part].type) bytes, values in row-major
  // order; `into` is aligned for them. Allocates nothing. Refuses what cannot be read.
  virtual Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const = 0;
};

}  // namespace poet
