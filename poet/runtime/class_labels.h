/* Labels, their weights and the reduction of class losses, for the sources of this room. */
#pragma once

#include <stddef.h>

#include "poet/runtime/class_loss.h"

/* Labels of either type; the other pointer is NULL. */
typedef struct label_list {
  const int32_t* narrow;
  const int64_t* wide;
} label_list;

static inline int64_t label_at(label_list labels, ptrdiff_t i) {
  return labels.narrow ? labels.narrow[i] : labels.wide[i];
}

static inline float weight_of(const float* weights, ptrdiff_t label) {
  return weights ? weights[label] : 1.0f;
}

static inline int is_class(const poet_class_loss_shape* shape, int64_t label) {
  return label >= 0 && label < shape->classes;
}

/* What the mean divides by: the sum of the weights of the labels that count, which goes on from
 * that of earlier labels. */
static inline float counted_weight_from(float total, const poet_class_loss_shape* shape,
                                        label_list labels, const float* weights) {
  const ptrdiff_t count = (ptrdiff_t)shape->batch * shape->pixels;
  for (ptrdiff_t i = 0; i < count; ++i) {
    const int64_t label = label_at(labels, i);
    if (label != shape->ignore_index && is_class(shape, label))
      total += weight_of(weights, (ptrdiff_t)label);
  }
  return total;
}

static inline float counted_weight(const poet_class_loss_shape* shape, label_list labels,
                                   const float* weights) {
  return counted_weight_from(0.0f, shape, labels, weights);
}

/* Puts a loss in its place, or adds it to the one number. */
static inline void take_loss(const poet_class_loss_shape* shape, float* loss, ptrdiff_t place,
                             float value) {
  if (shape->reduction == POET_LOSS_NONE)
    loss[place] = value;
  else
    loss[0] += value;
}

/* Ends a sum as a mean, if that is wanted. */
static inline void end_mean(const poet_class_loss_shape* shape, label_list labels,
                            const float* weights, float* loss) {
  if (shape->reduction != POET_LOSS_MEAN || loss[0] == 0.0f) return;
  loss[0] /= counted_weight(shape, labels, weights);
}

/* dloss of a place, divided by what the mean divides by. */
static inline float dloss_of(const poet_class_loss_shape* shape, const float* dloss,
                             ptrdiff_t place, float counted) {
  if (shape->reduction == POET_LOSS_NONE) return dloss[place];
  if (shape->reduction == POET_LOSS_SUM) return dloss[0];
  return counted == 0.0f ? 0.0f : dloss[0] / counted;
}
