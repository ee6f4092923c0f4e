/* The largest values along an axis, or the smallest, and their places. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x (outer, axis, inner) -> values and places (outer, count, inner), count <= axis. */
typedef struct poet_top_k_shape {
  int32_t outer;
  int32_t axis;
  int32_t inner;
  int32_t count;
  int32_t largest; /* 1, or 0: the smallest */
} poet_top_k_shape;

/* In their order: from the largest on, or from the smallest; of equal values the one whose place is
 * lower comes first. NaN is larger than every number. Not in place. */
void poet_top_k_forward_f32(const poet_top_k_shape* shape, const float* x, float* values,
                            int64_t* places);

/* x (outer, axis, inner) -> places (outer, 1, inner). */
typedef struct poet_arg_shape {
  int32_t element_bytes; /* of x: 4 or 8 */
  int32_t outer;
  int32_t axis;
  int32_t inner;
  int32_t last; /* of equal values the place of the last; 0: of the first */
} poet_arg_shape;

/* Where the largest value stands, or the smallest. A NaN is taken for it. */
void poet_arg_max_forward_f32(const poet_arg_shape* shape, const float* x, int64_t* places);
void poet_arg_max_forward_i32(const poet_arg_shape* shape, const int32_t* x, int64_t* places);
void poet_arg_max_forward_i64(const poet_arg_shape* shape, const int64_t* x, int64_t* places);
void poet_arg_min_forward_f32(const poet_arg_shape* shape, const float* x, int64_t* places);
void poet_arg_min_forward_i32(const poet_arg_shape* shape, const int32_t* x, int64_t* places);
void poet_arg_min_forward_i64(const poet_arg_shape* shape, const int64_t* x, int64_t* places);

#ifdef __cplusplus
}
#endif
