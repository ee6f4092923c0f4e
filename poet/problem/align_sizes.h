#pragma once

#include <cstdint>

#include "poet/problem/problem.h"

namespace poet {

// Rounds the size of every tensor and workspace up to a multiple of `alignment_bytes` (a power of
// two), as a problem must be that is going to be laid out and run: buffers then begin at multiples
// of it without gaps, so that a layout can keep what the schedule's peak promises. Costs stay, but
// for those of reading and writing a further memory, which are of whole buffers.
void align_sizes(Problem& problem, std::int64_t alignment_bytes);

}  // namespace poet
