#include "poet/runtime/gather.h"

#include <stddef.h>
#include <string.h>

/* Indices of either type; the other pointer is NULL. */
typedef struct index_list {
  const int32_t* narrow;
  const int64_t* wide;
} index_list;

/* The place along the axis that index i means, or -1 for none. */
static ptrdiff_t place_of(const poet_gather_shape* shape, index_list indices, int32_t i) {
  const int64_t index = indices.narrow ? indices.narrow[i] : indices.wide[i];
  if (index < -(int64_t)shape->axis || index >= shape->axis) return -1;
  return (ptrdiff_t)(index < 0 ? index + shape->axis : index);
}

static void gather(const poet_gather_shape* shape, const void* x, index_list indices, void* y) {
  const size_t slice_bytes = (size_t)shape->inner * (size_t)shape->element_bytes;
  const char* from = x;
  char* to = y;
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    for (int32_t i = 0; i < shape->count; ++i) {
      const ptrdiff_t place = place_of(shape, indices, i);
      if (place < 0)
        memset(to, 0, slice_bytes);
      else
        memcpy(to, from + (size_t)place * slice_bytes, slice_bytes);
      to += slice_bytes;
    }
    from += (size_t)shape->axis * slice_bytes;
  }
}

void poet_gather_forward_i32(const poet_gather_shape* shape, const void* x, const int32_t* indices,
                             void* y) {
  const index_list list = {indices, NULL};
  gather(shape, x, list, y);
}

void poet_gather_forward_i64(const poet_gather_shape* shape, const void* x, const int64_t* indices,
                             void* y) {
  const index_list list = {NULL, indices};
  gather(shape, x, list, y);
}

static void scatter(const poet_gather_shape* shape, index_list indices, const float* dy,
                    float* dx) {
  const int32_t inner = shape->inner;
  const size_t block = (size_t)shape->axis * (size_t)inner;
  memset(dx, 0, (size_t)shape->outer * block * sizeof(float));
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    for (int32_t i = 0; i < shape->count; ++i) {
      const ptrdiff_t place = place_of(shape, indices, i);
      if (place >= 0) {
        float* to = dx + place * inner;
        for (int32_t j = 0; j < inner; ++j) to[j] += dy[j];
      }
      dy += inner;
    }
    dx += block;
  }
}

void poet_gather_gradient_f32_i32(const poet_gather_shape* shape, const int32_t* indices,
                                  const float* dy, float* dx) {
  const index_list list = {indices, NULL};
  scatter(shape, list, dy, dx);
}

void poet_gather_gradient_f32_i64(const poet_gather_shape* shape, const int64_t* indices,
                                  const float* dy, float* dx) {
  const index_list list = {NULL, indices};
  scatter(shape, list, dy, dx);
}
