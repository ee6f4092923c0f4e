/* Class losses in parts: their mean over all labels, and the cross-entropy of blocks of classes.
 * The bits are those of class_loss.h. */
#pragma once

#include <stdint.h>

#include "poet/runtime/class_loss.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a mean divides by: the sum of weights[label] over the labels that count, in their order,
 * from what `earlier` labels made, or from +0 where that is NULL. count may be the same as earlier.
 */
void poet_label_count_f32_i32(const poet_class_loss_shape* shape, const int32_t* labels,
                              const float* weights, const float* earlier, float* count);
void poet_label_count_f32_i64(const poet_class_loss_shape* shape, const int64_t* labels,
                              const float* weights, const float* earlier, float* count);

/* One number divided by the count. A loss of 0 stays as it is; a gradient without a label that
 * counts is 0. */
typedef struct poet_loss_mean_shape {
  int32_t is_gradient;
} poet_loss_mean_shape;

void poet_loss_mean_f32(const poet_loss_mean_shape* shape, const float* value, const float* count,
                        float* mean);

/* Scores are a block of the classes, (N, B, P): those of [begin, begin + B) of `classes`. */
typedef struct poet_class_block_shape {
  int32_t batch;
  int32_t block; /* B */
  int32_t pixels;
  int32_t begin;
  int32_t classes; /* of all blocks */
  int32_t ignore_index;
  int32_t reduction;
  float label_smoothing;
} poet_class_block_shape;

/* own (N, P): the score of the label where it lies in the block, otherwise what `earlier` has, or 0
 * where that is NULL. own may be the same buffer as earlier. */
void poet_label_score_part_f32_i32(const poet_class_block_shape* shape, const float* logits,
                                   const int32_t* labels, const float* earlier, float* own);
void poet_label_score_part_f32_i64(const poet_class_block_shape* shape, const float* logits,
                                   const int64_t* labels, const float* earlier, float* own);

/* all (N, P): what smoothing needs, the sum of (logits - largest) - log(sum) over the classes, from
 * +0; largest and sum as in softmax_parts.h. all may be the same buffer as earlier. */
void poet_class_score_sum_part_f32(const poet_class_block_shape* shape, const float* logits,
                                   const float* largest, const float* sum, const float* earlier,
                                   float* all);

/* The loss, of the scores of the labels (and `all`, NULL without smoothing): one for each label, or
 * their sum, which goes on from `earlier` or begins with 0. Without weights. */
void poet_softmax_cross_entropy_end_f32_i32(const poet_class_block_shape* shape, const float* own,
                                            const float* largest, const float* sum,
                                            const int32_t* labels, const float* all,
                                            const float* earlier, float* loss);
void poet_softmax_cross_entropy_end_f32_i64(const poet_class_block_shape* shape, const float* own,
                                            const float* largest, const float* sum,
                                            const int64_t* labels, const float* all,
                                            const float* earlier, float* loss);

/* dlogits of the block; dloss (N, P), or one number where losses are summed (for a mean, what
 * poet_loss_mean_f32 makes of it). dlogits may be the same buffer as logits. */
void poet_softmax_cross_entropy_gradient_block_f32_i32(const poet_class_block_shape* shape,
                                                       const float* logits, const float* largest,
                                                       const float* sum, const int32_t* labels,
                                                       const float* dloss, float* dlogits);
void poet_softmax_cross_entropy_gradient_block_f32_i64(const poet_class_block_shape* shape,
                                                       const float* logits, const float* largest,
                                                       const float* sum, const int64_t* labels,
                                                       const float* dloss, float* dlogits);

#ifdef __cplusplus
}
#endif
