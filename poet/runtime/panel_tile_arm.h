/* Tiles of four columns for Arm's processors with 32 registers of one value (Cortex-M4F, M7, M33):
 * for panel_product.c. Compilers load every value by itself; loaded in twos, a step of four rows
 * takes 37.5 instructions in place of 42. Products and sums are those of panel_tile.h, in its
 * order, each rounded. vmla, which rounds as they do, takes a Cortex-M4 longer than both. */
#pragma once

#include "poet/runtime/panel_product.h"

/* Row r has the sums s(4 r) to s(4 r + 3), and the factors of two steps in s(16 + 2 r) and behind.
 */
#define POET_ARM_SUMS_0 "{s0-s3}"
#define POET_ARM_SUMS_1 "{s4-s7}"
#define POET_ARM_SUMS_2 "{s8-s11}"
#define POET_ARM_SUMS_3 "{s12-s15}"
#define POET_ARM_FACTORS_0 "{s16-s17}"
#define POET_ARM_FACTORS_1 "{s18-s19}"
#define POET_ARM_FACTORS_2 "{s20-s21}"
#define POET_ARM_FACTORS_3 "{s22-s23}"

#define POET_ARM_UP_2(DO) DO(0) DO(1)
#define POET_ARM_UP_3(DO) POET_ARM_UP_2(DO) DO(2)
#define POET_ARM_UP_4(DO) POET_ARM_UP_3(DO) DO(3)
#define POET_ARM_DOWN_2(DO) DO(1) DO(0)
#define POET_ARM_DOWN_3(DO) DO(2) POET_ARM_DOWN_2(DO)
#define POET_ARM_DOWN_4(DO) DO(3) POET_ARM_DOWN_3(DO)

#define POET_ARM_LOAD(r)            \
  "vldmia %[y], " POET_ARM_SUMS_##r \
      "\n\t"                        \
      "add %[y], %[y], %[y_bytes]\n\t"
#define POET_ARM_STORE(r)          \
  "sub %[y], %[y], %[y_bytes]\n\t" \
  "vstmia %[y], " POET_ARM_SUMS_##r "\n\t"
/* Where the factors of each row are, from the offset of the run in `step`. */
#define POET_ARM_POINT_0 "add %[row0], %[left], %[step], lsl #2\n\t"
#define POET_ARM_POINT_1 "add %[row1], %[row0], %[left_bytes]\n\t"
#define POET_ARM_POINT_2 "add %[row2], %[row1], %[left_bytes]\n\t"
#define POET_ARM_POINT_3 "add %[row3], %[row2], %[left_bytes]\n\t"
#define POET_ARM_POINT(r) POET_ARM_POINT_##r

/* The values s24 to s27 of a row of the panel, `first` and `third` bytes behind where it begins. */
#define POET_ARM_VALUES(first, third) \
  "vldr d12, [%[values], #" first     \
  "]\n\t"                             \
  "vldr d13, [%[values], #" third "]\n\t"
#define POET_ARM_ADD(f, s0, s1, s2, s3) \
  "vmul.f32 s28, s24, s" #f             \
  "\n\t"                                \
  "vmul.f32 s29, s25, s" #f             \
  "\n\t"                                \
  "vmul.f32 s30, s26, s" #f             \
  "\n\t"                                \
  "vmul.f32 s31, s27, s" #f             \
  "\n\t"                                \
  "vadd.f32 s" #s0 ", s" #s0            \
  ", s28\n\t"                           \
  "vadd.f32 s" #s1 ", s" #s1            \
  ", s29\n\t"                           \
  "vadd.f32 s" #s2 ", s" #s2            \
  ", s30\n\t"                           \
  "vadd.f32 s" #s3 ", s" #s3 ", s31\n\t"
#define POET_ARM_FIRST_0 POET_ARM_ADD(16, 0, 1, 2, 3)
#define POET_ARM_FIRST_1 POET_ARM_ADD(18, 4, 5, 6, 7)
#define POET_ARM_FIRST_2 POET_ARM_ADD(20, 8, 9, 10, 11)
#define POET_ARM_FIRST_3 POET_ARM_ADD(22, 12, 13, 14, 15)
#define POET_ARM_SECOND_0 POET_ARM_ADD(17, 0, 1, 2, 3)
#define POET_ARM_SECOND_1 POET_ARM_ADD(19, 4, 5, 6, 7)
#define POET_ARM_SECOND_2 POET_ARM_ADD(21, 8, 9, 10, 11)
#define POET_ARM_SECOND_3 POET_ARM_ADD(23, 12, 13, 14, 15)
#define POET_ARM_FIRST(r) POET_ARM_FIRST_##r
#define POET_ARM_SECOND(r) POET_ARM_SECOND_##r

