#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a convolution and its gradient by the input have in common: every pixel of a target sums
 * taps, each a weight times a place of a source. Along one of three dimensions:
 *
 *   pixel p writes the target at target_begin + p * target_step,
 *   tap t reads the weight at weight_begin + t * weight_step,
 *   and together they read the source at pixel_begin + p * pixel_step + tap_begin + t * tap_step,
 *   which is 0 outside [0, source_extent).
 */
typedef struct poet_correlation_axis {
  int32_t pixels;
  int32_t taps;
  int32_t source_extent;
  int32_t pixel_begin, pixel_step;
  int32_t tap_begin, tap_step;
  int32_t target_begin, target_step;
  int32_t weight_begin, weight_step;
  ptrdiff_t source_stride, target_stride, weight_stride; /* of one place, in elements */
} poet_correlation_axis;

typedef struct poet_correlation {
  poet_correlation_axis axes[3];
  int32_t images;   /* in source and target */
  int32_t rows;     /* channels of the target */
  int32_t channels; /* of the source; summed */
  ptrdiff_t source_image_stride, source_channel_stride;
  ptrdiff_t target_image_stride, target_row_stride;
  ptrdiff_t weight_row_stride, weight_channel_stride;
} poet_correlation;

/* target[image, row, pixel] += sum over channels, taps of weights[row, channel, tap] *
 *                              source[image, channel, pixel and tap]
 * One after the other: channels ascending, taps row-major. Taps outside the source may be left out
 * or added as zeros, which makes no difference to a sum that began with +0. */
void poet_correlation_add_f32(const poet_correlation* shape, const float* source,
                              const float* weights, float* target);

#ifdef __cplusplus
}
#endif
