#pragma once

#include <vector>

#include "poet/model/composer.h"

namespace poet {

// Recurrent networks go along the first dimension. Where it was put together of parts (by an
// earlier layer), those are used; otherwise it is cut in halves again and again, so that gradients,
// which are sums over what was cut off, take a multiple of log(extent) of the tensor's bytes and
// not of its extent.

// x[t] for every place of the first dimension, which stays with extent 1.
std::vector<TensorId> parts_along_first(Composer& to, TensorId x);

// Puts such parts together again.
TensorId joined_along_first(Composer& to, std::vector<TensorId> parts);

}  // namespace poet
