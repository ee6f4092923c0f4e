#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "poet/base/result.h"
#include "poet/graph/tensor_type.h"
#include "poet/model/initial.h"

namespace poet {

using PieceSink =
    std::function<Failure(std::int64_t offset_bytes, std::span<const std::byte> values)>;

// Gives `take` the initial values of a tensor piece by piece, in order, each as large as `buffer`
// but for the last, and stops at its first failure. They are made in the buffer, whose size is a
// multiple of kInitialStepBytes unless it holds all of them.
Failure for_each_piece(const Initial& initial, const TensorType& type, std::span<std::byte> buffer,
                       const PieceSink& take);

}  // namespace poet
