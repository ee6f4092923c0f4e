/* The cross-entropy of poet/runtime/class_loss.h. */
#include "poet/runtime/class_labels.h"
#include "poet/runtime/float_bits.h"
#include "poet/runtime/float_inline.h"
#include "poet/runtime/float_math.h"

/* The neighbouring places of one picture that are worked on together, so that memory is read along
 * its rows, not across them. */
enum { TILE = 16 };

typedef struct tile {
  int32_t width;
  ptrdiff_t scores; /* where class 0 of the first place is; classes lie `pixels` apart */
  ptrdiff_t places; /* where the first place is in (N, P) */
} tile;

static tile first_tile(const poet_class_loss_shape* shape) {
  const tile first = {shape->pixels < TILE ? shape->pixels : TILE, 0, 0};
  return first;
}

/* Moves to the next tile; 0 after the last. */
static int next_tile(const poet_class_loss_shape* shape, tile* at) {
  at->places += at->width;
  if (at->places >= (ptrdiff_t)shape->batch * shape->pixels) return 0;
  const int32_t pixel = (int32_t)(at->places % shape->pixels);
  const ptrdiff_t picture = at->places / shape->pixels;
  at->scores = picture * shape->classes * shape->pixels + pixel;
  at->width = shape->pixels - pixel < TILE ? shape->pixels - pixel : TILE;
  return 1;
}

/* The largest score of each place, and the sum of exp(score - largest). */
typedef struct tile_sums {
  float most[TILE];
  float sum[TILE];
} tile_sums;

static void find_sums(const poet_class_loss_shape* shape, const float* logits, tile at,
                      tile_sums* sums) {
  const float* z = logits + at.scores;
  for (int32_t p = 0; p < at.width; ++p) sums->most[p] = z[p];
  for (int32_t c = 1; c < shape->classes; ++c) {
    const float* row = z + (ptrdiff_t)c * shape->pixels;
    for (int32_t p = 0; p < at.width; ++p)
      sums->most[p] = row[p] > sums->most[p] ? row[p] : sums->most[p];
  }
  for (int32_t p = 0; p < at.width; ++p) sums->sum[p] = 0.0f;
  for (int32_t c = 0; c < shape->classes; ++c) {
    const float* row = z + (ptrdiff_t)c * shape->pixels;
    for (int32_t p = 0; p < at.width; ++p) sums->sum[p] += poet_exp_inline(row[p] - sums->most[p]);
  }
}

/* The cross-entropy of one place, whose scores begin at z. */
static float cross_entropy_of(const poet_class_loss_shape* shape, const float* z, float most,
                              float sum, ptrdiff_t label, const float* weights) {
  const float log_sum = poet_log_f32(sum);
  const float own = weight_of(weights, label) * ((z[label * shape->pixels] - most) - log_sum);
  if (shape->label_smoothing == 0.0f) return -own;
  float all = 0.0f;
  for (int32_t c = 0; c < shape->classes; ++c)
    all += weight_of(weights, c) * ((z[(ptrdiff_t)c * shape->pixels] - most) - log_sum);
  return -(1.0f - shape->label_smoothing) * own -
         shape->label_smoothing / (float)shape->classes * all;
}

static void cross_entropy(const poet_class_loss_shape* shape, const float* logits,
                          label_list labels, const float* weights, float begin, float* loss) {
  if (shape->reduction != POET_LOSS_NONE) loss[0] = begin;
  tile at = first_tile(shape);
  do {
    tile_sums sums;
    find_sums(shape, logits, at, &sums);
    for (int32_t p = 0; p < at.width; ++p) {
      const int64_t label = label_at(labels, at.places + p);
      float value = 0.0f;
      if (label != shape->ignore_index)
        value = is_class(shape, label)
                    ? cross_entropy_of(shape, logits + at.scores + p, sums.most[p], sums.sum[p],
                                       (ptrdiff_t)label, weights)
                    : poet_not_a_number();
      take_loss(shape, loss, at.places + p, value);
    }
  } while (next_tile(shape, &at));
  end_mean(shape, labels, weights, loss);
}

/* The derivative by a score is own s - [c is the label] own + smooth_s s - smooth_c weights[c],
 * where s is the softmax of the place: these are its factors. */
