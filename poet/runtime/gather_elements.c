#include "poet/runtime/gather_elements.h"

#include <stddef.h>
#include <string.h>

#include "poet/runtime/index_list.h"

static size_t values_of_x(const poet_elements_shape* shape) {
  return (size_t)shape->outer * (size_t)shape->axis * (size_t)shape->inner;
}

/* How many values of x stand before those of `outer`. */
static size_t before(const poet_elements_shape* shape, int32_t outer) {
  return (size_t)outer * (size_t)shape->axis * (size_t)shape->inner;
}

static size_t picks(const poet_elements_shape* shape) {
  return (size_t)shape->count * (size_t)shape->inner;
}

/* Among the values of one `outer`: the one that pick k of it means, or -1. */
static ptrdiff_t value_of(const poet_elements_shape* shape, const void* indices, int32_t outer,
                          size_t k) {
  const ptrdiff_t place =
      poet_place_of(indices, shape->index_bytes, (size_t)outer * picks(shape) + k, shape->axis);
  if (place < 0) return -1;
  return place * shape->inner + (ptrdiff_t)(k % (size_t)shape->inner);
}

void poet_gather_elements_forward(const poet_elements_shape* shape, const void* x,
                                  const void* indices, void* y) {
  const size_t bytes = (size_t)shape->element_bytes;
  char* to = y;
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    const char* const from = (const char*)x + before(shape, outer) * bytes;
    for (size_t k = 0; k < picks(shape); ++k, to += bytes) {
      const ptrdiff_t value = value_of(shape, indices, outer, k);
      if (value < 0)
        memset(to, 0, bytes);
      else
        memcpy(to, from + (size_t)value * bytes, bytes);
    }
  }
}

/* y goes on from what it holds. */
static void add_picks(const poet_elements_shape* shape, const void* indices, const float* updates,
                      float* y) {
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    float* const to = y + before(shape, outer);
    for (size_t k = 0; k < picks(shape); ++k) {
      const ptrdiff_t value = value_of(shape, indices, outer, k);
      if (value >= 0) to[value] += updates[k];
    }
    updates += picks(shape);
  }
}

void poet_gather_elements_gradient_f32(const poet_elements_shape* shape, const void* indices,
                                       const float* dy, float* dx) {
  memset(dx, 0, values_of_x(shape) * sizeof(float));
  add_picks(shape, indices, dy, dx);
}

void poet_scatter_elements_forward(const poet_elements_shape* shape, const void* x,
                                   const void* indices, const void* updates, void* y) {
  const size_t bytes = (size_t)shape->element_bytes;
  const char* from = updates;
  if (y != x) memcpy(y, x, values_of_x(shape) * bytes);
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    char* const to = (char*)y + before(shape, outer) * bytes;
    for (size_t k = 0; k < picks(shape); ++k, from += bytes) {
      const ptrdiff_t value = value_of(shape, indices, outer, k);
      if (value >= 0) memcpy(to + (size_t)value * bytes, from, bytes);
    }
  }
}

void poet_scatter_elements_add_forward_f32(const poet_elements_shape* shape, const float* x,
                                           const void* indices, const float* updates, float* y) {
  if (y != x) memcpy(y, x, values_of_x(shape) * sizeof(float));
  add_picks(shape, indices, updates, y);
}

void poet_scatter_elements_kept_gradient_f32(const poet_elements_shape* shape, const void* indices,
                                             const float* dy, float* dx) {
  if (dx != dy) memcpy(dx, dy, values_of_x(shape) * sizeof(float));
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    for (size_t k = 0; k < picks(shape); ++k) {
      const ptrdiff_t value = value_of(shape, indices, outer, k);
      if (value >= 0) dx[before(shape, outer) + (size_t)value] = 0.0f;
    }
  }
}

void poet_scatter_elements_update_gradient_f32(const poet_elements_shape* shape,
                                               const void* indices, const float* dy, float* du,
                                               void* workspace) {
  uint8_t* const is_taken = workspace;
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    memset(is_taken, 0, before(shape, 1));
    for (size_t k = picks(shape); k-- > 0;) {
      const ptrdiff_t value = value_of(shape, indices, outer, k);
      const int is_last = value >= 0 && !is_taken[value];
      du[(size_t)outer * picks(shape) + k] =
          is_last ? dy[before(shape, outer) + (size_t)value] : 0.0f;
      if (is_last) is_taken[value] = 1;
    }
  }
}
