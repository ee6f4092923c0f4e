#pragma once

#include <optional>
#include <vector>

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

// Recurrent networks go along the first dimension. Where it was put together of parts (by an
// earlier layer), those are used; otherwise it is cut in halves again and again, so that gradients,
// which are sums over what was cut off, take a multiple of log(extent) of the tensor's bytes and
// not of its extent.

// x[t] for every place of the first dimension, which stays with extent 1.
std::vector<TensorId> parts_along_first(Composer& to, TensorId x);

// Puts such parts together again.
TensorId joined_along_first(Composer& to, std::vector<TensorId> parts);

}  // namespace poet
