/* Comparisons and logic, with broadcasting as in poet/runtime/broadcast.h. A truth value is a byte,
 * 0 or 1; any byte but 0 is read as true. A comparison with NaN is false. */
#pragma once

#include <stdint.h>

#include "poet/runtime/broadcast.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = (a = b) */
void poet_equal_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                            uint8_t* y);
void poet_equal_forward_i64(const poet_broadcast_shape* shape, const int64_t* a, const int64_t* b,
                            uint8_t* y);

/* y = (a < b) */
void poet_less_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                           uint8_t* y);
void poet_less_forward_i64(const poet_broadcast_shape* shape, const int64_t* a, const int64_t* b,
                           uint8_t* y);

/* y = (a <= b) */
void poet_less_or_equal_forward_f32(const poet_broadcast_shape* shape, const float* a,
                                    const float* b, uint8_t* y);
void poet_less_or_equal_forward_i64(const poet_broadcast_shape* shape, const int64_t* a,
                                    const int64_t* b, uint8_t* y);

/* y = (a > b) */
void poet_greater_forward_f32(const poet_broadcast_shape* shape, const float* a, const float* b,
                              uint8_t* y);
void poet_greater_forward_i64(const poet_broadcast_shape* shape, const int64_t* a, const int64_t* b,
                              uint8_t* y);

/* y = (a >= b) */
void poet_greater_or_equal_forward_f32(const poet_broadcast_shape* shape, const float* a,
                                       const float* b, uint8_t* y);
void poet_greater_or_equal_forward_i64(const poet_broadcast_shape* shape, const int64_t* a,
                                       const int64_t* b, uint8_t* y);

/* Of truth values. In place: y may be the same buffer as an operand that is dense in y's shape. */
void poet_and_forward_u8(const poet_broadcast_shape* shape, const uint8_t* a, const uint8_t* b,
                         uint8_t* y);
void poet_or_forward_u8(const poet_broadcast_shape* shape, const uint8_t* a, const uint8_t* b,
                        uint8_t* y);

typedef struct poet_not_shape {
  int32_t count;
} poet_not_shape;

/* x (count), y (count), which may be the same buffer: y = 1 where x is 0, otherwise 0. */
void poet_not_forward_u8(const poet_not_shape* shape, const uint8_t* x, uint8_t* y);

#ifdef __cplusplus
}
#endif
