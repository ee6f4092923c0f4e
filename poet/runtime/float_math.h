/* Elementary functions in single precision, the same to the last bit on every host and board.
 *
 * A C library's exp differs from one machine to the next; these are made of IEEE 754 additions,
 * multiplications and divisions (round to nearest, no contraction) and of integer arithmetic only.
 * Each follows the special values of C99, Annex F: NaN gives NaN, overflow gives an infinity,
 * results below 2^-126 are rounded into the subnormals. No flags, no errno.
 *
 * Errors, in units in the last place, were measured against double precision over every 601st
 * float (float_math_test.cc):
 *
 *   function   largest error    method
 *   sqrt       0.5 (correct)    Newton's step on 1 / sqrt, mended in integers
 *   exp        1                x = n log 2 + r, minimax polynomial in r
 *   expm1      2                the same polynomial without its 1
 *   log        1                2 atanh(f / (2 + f)), series
 *   log1p      1.5              the same, with the rounding of 1 + x made good
 *   tanh       1.5              minimax; from 0.55 on, 1 - 2 / (exp(2x) + 1)
 *   sigmoid    2.5              1 / (1 + exp(-x)) on the side that cannot overflow
 *   erf        1.5              minimax; from 0.84 on, 1 - exp(-g(x))
 *   sin, cos   1.5              x 2/pi modulo 4 in 64 bits, minimax; every finite x
 *   pow        0.51             exp(y log x) in double precision
 *
 * The polynomials were fitted for this file: least relative error at Chebyshev points, reweighted
 * until level.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

float poet_sqrt_f32(float x);

float poet_exp_f32(float x);
/* exp(x) - 1 without losing the digits of a small x. */
float poet_expm1_f32(float x);

float poet_log_f32(float x);
/* log(1 + x) without losing the digits of a small x. */
float poet_log1p_f32(float x);

float poet_tanh_f32(float x);
/* 1 / (1 + exp(-x)) */
float poet_sigmoid_f32(float x);
/* 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x */
float poet_erf_f32(float x);

float poet_sin_f32(float x);
float poet_cos_f32(float x);

float poet_pow_f32(float x, float y);

#ifdef __cplusplus
}
#endif
