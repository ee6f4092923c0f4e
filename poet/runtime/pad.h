/* Adds a margin around a tensor, or cuts one off, and takes it back. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum poet_pad_mode {
  POET_PAD_CONSTANT = 0, /* `value` outside; margins may be negative, which cuts */
  POET_PAD_EDGE = 1,     /* the nearest element of x; margins are 0 or more */
  POET_PAD_REFLECT = 2 /* mirrored at the outermost element, which is not repeated; margins are less
                        * than the extent */
};

typedef struct poet_pad_shape {
  int32_t mode;         /* enum poet_pad_mode */
  int32_t rank;         /* 1 to 8 */
  int32_t x_extents[8]; /* 1 or more */
  int32_t before[8];    /* margin at the begin of each axis */
  int32_t after[8];     /* and at its end; y's extents are before + x_extents + after, 1 or more */
  float value;
} poet_pad_shape;

/* x (x_extents), y (before + x_extents + after), both dense. Not in place. */
void poet_pad_forward_f32(const poet_pad_shape* shape, const float* x, float* y);

/* dx[i] = sum of dy[j] over the j to which forward copies x[i], j in row-major order, beginning
 * with 0. Not in place. */
void poet_pad_gradient_f32(const poet_pad_shape* shape, const float* dy, float* dx);

#ifdef __cplusplus
}
#endif
