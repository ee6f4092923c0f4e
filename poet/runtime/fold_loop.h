/* The loops of sums and other folds, into which each fold puts its expressions. For the sources of
 * this room.
 *
 * The expressions are of u, a and b, the elements of the three inputs (float, T and float); `next`
 * also of `total`, the fold so far. An input that is not there is given as the first once more. */
#pragma once

#include "poet/runtime/axes.h"

#define POET_FOLD_INPUTS(T)               \
  const float* us = row->inputs[0];       \
  const T* as = row->inputs[1];           \
  const float* bs = row->inputs[2];       \
  const ptrdiff_t u_step = row->steps[0]; \
  const ptrdiff_t a_step = row->steps[1]; \
  const ptrdiff_t b_step = row->steps[2]; \
  float* out = row->out;                  \
  const int32_t count = row->count;

#define POET_FOLD_EACH(T, by_u, by_a, by_b, statement) \
  for (int32_t i = 0; i < count; ++i) {                \
    const float u = us[i * (by_u)];                    \
    const T a = as[i * (by_a)];                        \
    const float b = bs[i * (by_b)];                    \
    (void)u;                                           \
    (void)a;                                           \
    (void)b;                                           \
    statement;                                         \
  }

/* A loop of its own where all inputs are dense, and where the third is repeated. */
#define POET_FOLD_LOOPS(T, statement)                    \
  if (u_step == 1 && a_step == 1 && b_step == 1) {       \
    POET_FOLD_EACH(T, 1, 1, 1, statement)                \
  } else if (u_step == 1 && b_step == 0) {               \
    POET_FOLD_EACH(T, 1, a_step, 0, statement)           \
  } else {                                               \
    POET_FOLD_EACH(T, u_step, a_step, b_step, statement) \
  }

#define POET_FOLD(name, T, first, next)                             \
  static void name##_first(const poet_row* row) {                   \
    POET_FOLD_INPUTS(T)                                             \
    POET_FOLD_LOOPS(T, out[i] = (first))                            \
  }                                                                 \
  static void name##_next(const poet_row* row) {                    \
    POET_FOLD_INPUTS(T)                                             \
    POET_FOLD_LOOPS(T, const float total = out[i]; out[i] = (next)) \
  }                                                                 \
  static void name##_along(const poet_row* row) {                   \
    POET_FOLD_INPUTS(T)                                             \
    float total = *out;                                             \
    POET_FOLD_LOOPS(T, total = (next))                              \
    *out = total;                                                   \
  }                                                                 \
  static const poet_fold name = {name##_first, name##_next, name##_along};

/* The fold of a sum. */
#define POET_SUM(name, T, term) POET_FOLD(name, T, term, total + (term))
