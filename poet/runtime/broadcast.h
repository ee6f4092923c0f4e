/* Functions of two numbers, element by element, where an operand may be repeated along some axes,
 * and the gradients of each operand, summed over the axes along which it was repeated.
 *
 * Forward: y[i] = f(a[i . a_strides], b[i . b_strides]) for every index i. In place: y may be the
 * same buffer as an operand that is dense in y's shape.
 *
 * Gradients: for every kept index k, d[k] = sum over the summed indices s, in row-major order, the
 * first term not added to anything, of term(dy[k . dy_kept + s . dy_summed], a[...], b[...]). No
 * buffer of y's size is made. In place: d may be the same buffer as an input if nothing is summed
 * and that input is dense in d's shape. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_broadcast_shape {
  int32_t rank;         /* 1 to 8 */
  int32_t extents[8];   /* of y, which is dense, row-major; 1 or more */
  int32_t a_strides[8]; /* in elements; 0 along an axis where a is repeated */
  int32_t b_strides[8];
} poet_broadcast_shape;

/* The gradient d of one operand: its axes are the kept ones of y; over the others it sums. */
typedef struct poet_broadcast_gradient_shape {
  int32_t kept_rank;         /* 0 to 8; 0: d is one number */
  int32_t summed_rank;       /* 0 to 8; 0: nothing is summed */
  int32_t kept_extents[8];   /* of d, which is dense, row-major; 1 or more */
  int32_t summed_extents[8]; /* 1 or more */
  int32_t dy_kept_strides[8];
  int32_t dy_summed_strides[8];
  int32_t a_kept_strides[8];
  int32_t a_summed_strides[8];
  int32_t b_kept_strides[8];
  int32_t b_summed_strides[8];
} poet_broadcast_gradient_shape;

/* y = a + b */
void poet_add_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* y = a - b */
void poet_sub_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* y = a b */
void poet_mul_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* Of whole numbers; what does not fit in 64 bits wraps. */
void poet_add_forward_i64(const poet_broadcast_shape* shape, const int64_t* a, const int64_t* b,
                          int64_t* y);
void poet_sub_forward_i64(const poet_broadcast_shape* shape, const int64_t* a, const int64_t* b,
                          int64_t* y);
void poet_mul_forward_i64(const poet_broadcast_shape* shape, const int64_t* a, const int64_t* b,
                          int64_t* y);

/* y = a / b */
void poet_div_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* y = a^b */
void poet_pow_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* y = a > b ? a : b; NaN where either is */
void poet_max_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* y = a < b ? a : b; NaN where either is */
void poet_min_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                          float* y);

/* Of either operand of add, and of the first of sub: d = sum dy. The strides of a and b are not
 * read. */
void poet_add_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy, float* d);

/* Of the second operand of sub: d = sum -dy. The strides of a and b are not read. */
void poet_sub_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy, float* d);

/* Of one operand of mul; b is the other: d = sum dy b. The strides of a are not read. */
void poet_mul_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                           const float* b, float* d);

/* Of a in a / b: d = sum dy / b. The strides of a are not read. */
void poet_div_a_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* b, float* d);

/* Of b in a / b: d = sum -dy (a / b) / b. */
void poet_div_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* a, const float* b, float* d);

/* Of a in a^b: d = sum dy b a^(b - 1), 0 where b is 0. */
void poet_pow_a_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* a, const float* b, float* d);

/* Of b in a^b: d = sum dy a^b log a, 0 where a is 0 and b is not negative. */
void poet_pow_b_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                             const float* a, const float* b, float* d);

/* Of one operand, a, of max; b is the other: d = sum dy (1 where a > b, 1/2 where a = b, otherwise
 * 0). */
void poet_max_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                           const float* a, const float* b, float* d);

/* Of one operand, a, of min; b is the other: d = sum dy (1 where a < b, 1/2 where a = b, otherwise
 * 0). */
void poet_min_gradient_f32(const poet_broadcast_gradient_shape* shape, const float* dy,
                           const float* a, const float* b, float* d);

#ifdef __cplusplus
}
#endif