#define POET_ARM_TWO_FACTORS(r) "vldmia %[row" #r "]!, " POET_ARM_FACTORS_##r "\n\t"
#define POET_ARM_FACTOR_0 "s16"
#define POET_ARM_FACTOR_1 "s18"
#define POET_ARM_FACTOR_2 "s20"
#define POET_ARM_FACTOR_3 "s22"
#define POET_ARM_FACTOR(r)                  \
  "vldr " POET_ARM_FACTOR_##r ", [%[row" #r \
                              "]]\n\t"      \
                              "add %[row" #r "], %[row" #r "], %[step], lsl #2\n\t"

typedef char poet_arm_run_is_as_read_below[sizeof(poet_panel_run) == 12 ? 1 : -1];

/* Run by run: two rows of the panel at a time where factors are neighbours, else one. */
#define POET_ARM_TILE(NAME, UP, DOWN)                                                        \
  static void NAME(const poet_panel* panel, const float* values, const float* left,          \
                   ptrdiff_t left_stride, float* y, ptrdiff_t y_stride) {                    \
    const poet_panel_run* run = panel->runs;                                                 \
    ptrdiff_t rest, step, row0, row1, row2, row3;                                            \
    __asm__ volatile(                                                                      \
        UP(POET_ARM_LOAD)                                                                  \
        "1:\n\t"                                                                           \
        "ldr %[rest], [%[run], #8]\n\t"                                                    \
        "ldr %[step], [%[run]]\n\t"                                                        \
        "cmp %[rest], #0\n\t"                                                              \
        "beq 7f\n\t"                                                                       \
        UP(POET_ARM_POINT)                                                                 \
        "ldr %[step], [%[run], #4]\n\t"                                                    \
        "add %[run], %[run], #12\n\t"                                                      \
        "cmp %[step], #1\n\t"                                                              \
        "beq 4f\n\t"                                                                       \
        /* One row of the panel at a time. */                                              \
        "3:\n\t"                                                                           \
        UP(POET_ARM_FACTOR)                                                                \
        POET_ARM_VALUES("0", "8")                                                          \
        UP(POET_ARM_FIRST)                                                                 \
        "add %[values], %[values], #32\n\t"                                                \
        "subs %[rest], %[rest], #1\n\t"                                                    \
        "bgt 3b\n\t"                                                                       \
        "b 1b\n\t"                                                                         \
        /* Two, whose factors follow each other. */                                        \
        "4:\n\t"                                                                           \
        "subs %[rest], %[rest], #2\n\t"                                                    \
        "blt 6f\n\t"                                                                       \
        "5:\n\t"                                                                           \
        UP(POET_ARM_TWO_FACTORS)                                                           \
        POET_ARM_VALUES("0", "8")                                                          \
        UP(POET_ARM_FIRST)                                                                 \
        POET_ARM_VALUES("32", "40")                                                        \
        UP(POET_ARM_SECOND)                                                                \
        "add %[values], %[values], #64\n\t"                                                \
        "subs %[rest], %[rest], #2\n\t"                                                    \
        "bge 5b\n\t"                                                                       \
        "6:\n\t"                                                                           \
        "adds %[rest], %[rest], #2\n\t"                                                    \
        "bne 3b\n\t"                                                                       \
        "b 1b\n\t"                                                                         \
        "7:\n\t"                                                                           \
        DOWN(POET_ARM_STORE)                                                               \
        : [run] "+r"(run), [values] "+r"(values), [y] "+r"(y), [rest] "=&r"(rest),         \
          [step] "=&r"(step), [row0] "=&r"(row0), [row1] "=&r"(row1), [row2] "=&r"(row2),  \
          [row3] "=&r"(row3)                                                               \
        : [left] "r"(left), [left_bytes] "r"(left_stride * 4), [y_bytes] "r"(y_stride * 4) \
        : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", \
          "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23",     \
          "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31", "cc", "memory"); \
  }

POET_ARM_TILE(multiply_rows, POET_ARM_UP_4, POET_ARM_DOWN_4)
POET_ARM_TILE(multiply_three, POET_ARM_UP_3, POET_ARM_DOWN_3)
POET_ARM_TILE(multiply_two, POET_ARM_UP_2, POET_ARM_DOWN_2)
