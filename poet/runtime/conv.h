#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Three spatial dimensions: depth, height, width. A picture has depth 1, a signal height 1 too:
 * extents, stride and dilation 1, padding 0 there. */
typedef struct poet_conv_shape {
  int32_t batch;        /* N */
  int32_t in_channels;  /* C, a multiple of groups */
  int32_t out_channels; /* M, a multiple of groups */
  int32_t groups;       /* G; G == C is a depthwise convolution */
  int32_t input[3];
  int32_t output[3];
  int32_t kernel[3];
  int32_t stride[3];
  int32_t dilation[3];
  /* Zeros before the input. Those behind it follow from the extent of the output. May be negative,
   * which crops. */
  int32_t padding[3];
} poet_conv_shape;

/* x (N, C, input), w (M, C/G, kernel), y (N, M, output), bias (M). An output place o and a place k
 * of the kernel meet the input place o * stride + k * dilation - padding, in each dimension.
 *
 * A transposed convolution is the same kernels with the roles of input and output swapped: its
 * forward pass is poet_conv_input_gradient_f32 with its input as dy, its output as dx and its bias;
 * its gradient by the input is poet_conv_forward_f32 without bias; its gradient by the weights is
 * poet_conv_weight_gradient_f32 with x and dy exchanged; that by the bias is
 * poet_conv_bias_gradient_f32 with a shape that names its output.
 *
 * Products with padding may take part as zeros; a weight that is infinite or NaN can be seen there.
 * Outputs overlap no inputs. All but the gradient by the bias use 5.6 KiB of stack on a Cortex-M4,
 * 7.3 KiB on x86-64. */

/* y[n, m, o] = sum over c, k of w[m, c, k] * x[n, c of m's group, o and k] + bias[m]
 * Order: from +0, c, then k row-major; the bias last. bias may be NULL. */
void poet_conv_forward_f32(const poet_conv_shape* shape, const float* x, const float* w,
                           const float* bias, float* y);

/* dx[n, c, i] = sum over m of c's group, k, of w[m, c, k] * dy[n, m, the o that meets i at k]
 *               + bias[c]
 * Order: from +0, m, then k row-major; the bias (C) last. bias may be NULL, and is for a gradient.
 * dx is written whole: 0 where no output reads. */
void poet_conv_input_gradient_f32(const poet_conv_shape* shape, const float* dy, const float* w,
                                  const float* bias, float* dx);

/* dw[m, c, k] = sum over n, o of dy[n, m, o] * x[n, c of m's group, o and k]
 * Order: from +0, n, then o row-major. */
void poet_conv_weight_gradient_f32(const poet_conv_shape* shape, const float* x, const float* dy,
                                   float* dw);

/* A block of a weight: of the channels m [first_row, end_row) the values [first_column,
 * end_column), of which each channel has C/G times a kernel. */
typedef struct poet_weight_block {
  int32_t first_row, end_row, first_column, end_column;
} poet_weight_block;

/* The same for a block alone, which is all that dw has. All columns where M/G is 1. */
void poet_conv_weight_gradient_block_f32(const poet_weight_block* block,
                                         const poet_conv_shape* shape, const float* x,
                                         const float* dy, float* dw);

/* db[m] = sum over n, o of dy[n, m, o]
 * Order: the sums of rows (lane_sum.h) over o, from +0, n ascending. Reads batch, out_channels and
 * output of the shape, and nothing else. */
void poet_conv_bias_gradient_f32(const poet_conv_shape* shape, const float* dy, float* db);

/* The same in parts: each sum begins with `sum`, of the output's shape, which is what earlier parts
 * made of the first of what is summed, and not with +0. Parts that follow each other in the order
 * of a sum give the bits of the whole; the bias is the last part's. The output may be the same
 * buffer as sum.
 *
 * A part has its own x, w and dy, dense, and a shape of its own:
 *   forward             some input channels (of each group), and some rows of outputs: input and
 *                       padding then say which rows of x the part is given
 *   gradient by x       some output channels (of each group), and some rows of inputs
 *   gradient by w       some images, or of one image some rows of outputs, ascending; and any
 *                       channels
 *   gradient by bias    some images */
void poet_conv_continued_f32(const poet_conv_shape* shape, const float* x, const float* w,
                             const float* sum, const float* bias, float* y);
void poet_conv_input_gradient_continued_f32(const poet_conv_shape* shape, const float* dy,
                                            const float* w, const float* sum, const float* bias,
                                            float* dx);
void poet_conv_weight_gradient_continued_f32(const poet_conv_shape* shape, const float* x,
                                             const float* dy, const float* sum, float* dw);
void poet_conv_bias_gradient_continued_f32(const poet_conv_shape* shape, const float* dy,
                                           const float* sum, float* db);

#ifdef __cplusplus
}
#endif
