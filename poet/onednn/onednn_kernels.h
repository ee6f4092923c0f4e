#pragma once

#include <memory>

#include "poet/base/result.h"
#include "poet/kernels/kernel_set.h"

namespace poet {

// What products of matrices and convolutions multiply. Bfloat16 has the upper 16 bits of a float32:
// factors are rounded to that in the workspace, then multiplied and added up in float32. Everything
// that is kept (values, gradients, parameters) stays float32.
enum class Factors { Float32, Bfloat16 };

// The kernels of the library oneDNN, on so many threads (>= 1), for what dominates the time of
// networks; everything else goes to reference_kernels() with as many threads.
//
// Values are plain tensors, row by row, before and after every operation. Where oneDNN is faster in
// a format of its own, the operation brings its tensors into that format in its workspace, which
// workspace_bytes() counts, as it counts oneDNN's own scratchpads.
//
// Results differ from the reference kernels' in the last bits, and between processors and numbers
// of threads; on one machine with one number of threads they are the same every time.
//
// Refuses when POET was built without oneDNN, and bfloat16 where the processor has no instructions
// for it: oneDNN would take longer than without.
Result<std::unique_ptr<KernelSet>> onednn_kernels(int threads, Factors factors = Factors::Float32);

}  // namespace poet
