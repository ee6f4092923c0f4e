#include "poet/runtime/class_loss_parts.h"

#include <string.h>

#include "poet/runtime/class_labels.h"
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"

void poet_loss_mean_f32(const poet_loss_mean_shape* shape, const float* value, const float* count,
                        float* mean) {
  const float divided = shape->is_gradient ? count[0] : value[0];
  if (divided == 0.0f)
    mean[0] = shape->is_gradient ? 0.0f : value[0];
  else
    mean[0] = value[0] / count[0];
}

static size_t places_of(const poet_class_block_shape* shape) {
  return (size_t)shape->batch * (size_t)shape->pixels;
}

/* Where the score of class c of the block stands for a place (n, p). */
static size_t score_at(const poet_class_block_shape* shape, size_t place, size_t c) {
  const size_t pixels = (size_t)shape->pixels;
  return (place / pixels * (size_t)shape->block + c) * pixels + place % pixels;
}

/* The class of the block that a label means, or -1. */
static int64_t class_in_block(const poet_class_block_shape* shape, int64_t label) {
  const int64_t c = label - shape->begin;
  return label >= 0 && label < shape->classes && c >= 0 && c < shape->block ? c : -1;
}

static void begin_with(const poet_class_block_shape* shape, const float* earlier, float* values) {
  if (!earlier)
    for (size_t i = 0; i < places_of(shape); ++i) values[i] = 0.0f;
  else if (earlier != values)
    memcpy(values, earlier, places_of(shape) * sizeof(float));
}

static void take_scores(const poet_class_block_shape* shape, const float* logits, label_list labels,
                        const float* earlier, float* own) {
  begin_with(shape, earlier, own);
  for (size_t i = 0; i < places_of(shape); ++i) {
    const int64_t c = class_in_block(shape, label_at(labels, (ptrdiff_t)i));
    if (c >= 0) own[i] = logits[score_at(shape, i, (size_t)c)];
  }
}

void poet_class_score_sum_part_f32(const poet_class_block_shape* shape, const float* logits,
                                   const float* largest, const float* sum, const float* earlier,
                                   float* all) {
  begin_with(shape, earlier, all);
  for (size_t i = 0; i < places_of(shape); ++i) {
    const float log_sum = poet_log_f32(sum[i]);
    float total = all[i];
    for (size_t c = 0; c < (size_t)shape->block; ++c)
      total += (logits[score_at(shape, i, c)] - largest[i]) - log_sum;
    all[i] = total;
  }
}

/* The order of cross_entropy.c, with weights of 1. */
static float loss_of(const poet_class_block_shape* shape, float score, float largest, float sum,
                     const float* all) {
  const float own = (score - largest) - poet_log_f32(sum);
  if (!all) return -own;
  return -(1.0f - shape->label_smoothing) * own -
         shape->label_smoothing / (float)shape->classes * all[0];
}

static void end_loss(const poet_class_block_shape* shape, const float* own, const float* largest,
                     const float* sum, label_list labels, const float* all, const float* earlier,
                     float* loss) {
  if (shape->reduction != POET_LOSS_NONE) loss[0] = earlier ? earlier[0] : 0.0f;
  for (size_t i = 0; i < places_of(shape); ++i) {
    const int64_t label = label_at(labels, (ptrdiff_t)i);
    const int known = label >= 0 && label < shape->classes;
    float value = 0.0f;
    if (label != shape->ignore_index)
      value = known ? loss_of(shape, own[i], largest[i], sum[i], all ? all + i : NULL)
                    : poet_not_a_number();
    if (shape->reduction == POET_LOSS_NONE)
      loss[i] = value;
    else
      loss[0] += value;
  }
}

/* The sum of so many weights of 1. */
static float sum_of_ones(int32_t count) {
  const int32_t most = 1 << 24; /* from there on, another 1 changes nothing */
  return (float)(count < most ? count : most);
}

static void write_gradients(const poet_class_block_shape* shape, const float* logits,
                            const float* largest, const float* sum, label_list labels,
                            const float* dloss, float* dlogits) {
  for (size_t i = 0; i < places_of(shape); ++i) {
    const int64_t label = label_at(labels, (ptrdiff_t)i);
    const int ignored = label == shape->ignore_index;
    const int known = label >= 0 && label < shape->classes;
    float scale = ignored ? 0.0f : poet_not_a_number();
    if (known && !ignored) scale = shape->reduction == POET_LOSS_NONE ? dloss[i] : dloss[0];
    const float own = scale * ((1.0f - shape->label_smoothing) * (known ? 1.0f : 0.0f));
    const float smooth = scale * (shape->label_smoothing / (float)shape->classes);
    const float softmax = (own + smooth * sum_of_ones(shape->classes)) / sum[i];
    const float most = largest[i];
    for (int32_t c = 0; c < shape->block; ++c) {
      const size_t at = score_at(shape, i, (size_t)c);
      float gradient = softmax * poet_exp_inline(logits[at] - most) - smooth;
      if (label == (int64_t)shape->begin + c) gradient -= own;
      dlogits[at] = ignored ? 0.0f : gradient;
    }
  }
}

#define POET_CLASS_LOSS_PARTS(type, T, narrow, wide)                                              \
  void poet_label_count_f32_##type(const poet_class_loss_shape* shape, const T* labels,           \
                                   const float* weights, const float* earlier, float* count) {    \
    const label_list list = {narrow, wide};                                                       \
    count[0] = counted_weight_from(earlier ? earlier[0] : 0.0f, shape, list, weights);            \
  }                                                                                               \
  void poet_label_score_part_f32_##type(const poet_class_block_shape* shape, const float* logits, \
                                        const T* labels, const float* earlier, float* own) {      \
    const label_list list = {narrow, wide};                                                       \
    take_scores(shape, logits, list, earlier, own);                                               \
  }                                                                                               \
  void poet_softmax_cross_entropy_end_f32_##type(                                                 \
      const poet_class_block_shape* shape, const float* own, const float* largest,                \
      const float* sum, const T* labels, const float* all, const float* earlier, float* loss) {   \
    const label_list list = {narrow, wide};                                                       \
    end_loss(shape, own, largest, sum, list, all, earlier, loss);                                 \
  }                                                                                               \
  void poet_softmax_cross_entropy_gradient_block_f32_##type(                                      \
      const poet_class_block_shape* shape, const float* logits, const float* largest,             \
      const float* sum, const T* labels, const float* dloss, float* dlogits) {                    \
    const label_list list = {narrow, wide};                                                       \
    write_gradients(shape, logits, largest, sum, list, dloss, dlogits);                           \
  }

POET_CLASS_LOSS_PARTS(i32, int32_t, labels, NULL)
POET_CLASS_LOSS_PARTS(i64, int64_t, NULL, labels)
