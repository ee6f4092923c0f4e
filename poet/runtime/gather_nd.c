#include "poet/runtime/gather_nd.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/index_list.h"

/* Slices of x in one of the batch. */
static size_t slices(const poet_gather_nd_shape* shape) {
  size_t count = 1;
  for (int32_t d = 0; d < shape->width; ++d) count *= (size_t)shape->extents[d];
  return count;
}

/* The slice of x that pick i of all means, or -1. */
static ptrdiff_t slice_of(const poet_gather_nd_shape* shape, const void* indices, size_t i) {
  ptrdiff_t slice = (ptrdiff_t)(i / (size_t)shape->picks);
  for (int32_t d = 0; d < shape->width; ++d) {
    const int32_t extent = shape->extents[d];
    const ptrdiff_t place =
        poet_place_of(indices, shape->index_bytes, i * (size_t)shape->width + (size_t)d, extent);
    if (place < 0) return -1;
    slice = slice * extent + place;
  }
  return slice;
}

void poet_gather_nd_forward(const poet_gather_nd_shape* shape, const void* x, const void* indices,
                            void* y) {
  const size_t bytes = (size_t)shape->inner * (size_t)shape->element_bytes;
  const size_t count = (size_t)shape->batch * (size_t)shape->picks;
  char* to = y;
  for (size_t i = 0; i < count; ++i, to += bytes) {
    const ptrdiff_t slice = slice_of(shape, indices, i);
    if (slice < 0)
      memset(to, 0, bytes);
    else
      memcpy(to, (const char*)x + (size_t)slice * bytes, bytes);
  }
}

void poet_gather_nd_gradient_f32(const poet_gather_nd_shape* shape, const void* indices,
                                 const float* dy, float* dx) {
  const size_t inner = (size_t)shape->inner;
  const size_t count = (size_t)shape->batch * (size_t)shape->picks;
  memset(dx, 0, (size_t)shape->batch * slices(shape) * inner * sizeof(float));
  for (size_t i = 0; i < count; ++i, dy += inner) {
    const ptrdiff_t slice = slice_of(shape, indices, i);
    if (slice < 0) continue;
    float* const to = dx + (size_t)slice * inner;
    for (size_t j = 0; j < inner; ++j) to[j] += dy[j];
  }
}
