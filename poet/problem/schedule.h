#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "poet/base/ids.h"

namespace poet {

// The four things that a schedule can do. Tensors are named by their root: a view is moved and
// dropped as its root.
struct Compute {
  OperationId operation{};
  bool operator==(const Compute&) const = default;
};
struct PageOut {  // copy from RAM to storage; the tensor stays in RAM
  TensorId tensor{};
  bool operator==(const PageOut&) const = default;
};
struct PageIn {  // copy from storage to RAM
  TensorId tensor{};
  bool operator==(const PageIn&) const = default;
};
struct Drop {  // free the RAM; a copy in storage stays
  TensorId tensor{};
  bool operator==(const Drop&) const = default;
};

using Action = std::variant<Compute, PageOut, PageIn, Drop>;

// That a buffer lies in a further memory: the one that an action takes for a tensor, or, without an
// action, that of a resident. What is not placed lies in the RAM of the budget.
struct PlacedBuffer {
  TensorId tensor{};
  std::optional<std::int64_t> action = {};  // its position: a Compute that makes it, or a PageIn
  MemoryId memory{};

  bool operator==(const PlacedBuffer&) const = default;
};

// One training step, as a flat list of actions. Every method returns this, and one verifier judges
// them all.
struct Schedule {
  std::vector<Action> actions = {};
  // Tensors with `may_be_resident` that this schedule keeps in RAM for the whole step; with each,
  // its new value.
  std::vector<TensorId> resident = {};
  std::vector<PlacedBuffer> placed = {};  // each buffer at most once

  bool operator==(const Schedule&) const = default;
};

}  // namespace poet
