#include "poet/runtime/top_k.h"

#include <stddef.h>

/* What is chosen of one line so far, `step` apart: a heap with the value that comes last on top. */
typedef struct chosen {
  float* values;
  int64_t* places;
  size_t step;
  int32_t count;
  int32_t largest;
} chosen;

static int is_above(float a, float b) {
  return a > b || (a != a && b == b);
}

static int comes_before(const chosen* heap, float a, int64_t place_of_a, float b,
                        int64_t place_of_b) {
  if (heap->largest ? is_above(a, b) : is_above(b, a)) return 1;
  return place_of_a < place_of_b && !(heap->largest ? is_above(b, a) : is_above(a, b));
}

static void put(chosen* heap, int32_t at, float value, int64_t place) {
  heap->values[(size_t)at * heap->step] = value;
  heap->places[(size_t)at * heap->step] = place;
}

static int is_before_entry(const chosen* heap, float value, int64_t place, int32_t at) {
  return comes_before(heap, value, place, heap->values[(size_t)at * heap->step],
                      heap->places[(size_t)at * heap->step]);
}

static void copy_entry(chosen* heap, int32_t to, int32_t from) {
  put(heap, to, heap->values[(size_t)from * heap->step], heap->places[(size_t)from * heap->step]);
}

/* A value at the end of the heap goes up to its place. */
static void sift_up(chosen* heap, float value, int64_t place) {
  int32_t at = heap->count++;
  while (at > 0 && !is_before_entry(heap, value, place, (at - 1) / 2)) {
    copy_entry(heap, at, (at - 1) / 2);
    at = (at - 1) / 2;
  }
  put(heap, at, value, place);
}

/* A value in place of the top goes down to its place. */
static void sift_down(chosen* heap, float value, int64_t place) {
  int32_t at = 0;
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count &&
        is_before_entry(heap, heap->values[(size_t)child * heap->step],
                        heap->places[(size_t)child * heap->step], child + 1))
      ++child;
    if (!is_before_entry(heap, value, place, child)) break;
    copy_entry(heap, at, child);
    at = child;
  }
  put(heap, at, value, place);
}

/* What comes last goes to the end, one after the other. */
static void sort_chosen(chosen* heap) {
  while (heap->count > 1) {
    const int32_t end = --heap->count;
    const float value = heap->values[(size_t)end * heap->step];
    const int64_t place = heap->places[(size_t)end * heap->step];
    copy_entry(heap, end, 0);
    sift_down(heap, value, place);
  }
}

static void choose_of_line(const poet_top_k_shape* shape, const float* x, float* values,
                           int64_t* places) {
  chosen heap = {values, places, (size_t)shape->inner, 0, shape->largest};
  for (int32_t i = 0; i < shape->axis; ++i) {
    const float value = x[(size_t)i * (size_t)shape->inner];
    if (heap.count < shape->count)
      sift_up(&heap, value, i);
    else if (is_before_entry(&heap, value, i, 0))
      sift_down(&heap, value, i);
  }
  sort_chosen(&heap);
}

void poet_top_k_forward_f32(const poet_top_k_shape* shape, const float* x, float* values,
                            int64_t* places) {
  const size_t from = (size_t)shape->axis * (size_t)shape->inner;
  const size_t to = (size_t)shape->count * (size_t)shape->inner;
  for (int32_t outer = 0; outer < shape->outer; ++outer)
    for (int32_t i = 0; i < shape->inner; ++i)
      choose_of_line(shape, x + (size_t)outer * from + i, values + (size_t)outer * to + i,
                     places + (size_t)outer * to + i);
}

/* `beats` of value a and b: whether a is taken rather than b, which is not equal. */
#define POET_ARG(name, type, T, beats)                                                            \
  static int name##_beats_##type(T a, T b) {                                                      \
    return (beats);                                                                               \
  }                                                                                               \
  static int64_t name##_of_line_##type(const poet_arg_shape* shape, const T* x) {                 \
    const size_t step = (size_t)shape->inner;                                                     \
    int32_t best = 0;                                                                             \
    for (int32_t i = 1; i < shape->axis; ++i) {                                                   \
      const T value = x[(size_t)i * step];                                                        \
      const T known = x[(size_t)best * step];                                                     \
      if (shape->last ? !name##_beats_##type(known, value) : name##_beats_##type(value, known))   \
        best = i;                                                                                 \
    }                                                                                             \
    return best;                                                                                  \
  }                                                                                               \
  void poet_##name##_forward_##type(const poet_arg_shape* shape, const T* x, int64_t* places) {   \
    for (int32_t outer = 0; outer < shape->outer; ++outer) {                                      \
      for (int32_t i = 0; i < shape->inner; ++i) *places++ = name##_of_line_##type(shape, x + i); \
      x += (size_t)shape->axis * (size_t)shape->inner;                                            \
    }                                                                                             \
  }

POET_ARG(arg_max, f32, float, a > b || (a != a && b == b))
POET_ARG(arg_max, i32, int32_t, a > b)
POET_ARG(arg_max, i64, int64_t, a > b)
POET_ARG(arg_min, f32, float, a < b || (a != a && b == b))
POET_ARG(arg_min, i32, int32_t, a < b)
POET_ARG(arg_min, i64, int64_t, a < b)
