/* The negative log-likelihood of poet/runtime/class_loss.h. */
#include <string.h>

#include "poet/runtime/class_labels.h"
#include "poet/runtime/float_bits.h"

/* Where the score of a class stands for a place (n, p). */
static ptrdiff_t score_at(const poet_class_loss_shape* shape, ptrdiff_t place, ptrdiff_t label) {
  const ptrdiff_t picture = place / shape->pixels;
  const ptrdiff_t pixel = place % shape->pixels;
  return (picture * shape->classes + label) * shape->pixels + pixel;
}

static void likelihood(const poet_class_loss_shape* shape, const float* x, label_list labels,
                       const float* weights, float begin, float* loss) {
  const ptrdiff_t count = (ptrdiff_t)shape->batch * shape->pixels;
  if (shape->reduction != POET_LOSS_NONE) loss[0] = begin;
  for (ptrdiff_t i = 0; i < count; ++i) {
    const int64_t label = label_at(labels, i);
    const ptrdiff_t index = (ptrdiff_t)label;
    float value = 0.0f;
    if (label != shape->ignore_index)
      value = is_class(shape, label) ? -weight_of(weights, index) * x[score_at(shape, i, index)]
                                     : poet_not_a_number();
    take_loss(shape, loss, i, value);
  }
  end_mean(shape, labels, weights, loss);
}

/* A label that is no class spoils the gradients of all classes of its place. */
static void spoil(const poet_class_loss_shape* shape, ptrdiff_t place, float* dx) {
  for (int32_t c = 0; c < shape->classes; ++c) dx[score_at(shape, place, c)] = poet_not_a_number();
}

static void likelihood_gradient(const poet_class_loss_shape* shape, label_list labels,
                                const float* weights, const float* dloss, float* dx) {
  const ptrdiff_t count = (ptrdiff_t)shape->batch * shape->pixels;
  const float counted = counted_weight(shape, labels, weights);
  memset(dx, 0, (size_t)count * (size_t)shape->classes * sizeof(float));
  for (ptrdiff_t i = 0; i < count; ++i) {
    const int64_t label = label_at(labels, i);
    const ptrdiff_t index = (ptrdiff_t)label;
    if (label == shape->ignore_index) continue;
    if (is_class(shape, label))
      dx[score_at(shape, i, index)] =
          -weight_of(weights, index) * dloss_of(shape, dloss, i, counted);
    else
      spoil(shape, i, dx);
  }
}

#define POET_LIKELIHOOD(type, T, narrow, wide)                                                   \
  void poet_negative_log_likelihood_forward_f32_##type(const poet_class_loss_shape* shape,       \
                                                       const float* x, const T* labels,          \
                                                       const float* weights, float* loss) {      \
    const label_list list = {narrow, wide};                                                      \
    likelihood(shape, x, list, weights, 0.0f, loss);                                             \
  }                                                                                              \
  void poet_negative_log_likelihood_continued_f32_##type(                                        \
      const poet_class_loss_shape* shape, const float* x, const T* labels, const float* weights, \
      const float* sum, float* loss) {                                                           \
    const label_list list = {narrow, wide};                                                      \
    likelihood(shape, x, list, weights, sum[0], loss);                                           \
  }                                                                                              \
  void poet_negative_log_likelihood_gradient_f32_##type(const poet_class_loss_shape* shape,      \
                                                        const T* labels, const float* weights,   \
                                                        const float* dloss, float* dx) {         \
    const label_list list = {narrow, wide};                                                      \
    likelihood_gradient(shape, list, weights, dloss, dx);                                        \
  }

POET_LIKELIHOOD(i32, int32_t, labels, NULL)
POET_LIKELIHOOD(i64, int64_t, NULL, labels)
