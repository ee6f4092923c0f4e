#pragma once

#include <optional>

#include "poet/model/composer.h"

// What a time step of recurrent layers is made of.

namespace poet {

// x W^T, added to `plus`: a bias, or what another product brought.
TensorId row_product(Composer& to, TensorId x, TensorId weights, std::optional<TensorId> plus);

// Gates after their activations.
struct LstmGates {
  TensorId in{};
  TensorId forget{};
  TensorId candidate{};
};
// forget * before + in * candidate: the cell of S. Hochreiter, J. Schmidhuber, "Long short-term
// memory" (Neural Computation 1997) with the gate that F. Gers et al. (2000) let it forget by.
TensorId next_cell(Composer& to, const LstmGates& gates, TensorId before);

}  // namespace poet
