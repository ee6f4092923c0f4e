#include "poet/runtime/gather.h"

#include <stddef.h>
#include <string.h>

/* Indices of either type; the other pointer is NULL. */
typedef struct index_list {
  const int32_t* narrow;
  const int64_t* wide;
} index_list;

/* All of the axis as its only block. */
static poet_gather_block_shape whole(const poet_gather_shape* shape) {
  const poet_gather_block_shape block = {
      shape->element_bytes, shape->outer, shape->axis, shape->inner, shape->count, 0, shape->axis};
  return block;
}

/* The place along the block that index i means, or -1 for none. */
static ptrdiff_t place_of(const poet_gather_block_shape* shape, index_list indices, int32_t i) {
  const int64_t index = indices.narrow ? indices.narrow[i] : indices.wide[i];
  if (index < -(int64_t)shape->extent || index >= shape->extent) return -1;
  const int64_t place = (index < 0 ? index + shape->extent : index) - shape->begin;
  return place < shape->axis ? (ptrdiff_t)place : -1;
}

static void gather(const poet_gather_block_shape* shape, const void* x, index_list indices,
                   const void* earlier, void* y) {
  const size_t slice_bytes = (size_t)shape->inner * (size_t)shape->element_bytes;
  const size_t bytes = (size_t)shape->outer * (size_t)shape->count * slice_bytes;
  const char* from = x;
  char* to = y;
  if (earlier && earlier != y) memcpy(y, earlier, bytes);
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    for (int32_t i = 0; i < shape->count; ++i) {
      const ptrdiff_t place = place_of(shape, indices, i);
      if (place >= 0)
        memcpy(to, from + (size_t)place * slice_bytes, slice_bytes);
      else if (!earlier)
        memset(to, 0, slice_bytes);
      to += slice_bytes;
    }
    from += (size_t)shape->axis * slice_bytes;
  }
}

void poet_gather_forward_i32(const poet_gather_shape* shape, const void* x, const int32_t* indices,
                             void* y) {
  const poet_gather_block_shape block = whole(shape);
  poet_gather_block_i32(&block, x, indices, NULL, y);
}

void poet_gather_forward_i64(const poet_gather_shape* shape, const void* x, const int64_t* indices,
                             void* y) {
  const poet_gather_block_shape block = whole(shape);
  poet_gather_block_i64(&block, x, indices, NULL, y);
}

void poet_gather_block_i32(const poet_gather_block_shape* shape, const void* x,
                           const int32_t* indices, const void* earlier, void* y) {
  const index_list list = {indices, NULL};
  gather(shape, x, list, earlier, y);
}

void poet_gather_block_i64(const poet_gather_block_shape* shape, const void* x,
                           const int64_t* indices, const void* earlier, void* y) {
  const index_list list = {NULL, indices};
  gather(shape, x, list, earlier, y);
}

static void scatter(const poet_gather_block_shape* shape, index_list indices, const float* dy,
                    const float* sum, float* dx) {
  const int32_t inner = shape->inner;
  const size_t block = (size_t)shape->axis * (size_t)inner;
  const size_t bytes = (size_t)shape->outer * block * sizeof(float);
  if (!sum)
    memset(dx, 0, bytes);
  else if (sum != dx)
    memcpy(dx, sum, bytes);
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
  const poet_gather_block_shape block = whole(shape);
  poet_gather_gradient_block_f32_i32(&block, indices, dy, NULL, dx);
}

void poet_gather_gradient_f32_i64(const poet_gather_shape* shape, const int64_t* indices,
                                  const float* dy, float* dx) {
  const poet_gather_block_shape block = whole(shape);
  poet_gather_gradient_block_f32_i64(&block, indices, dy, NULL, dx);
}

void poet_gather_gradient_block_f32_i32(const poet_gather_block_shape* shape,
                                        const int32_t* indices, const float* dy, const float* sum,
                                        float* dx) {
  const index_list list = {indices, NULL};
  scatter(shape, list, dy, sum, dx);
}

void poet_gather_gradient_block_f32_i64(const poet_gather_block_shape* shape,
                                        const int64_t* indices, const float* dy, const float* sum,
                                        float* dx) {
  const index_list list = {NULL, indices};
  scatter(shape, list, dy, sum, dx);
}
