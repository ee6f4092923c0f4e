/* Changes the type of numbers: x (count) -> y (count).
 *
 * From float: towards zero; what does not fit becomes the nearest number that does, NaN becomes 0.
 * To float: to nearest, ties to even. i64 to i32: what does not fit becomes the nearest that does.
 * To bool: 1 for everything but 0 (NaN is 1). A bool is a byte, 0 or 1, and is cast from as u8.
 * In place: y may be the same buffer as x if both types have the same size. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_cast_shape {
  int32_t count;
} poet_cast_shape;

void poet_cast_forward_f32_to_i32(const poet_cast_shape* shape, const float* x, int32_t* y);
void poet_cast_forward_f32_to_i64(const poet_cast_shape* shape, const float* x, int64_t* y);
void poet_cast_forward_f32_to_u8(const poet_cast_shape* shape, const float* x, uint8_t* y);
void poet_cast_forward_f32_to_bool(const poet_cast_shape* shape, const float* x, uint8_t* y);

void poet_cast_forward_i32_to_f32(const poet_cast_shape* shape, const int32_t* x, float* y);
void poet_cast_forward_i64_to_f32(const poet_cast_shape* shape, const int64_t* x, float* y);
void poet_cast_forward_u8_to_f32(const poet_cast_shape* shape, const uint8_t* x, float* y);
void poet_cast_forward_i32_to_i64(const poet_cast_shape* shape, const int32_t* x, int64_t* y);
void poet_cast_forward_i64_to_i32(const poet_cast_shape* shape, const int64_t* x, int32_t* y);

#ifdef __cplusplus
}
#endif
