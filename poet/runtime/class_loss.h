/* Losses of a classification, of N pictures with P places each, and their gradients.
 *
 * Scores (N, C, P); labels (N, P), each in [0, C) or ignore_index; weights (C) or NULL for ones;
 * loss and dloss (N, P) where nothing is reduced, otherwise one number, added in row-major order
 * from 0. The mean divides the sum by the sum of weights[label] over the labels that count; where
 * none counts, loss and gradient are 0. A label that is neither a class nor ignore_index makes its
 * loss, and its C gradients, NaN. */
#pragma once

#include <stdint.h>

#include "poet/runtime/loss_reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_class_loss_shape {
  int32_t batch;         /* N */
  int32_t classes;       /* C */
  int32_t pixels;        /* P; 1 where there are none */
  int32_t ignore_index;  /* elements with this label have loss 0 and do not count */
  int32_t reduction;     /* enum poet_loss_reduction */
  float label_smoothing; /* epsilon, in [0, 1); read by the cross-entropy only */
} poet_class_loss_shape;

/* With z[c] = logits[n, c, p], m = max z and l[c] = (z[c] - m) - log(sum over c of exp(z[c] - m)),
 * the logarithm of the softmax:
 *   loss[n, p] = -(1 - epsilon) weights[label] l[label] - epsilon / C sum over c of weights[c] l[c]
 * Sums over c ascend and begin with 0. */
void poet_softmax_cross_entropy_forward_f32_i32(const poet_class_loss_shape* shape,
                                                const float* logits, const int32_t* labels,
                                                const float* weights, float* loss);
void poet_softmax_cross_entropy_forward_f32_i64(const poet_class_loss_shape* shape,
                                                const float* logits, const int64_t* labels,
                                                const float* weights, float* loss);

/* The same in parts, of pictures that follow each other: loss goes on from `sum`, what earlier
 * pictures made of it. Reduced to a sum. loss may be the same buffer as sum. */
void poet_softmax_cross_entropy_continued_f32_i32(const poet_class_loss_shape* shape,
                                                  const float* logits, const int32_t* labels,
                                                  const float* weights, const float* sum,
                                                  float* loss);
void poet_softmax_cross_entropy_continued_f32_i64(const poet_class_loss_shape* shape,
                                                  const float* logits, const int64_t* labels,
                                                  const float* weights, const float* sum,
                                                  float* loss);

/* dlogits[n, c, p] = dloss times the derivative of the above; dlogits may be the same buffer as
 * logits. */
void poet_softmax_cross_entropy_gradient_f32_i32(const poet_class_loss_shape* shape,
                                                 const float* logits, const int32_t* labels,
                                                 const float* weights, const float* dloss,
                                                 float* dlogits);
void poet_softmax_cross_entropy_gradient_f32_i64(const poet_class_loss_shape* shape,
                                                 const float* logits, const int64_t* labels,
                                                 const float* weights, const float* dloss,
                                                 float* dlogits);

/* loss[n, p] = -weights[label] x[n, label, p], x being logarithms of probabilities. */
void poet_negative_log_likelihood_forward_f32_i32(const poet_class_loss_shape* shape,
                                                  const float* x, const int32_t* labels,
                                                  const float* weights, float* loss);
void poet_negative_log_likelihood_forward_f32_i64(const poet_class_loss_shape* shape,
                                                  const float* x, const int64_t* labels,
                                                  const float* weights, float* loss);

/* As poet_softmax_cross_entropy_continued_f32_i32. */
void poet_negative_log_likelihood_continued_f32_i32(const poet_class_loss_shape* shape,
                                                    const float* x, const int32_t* labels,
                                                    const float* weights, const float* sum,
                                                    float* loss);
void poet_negative_log_likelihood_continued_f32_i64(const poet_class_loss_shape* shape,
                                                    const float* x, const int64_t* labels,
                                                    const float* weights, const float* sum,
                                                    float* loss);

/* dx[n, c, p] = c is the label ? -dloss weights[label] : 0 */
void poet_negative_log_likelihood_gradient_f32_i32(const poet_class_loss_shape* shape,
                                                   const int32_t* labels, const float* weights,
                                                   const float* dloss, float* dx);
void poet_negative_log_likelihood_gradient_f32_i64(const poet_class_loss_shape* shape,
                                                   const int64_t* labels, const float* weights,
                                                   const float* dloss, float* dx);

#ifdef __cplusplus
}
#endif
