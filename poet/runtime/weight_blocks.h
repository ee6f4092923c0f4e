/* Weights in blocks of few bits (docs/formats/quantised.md), decoded to float.
 *
 * blocks (rows, blocks of a row, bytes of a block) -> y (rows, columns): a row has `block` values
 * in each block, the last of which may be short. A block begins with its scale, a float16 whose low
 * byte comes first; `block` whole numbers follow:
 *   i8: a byte each, two's complement;
 *   i4: 4 bits each, 8 more than the number. Byte k has number k in its low half and number
 *       k + block / 2 in its high half.
 * y = scale number, which is exact. Not in place. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_weight_blocks_shape {
  int32_t rows;
  int32_t columns;   /* values of a row */
  int32_t block;     /* values of a block, even */
  int32_t row_bytes; /* of all blocks of a row */
} poet_weight_blocks_shape;

void poet_decode_blocks_i8(const poet_weight_blocks_shape* shape, const uint8_t* blocks, float* y);
void poet_decode_blocks_i4(const poet_weight_blocks_shape* shape, const uint8_t* blocks, float* y);

#ifdef __cplusplus
}
#endif
