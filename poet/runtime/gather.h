/* Picks slices along an axis by a list of indices; an embedding is this over the rows of a matrix.
 *
 * A negative index counts from the end. An index outside [-axis, axis) is not followed: it picks
 * bytes of zero, and its gradient is dropped. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_gather_shape {
  int32_t element_bytes; /* 1, 2, 4 or 8; read by forward only */
  int32_t outer;         /* product of the extents before the axis */
  int32_t axis;          /* extent of the axis */
  int32_t inner;         /* product of the extents after it */
  int32_t count;         /* number of indices */
} poet_gather_shape;

/* y (outer, count, inner)[o, i, :] = x (outer, axis, inner)[o, indices[i], :]. Not in place. */
void poet_gather_forward_i32(const poet_gather_shape* shape, const void* x, const int32_t* indices,
                             void* y);
void poet_gather_forward_i64(const poet_gather_shape* shape, const void* x, const int64_t* indices,
                             void* y);

/* dx (outer, axis, inner)[o, a, :] = sum of dy (outer, count, inner)[o, i, :] over the i with
 * indices[i] = a, ascending, beginning with 0. Not in place. */
void poet_gather_gradient_f32_i32(const poet_gather_shape* shape, const int32_t* indices,
                                  const float* dy, float* dx);
void poet_gather_gradient_f32_i64(const poet_gather_shape* shape, const int64_t* indices,
                                  const float* dy, float* dx);

/* The same with a block of the axis: x, or dx, has the places [begin, begin + axis) of `extent`;
 * indices mean places of the whole, and negative ones count from its end. */
typedef struct poet_gather_block_shape {
  int32_t element_bytes;
  int32_t outer;
  int32_t axis; /* extent of the block */
  int32_t inner;
  int32_t count;
  int32_t begin;
  int32_t extent;
} poet_gather_block_shape;

/* Places of y whose index lies in another block are those of `earlier`, of y's shape, or 0 where
 * that is NULL. y may be the same buffer as earlier. */
void poet_gather_block_i32(const poet_gather_block_shape* shape, const void* x,
                           const int32_t* indices, const void* earlier, void* y);
void poet_gather_block_i64(const poet_gather_block_shape* shape, const void* x,
                           const int64_t* indices, const void* earlier, void* y);

/* dx goes on from `sum`, of its shape, what earlier indices made, or from 0 where that is NULL.
 * Indices into other blocks are not looked at. dx may be the same buffer as sum. */
void poet_gather_gradient_block_f32_i32(const poet_gather_block_shape* shape,
                                        const int32_t* indices, const float* dy, const float* sum,
                                        float* dx);
void poet_gather_gradient_block_f32_i64(const poet_gather_block_shape* shape,
                                        const int64_t* indices, const float* dy, const float* sum,
                                        float* dx);

#ifdef __cplusplus
}
#endif
