/* The kernels of two commits in turns, on one thread: kernels.py builds this with both, those of
 * the earlier commit as before_poet_..., and reads what it prints: a line for each case, with what
 * a call took of the processor's time before and after, in seconds, and its multiply-adds. Every
 * result is compared byte by byte first. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "poet/runtime/conv.h"
#include "poet/runtime/matmul.h"

void before_poet_conv_forward_f32(const poet_conv_shape*, const float*, const float*, const float*,
                                  float*);
void before_poet_conv_input_gradient_f32(const poet_conv_shape*, const float*, const float*,
                                         const float*, float*);
void before_poet_conv_weight_gradient_f32(const poet_conv_shape*, const float*, const float*,
                                          float*);
void before_poet_matmul_forward_f32(const poet_matmul_shape*, const float*, const float*,
                                    const float*, float*);

enum { TURNS = 9 };

typedef struct kernel_case {
  poet_conv_shape conv;
  poet_matmul_shape matmul;
  const float *x, *w, *dy;
  float* out;
} kernel_case;

typedef void kernel_call(const kernel_case* one);

#define CALL(name, call)                              \
  static void name(const kernel_case* one) {          \
    poet_##call;                                      \
  }                                                   \
  static void before_##name(const kernel_case* one) { \
    before_poet_##call;                               \
  }
CALL(forward, conv_forward_f32(&one->conv, one->x, one->w, NULL, one->out))
CALL(input_gradient, conv_input_gradient_f32(&one->conv, one->dy, one->w, NULL, one->out))
CALL(weight_gradient, conv_weight_gradient_f32(&one->conv, one->x, one->dy, one->out))
CALL(product, matmul_forward_f32(&one->matmul, one->x, one->w, NULL, one->out))

static float* values(size_t count) {
  static unsigned state = 1;
  float* const made = malloc(count * sizeof(float));
  if (made == NULL) exit(1);
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    made[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
  }
  return made;
}

static double processor_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds(kernel_call* call, const kernel_case* one, int times) {
  const double begin = processor_s();
  for (int i = 0; i < times; ++i) call(one);
  return (processor_s() - begin) / times;
}

static void compare(const char* title, const char* what, const kernel_case* one, size_t count,
                    double products, kernel_call* before, kernel_call* after) {
  float* const expected = malloc(count * sizeof(float));
  if (expected == NULL) exit(1);
  before(one);
  memcpy(expected, one->out, count * sizeof(float));
  memset(one->out, 0x55, count * sizeof(float));
  after(one);
  if (memcmp(expected, one->out, count * sizeof(float)) != 0) {
    fprintf(stderr, "%s %s: other bits\n", title, what);
    exit(1);
  }
  free(expected);
  int times = 1;
  while (seconds(before, one, times) * times < 0.02) times *= 2;
  double least[2] = {1e9, 1e9};
  for (int turn = 0; turn < TURNS; ++turn) {
    const double taken[2] = {seconds(before, one, times), seconds(after, one, times)};
    for (int k = 0; k < 2; ++k)
      if (taken[k] < least[k]) least[k] = taken[k];
  }
  printf("%s|%s|%.0f|%.9g|%.9g\n", title, what, products, least[0], least[1]);
  fflush(stdout);
}

static void convolution(const char* title, int batch, int in, int out, int groups, int side,
                        int kernel, int stride) {
  const int pad = kernel / 2;
  const int made = (side + 2 * pad - kernel) / stride + 1;
  kernel_case one = {.conv = {batch,
                              in,
                              out,
                              groups,
                              {1, side, side},
                              {1, made, made},
                              {1, kernel, kernel},
                              {1, stride, stride},
                              {1, 1, 1},
                              {0, pad, pad}}};
  const size_t x = (size_t)batch * in * side * side;
  const size_t y = (size_t)batch * out * made * made;
  const size_t w = (size_t)out * (in / groups) * kernel * kernel;
  float* const buffers[4] = {values(x), values(w), values(y), values(x + y + w)};
  one.x = buffers[0];
  one.w = buffers[1];
  one.dy = buffers[2];
  one.out = buffers[3];
  const double products = (double)y * (in / groups) * kernel * kernel;
  compare(title, "forward", &one, y, products, before_forward, forward);
  compare(title, "gradient by input", &one, x, products, before_input_gradient, input_gradient);
  compare(title, "gradient by weights", &one, w, products, before_weight_gradient, weight_gradient);
  for (int i = 0; i < 4; ++i) free(buffers[i]);
}

typedef enum storage { ROWS, COLUMNS } storage;

static void matrices(const char* title, int rows, int columns, int inner, storage a, storage b) {
  kernel_case one = {.matmul = {.rows = rows, .columns = columns, .inner = inner, .alpha = 1.0f}};
  one.matmul.a_row_stride = a == ROWS ? inner : 1;
  one.matmul.a_inner_stride = a == ROWS ? 1 : rows;
  one.matmul.b_inner_stride = b == ROWS ? columns : 1;
  one.matmul.b_column_stride = b == ROWS ? 1 : inner;
  float* const buffers[3] = {values((size_t)rows * inner), values((size_t)inner * columns),
                             values((size_t)rows * columns)};
  one.x = buffers[0];
  one.w = buffers[1];
  one.out = buffers[2];
  compare(title, "product", &one, (size_t)rows * columns, (double)rows * columns * inner,
          before_product, product);
  for (int i = 0; i < 3; ++i) free(buffers[i]);
}

int main(void) {
  convolution("3x3, 64 to 64 channels, 56x56", 1, 64, 64, 1, 56, 3, 1);
  convolution("3x3, 256 to 256 channels, 14x14", 1, 256, 256, 1, 14, 3, 1);
  convolution("3x3, 512 to 512 channels, 7x7, batch 4", 4, 512, 512, 1, 7, 3, 1);
  convolution("3x3, stride 2, 64 to 128 channels, 56x56", 1, 64, 128, 1, 56, 3, 2);
  convolution("7x7, stride 2, 3 to 64 channels, 112x112", 1, 3, 64, 1, 112, 7, 2);
  convolution("pointwise, 128 to 512 channels, 28x28", 1, 128, 512, 1, 28, 1, 1);
  convolution("depthwise 3x3, 128 channels, 28x28", 1, 128, 128, 128, 28, 3, 1);
  convolution("depthwise 3x3, stride 2, 256 channels, 14x14", 1, 256, 256, 256, 14, 3, 2);
  matrices("256 x 768 times 768 x 768", 256, 768, 768, ROWS, ROWS);
  matrices("256 x 768 times transposed", 256, 768, 768, ROWS, COLUMNS);
  matrices("transposed times 768 x 768", 256, 768, 768, COLUMNS, ROWS);
  matrices("8 x 512 times transposed", 8, 512, 512, ROWS, COLUMNS);
  matrices("one row of 512 times 512 x 512", 1, 512, 512, ROWS, ROWS);
  return 0;
}
