/* Indices of either type. For the sources of this room. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The place among `extent` that index i means, or -1 for none. */
static inline ptrdiff_t poet_place_of(const void* indices, int32_t index_bytes, size_t i,
                                      int32_t extent) {
  const int64_t index =
      index_bytes == 4 ? ((const int32_t*)indices)[i] : ((const int64_t*)indices)[i];
  if (index < -(int64_t)extent || index >= extent) return -1;
  return (ptrdiff_t)(index < 0 ? index + extent : index);
}
