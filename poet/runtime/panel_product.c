#include "poet/runtime/panel_product.h"

/* Which registers there are is known when this is compiled, but for AVX2. Nothing here depends on
 * it but speed: every tile makes the same products and sums of each element of y in the same order,
 * and none has a fused multiply-add (-ffp-contract=off, and AVX2 without FMA). */
#define EACH_1(DO, r) DO(r, 0)
#define EACH_2(DO, r) DO(r, 0) DO(r, 1)
#define EACH_4(DO, r) DO(r, 0) DO(r, 1) DO(r, 2) DO(r, 3)
#define ROWS_2(DO) DO(0) DO(1)
#define ROWS_4(DO) DO(0) DO(1) DO(2) DO(3)

#define POET_TILE_NAME multiply
#define POET_TILE_TARGET
#if defined(POET_VECTORS) && defined(__aarch64__) /* 32 registers of four lanes */
#define POET_TILE_LANES_OF poet_four_lanes
#define POET_TILE_LANES 4
#define POET_TILE_EACH EACH_4
#define POET_TILE_COLUMNS 16
#define POET_TILE_ROWS 4
#define POET_TILE_EACH_ROW ROWS_4
#elif defined(POET_VECTORS) /* 16 registers of four lanes; a factor takes two instructions */
#define POET_TILE_LANES_OF poet_four_lanes
#define POET_TILE_LANES 4
#define POET_TILE_EACH EACH_4
#define POET_TILE_COLUMNS 16
#define POET_TILE_ROWS 2
#define POET_TILE_EACH_ROW ROWS_2
#elif defined(POET_FLOATS_BY_FUNCTIONS)
#define POET_TILE_LANES_OF float
#define POET_TILE_LANES 1
#define POET_TILE_EACH EACH_1
#define POET_TILE_COLUMNS 1
#define POET_TILE_ROWS 1
#else /* 32 registers of one value: Cortex-M4F and M7, RISC-V with F */
#define POET_TILE_LANES_OF float
#define POET_TILE_LANES 1
#define POET_TILE_EACH EACH_4
#define POET_TILE_COLUMNS 4
#define POET_TILE_ROWS 4
#define POET_TILE_EACH_ROW ROWS_4
#endif
#if defined(__ARM_FP) && !defined(__aarch64__) && defined(__GNUC__)
/* Left alone, gcc makes the products of all rows before it adds any, and has no registers for that.
 */
#define POET_TILE_BEFORE(r) __asm__ volatile("" : "+t"(f##r));
#define POET_TILE_AFTER(r) \
  __asm__ volatile("" : : "t"(s##r##0), "t"(s##r##1), "t"(s##r##2), "t"(s##r##3));
#else
#define POET_TILE_BEFORE(r)
#define POET_TILE_AFTER(r)
#endif
#if defined(__ARM_FP) && defined(__thumb2__) && defined(__GNUC__) && !defined(__ARMEB__)
#include "poet/runtime/panel_tile_arm.h"
#define POET_TILE_HAS_ROWS
#endif
#include "poet/runtime/panel_tile.h"
#undef POET_TILE_HAS_ROWS

#if defined(POET_VECTORS) && defined(__x86_64__) && !defined(__AVX2__) && \
    !defined(POET_WITHOUT_AVX2)
#define HAS_TWO_KINDS
typedef float eight_lanes __attribute__((vector_size(32), aligned(4), may_alias));
#define POET_TILE_NAME multiply_avx2
#define POET_TILE_TARGET __attribute__((target("avx2")))
#define POET_TILE_LANES_OF eight_lanes
#define POET_TILE_LANES 8
#define POET_TILE_EACH EACH_2
#define POET_TILE_COLUMNS 16
#define POET_TILE_ROWS 4
#define POET_TILE_EACH_ROW ROWS_4
#define POET_TILE_BEFORE(r)
#define POET_TILE_AFTER(r)
#include "poet/runtime/panel_tile.h"
#endif

void poet_panel_find_runs(const ptrdiff_t* left_offsets, poet_panel* panel) {
  poet_panel_run* run = panel->runs;
  for (int32_t k = 0; k < panel->depth; ++run) {
    run->offset = left_offsets[k];
    run->step = 1;
    run->length = 1;
    for (++k; k < panel->depth; ++k, ++run->length) {
      const ptrdiff_t step = left_offsets[k] - left_offsets[k - 1];
      if (run->length == 1) run->step = step;
      if (step != run->step) break;
    }
  }
  run->length = 0;
}

void poet_panel_set_run(ptrdiff_t step, poet_panel* panel) {
  const poet_panel_run run = {0, step, panel->depth};
  panel->runs[0] = run;
  panel->runs[panel->depth > 0].length = 0;
}

void poet_panel_product_plain_f32(const poet_panel_rows* rows, const float* left,
                                  const poet_panel* panel, float* y) {
  multiply(rows, left, panel, y);
}

void poet_panel_product_f32(const poet_panel_rows* rows, const float* left, const poet_panel* panel,
                            float* y) {
#if defined(HAS_TWO_KINDS)
  if (__builtin_cpu_supports("avx2")) {
    multiply_avx2(rows, left, panel, y);
    return;
  }
#endif
  multiply(rows, left, panel, y);
}
