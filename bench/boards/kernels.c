/* What kernels take on an emulated board: `kernels` builds this with those of a tree. For each case
 * it prints the instructions for a hundred multiply-adds, in base 16 as numbers on a board's
 * console are, and a hash of the result's bits. */
#include <string.h>

#include "poet/boards/firmware/clock.h"
#include "poet/boards/firmware/console.h"
#include "poet/runtime/conv.h"
#include "poet/runtime/matmul.h"

#if defined(__ARM_FP)
enum { MOST_VALUES = 65536 };
#else
enum { MOST_VALUES = 8192 };
#endif

static float x[MOST_VALUES], w[MOST_VALUES], dy[MOST_VALUES], out[MOST_VALUES];
static uint64_t instructions, products; /* of a network */
static uint32_t began;

static void fill(uint32_t state, float* values) {
  for (int32_t i = 0; i < MOST_VALUES; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
  }
}

static uint32_t bits_of(int32_t count) {
  uint32_t hash = 2166136261u;
  for (int32_t i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, out + i, sizeof bits);
    hash = (hash ^ bits) * 16777619u;
  }
  return hash;
}

static void begin(void) {
  began = board_clock_ticks();
}

/* 64 ns for each instruction, at 25 MHz. */
static void end(const char* what, int32_t made, int32_t multiplied) {
  const uint64_t taken = (uint64_t)(board_clock_ticks() - began) * 10u / 16u;
  instructions += taken;
  products += (uint64_t)multiplied;
  board_print(what);
  board_print_word("hundredths", (uint32_t)(taken * 100u / (uint32_t)multiplied));
  board_print_word("bits", bits_of(made));
  board_print("\n");
}

static void total(const char* network) {
  board_print(network);
  board_print_long("instructions", instructions);
  board_print_long("products", products);
  board_print("\n");
  instructions = products = 0;
}

typedef enum wants_input { ITS_INPUT_IS_GIVEN, HAS_ALL_GRADIENTS } wants_input;

static void convolution(int32_t batch, int32_t in, int32_t rows, int32_t groups, int32_t side,
                        int32_t kernel, int32_t stride, int32_t pad, wants_input wants) {
  const int32_t made = (side + 2 * pad - kernel) / stride + 1;
  const poet_conv_shape shape = {batch,
                                 in,
                                 rows,
                                 groups,
                                 {1, side, side},
                                 {1, made, made},
                                 {1, kernel, kernel},
                                 {1, stride, stride},
                                 {1, 1, 1},
                                 {0, pad, pad}};
  const int32_t outputs = batch * rows * made * made;
  const int32_t multiplied = outputs * (in / groups) * kernel * kernel;
  begin();
  poet_conv_forward_f32(&shape, x, w, NULL, out);
  end("forward", outputs, multiplied);
  if (wants == HAS_ALL_GRADIENTS) {
    begin();
    poet_conv_input_gradient_f32(&shape, dy, w, NULL, out);
    end("gradient-by-input", batch * in * side * side, multiplied);
  }
  begin();
  poet_conv_weight_gradient_f32(&shape, x, dy, out);
  end("gradient-by-weights", rows * (in / groups) * kernel * kernel, multiplied);
}

static void product(const char* what, int32_t rows, int32_t columns, int32_t inner,
                    int32_t a_turned, int32_t b_turned) {
  poet_matmul_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.rows = rows;
  shape.columns = columns;
  shape.inner = inner;
  shape.alpha = 1.0f;
  shape.a_row_stride = a_turned ? 1 : inner;
  shape.a_inner_stride = a_turned ? rows : 1;
  shape.b_inner_stride = b_turned ? 1 : columns;
  shape.b_column_stride = b_turned ? inner : 1;
  begin();
  poet_matmul_forward_f32(&shape, x, w, NULL, out);
  end(what, rows * columns, rows * columns * inner);
}

static void layer(int32_t batch, int32_t in, int32_t rows) {
  product("product", batch, rows, in, 0, 1);
  product("product-by-input", batch, in, rows, 0, 0);
  product("product-by-weights", rows, in, batch, 1, 0);
}

int main(void) {
  fill(1u, x);
  fill(2u, w);
  fill(3u, dy);
  board_clock_start();
#if defined(__ARM_FP)
  convolution(1, 3, 16, 1, 32, 3, 1, 1, ITS_INPUT_IS_GIVEN);
  convolution(1, 16, 16, 1, 32, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 16, 16, 1, 32, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 16, 32, 1, 32, 3, 2, 1, HAS_ALL_GRADIENTS);
  convolution(1, 32, 32, 1, 16, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 16, 32, 1, 32, 1, 2, 0, HAS_ALL_GRADIENTS);
  convolution(1, 32, 64, 1, 16, 3, 2, 1, HAS_ALL_GRADIENTS);
  convolution(1, 64, 64, 1, 8, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 32, 64, 1, 16, 1, 2, 0, HAS_ALL_GRADIENTS);
  total("resnet8");
  convolution(6, 1, 6, 1, 32, 5, 1, 0, ITS_INPUT_IS_GIVEN);
  convolution(6, 6, 16, 1, 14, 5, 1, 0, HAS_ALL_GRADIENTS);
  layer(6, 400, 120);
  layer(6, 120, 84);
  layer(6, 84, 10);
  total("lenet5-batch-6");
  convolution(6, 1, 3, 1, 32, 5, 1, 0, ITS_INPUT_IS_GIVEN);
  convolution(6, 3, 16, 1, 14, 5, 1, 0, HAS_ALL_GRADIENTS);
  convolution(1, 16, 3, 1, 16, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 2, 8, 1, 16, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 8, 2, 1, 16, 3, 2, 1, HAS_ALL_GRADIENTS);
  total("few-channels");
  convolution(1, 16, 16, 16, 32, 3, 1, 1, HAS_ALL_GRADIENTS);
  convolution(1, 32, 32, 32, 16, 3, 2, 1, HAS_ALL_GRADIENTS);
  total("depthwise");
  convolution(1, 16, 32, 1, 16, 1, 1, 0, HAS_ALL_GRADIENTS);
  total("pointwise");
#else
  convolution(1, 4, 8, 1, 8, 3, 1, 1, HAS_ALL_GRADIENTS);
  layer(4, 64, 32);
  total("small");
  convolution(1, 8, 8, 8, 8, 3, 1, 1, HAS_ALL_GRADIENTS);
  total("depthwise");
#endif
  return 0;
}
