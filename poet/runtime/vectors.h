/* Vectors of the processor, where every one that this may be compiled for has them; boards do
 * without. For the sources of this room: what is computed does not depend on it. */
#pragma once

#if defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__))
#define POET_VECTORS 1
/* At any address of a float. */
typedef float poet_four_lanes __attribute__((vector_size(16), aligned(4), may_alias));
#endif
