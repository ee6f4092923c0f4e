#include "poet/runtime/weight_blocks.h"

#include <stddef.h>

#include "poet/runtime/float_bits.h"

enum { SCALE_BYTES = 2 };

/* A float16: 1 bit of sign, 5 of exponent with bias 15, 10 of fraction. */
static float scale_at(const uint8_t* block) {
  const uint32_t half = (uint32_t)block[0] | (uint32_t)block[1] << 8;
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = half >> 10 & 0x1fu;
  const uint32_t fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float size = (float)(int32_t)fraction * poet_power_of_two(-24);
    return sign ? -size : size;
  }
  return poet_float_of(sign | (exponent == 0x1fu ? 0xffu : exponent + (127 - 15)) << 23 |
                       fraction << 13);
}

static void decode_i8(const uint8_t* block, int32_t values, float* y) {
  const float scale = scale_at(block);
  const int8_t* numbers = (const int8_t*)(block + SCALE_BYTES);
  for (int32_t k = 0; k < values; ++k) y[k] = scale * (float)numbers[k];
}

/* The low halves, and then the high ones: `values` of both together. */
static void decode_i4(const uint8_t* block, int32_t half, int32_t values, float* y) {
  const float scale = scale_at(block);
  const uint8_t* pairs = block + SCALE_BYTES;
  const int32_t low = values < half ? values : half;
  for (int32_t k = 0; k < low; ++k) y[k] = scale * (float)((int32_t)(pairs[k] & 15u) - 8);
  for (int32_t k = 0; k < values - half; ++k)
    y[half + k] = scale * (float)((int32_t)(pairs[k] >> 4) - 8);
}

/* The values of the block that begins with `column`. */
static int32_t values_of(const poet_weight_blocks_shape* shape, int32_t column) {
  const int32_t left = shape->columns - column;
  return left < shape->block ? left : shape->block;
}

void poet_decode_blocks_i8(const poet_weight_blocks_shape* shape, const uint8_t* blocks, float* y) {
  for (int32_t row = 0; row < shape->rows; ++row) {
    const uint8_t* block = blocks + (size_t)row * (size_t)shape->row_bytes;
    float* to = y + (size_t)row * (size_t)shape->columns;
    for (int32_t column = 0; column < shape->columns; column += shape->block) {
      decode_i8(block, values_of(shape, column), to + column);
      block += SCALE_BYTES + shape->block;
    }
  }
}

void poet_decode_blocks_i4(const poet_weight_blocks_shape* shape, const uint8_t* blocks, float* y) {
  for (int32_t row = 0; row < shape->rows; ++row) {
    const uint8_t* block = blocks + (size_t)row * (size_t)shape->row_bytes;
    float* to = y + (size_t)row * (size_t)shape->columns;
    for (int32_t column = 0; column < shape->columns; column += shape->block) {
      decode_i4(block, shape->block / 2, values_of(shape, column), to + column);
      block += SCALE_BYTES + shape->block / 2;
    }
  }
}
