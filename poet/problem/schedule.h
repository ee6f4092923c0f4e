#pragma once

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

// One training step, as a flat list of actions. Every method returns this, and one verifier judges
// them all.
struct Schedule {
  std::vector<Action> actions = {};
  // Tensors with `may_be_resident` that this schedule keeps in RAM for the whole step; with each,
  // its new value.
  std::vector<TensorId> resident = {};

  bool operator==(const Schedule&) const = default;
};

}  // namespace poet