typedef struct tile_factors {
  float softmax[TILE]; /* of exp(z - most): (own + smooth_s) / sum */
  float own[TILE];
  float smooth[TILE]; /* smooth_c */
  int64_t label[TILE];
} tile_factors;

static float sum_of_weights(const poet_class_loss_shape* shape, const float* weights) {
  float total = 0.0f;
  for (int32_t c = 0; c < shape->classes; ++c) total += weight_of(weights, c);
  return total;
}

static void find_factors(const poet_class_loss_shape* shape, label_list labels,
                         const float* weights, const float* dloss, float counted, float all_weights,
                         tile at, const tile_sums* sums, tile_factors* factors) {
  for (int32_t p = 0; p < at.width; ++p) {
    const int64_t label = label_at(labels, at.places + p);
    const int ignored = label == shape->ignore_index;
    const int known = is_class(shape, label);
    float scale = ignored ? 0.0f : poet_not_a_number();
    if (known && !ignored) scale = dloss_of(shape, dloss, at.places + p, counted);
    const float weight = known ? weight_of(weights, (ptrdiff_t)label) : 0.0f;
    factors->label[p] = label;
    factors->own[p] = scale * ((1.0f - shape->label_smoothing) * weight);
    factors->smooth[p] = scale * (shape->label_smoothing / (float)shape->classes);
    factors->softmax[p] = (factors->own[p] + factors->smooth[p] * all_weights) / sums->sum[p];
  }
}

static void write_gradients(const poet_class_loss_shape* shape, const float* logits,
                            const float* weights, tile at, const tile_sums* sums,
                            const tile_factors* factors, float* dlogits) {
  for (int32_t c = 0; c < shape->classes; ++c) {
    const ptrdiff_t row = at.scores + (ptrdiff_t)c * shape->pixels;
    const float weight = weight_of(weights, c);
    for (int32_t p = 0; p < at.width; ++p) {
      float gradient = factors->softmax[p] * poet_exp_inline(logits[row + p] - sums->most[p]) -
                       factors->smooth[p] * weight;
      if (factors->label[p] == c) gradient -= factors->own[p];
      dlogits[row + p] = factors->label[p] == shape->ignore_index ? 0.0f : gradient;
    }
  }
}

static void cross_entropy_gradient(const poet_class_loss_shape* shape, const float* logits,
                                   label_list labels, const float* weights, const float* dloss,
                                   float* dlogits) {
  const float counted = counted_weight(shape, labels, weights);
  const float all_weights = sum_of_weights(shape, weights);
  tile at = first_tile(shape);
  do {
    tile_sums sums;
    tile_factors factors;
    find_sums(shape, logits, at, &sums);
    find_factors(shape, labels, weights, dloss, counted, all_weights, at, &sums, &factors);
    write_gradients(shape, logits, weights, at, &sums, &factors, dlogits);
  } while (next_tile(shape, &at));
}

#define POET_CROSS_ENTROPY(type, T, narrow, wide)                                          \
  void poet_softmax_cross_entropy_forward_f32_##type(const poet_class_loss_shape* shape,   \
                                                     const float* logits, const T* labels, \
                                                     const float* weights, float* loss) {  \
    const label_list list = {narrow, wide};                                                \
    cross_entropy(shape, logits, list, weights, 0.0f, loss);                               \
  }                                                                                        \
  void poet_softmax_cross_entropy_continued_f32_##type(                                    \
      const poet_class_loss_shape* shape, const float* logits, const T* labels,            \
      const float* weights, const float* sum, float* loss) {                               \
    const label_list list = {narrow, wide};                                                \
    cross_entropy(shape, logits, list, weights, sum[0], loss);                             \
  }                                                                                        \
  void poet_softmax_cross_entropy_gradient_f32_##type(                                     \
      const poet_class_loss_shape* shape, const float* logits, const T* labels,            \
      const float* weights, const float* dloss, float* dlogits) {                          \
    const label_list list = {narrow, wide};                                                \
    cross_entropy_gradient(shape, logits, list, weights, dloss, dlogits);                  \
  }

POET_CROSS_ENTROPY(i32, int32_t, labels, NULL)
POET_CROSS_ENTROPY(i64, int64_t, NULL, labels)
