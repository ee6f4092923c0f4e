/* What changes from one training step to the next, for the kernels that depend on it. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Eight words. Made on the host once per micro-batch; an update reads that of the last one. */
typedef struct poet_step_words {
  uint32_t seed_low; /* the seed of the run, 64 bits */
  uint32_t seed_high;
  uint32_t step;        /* of the update that this step ends with: 1 for the first */
  uint32_t micro_batch; /* within the step, from 0 */
  float learning_rate;
  float first_correction;  /* 1 - beta1^step, Adam's; computed in double precision */
  float second_correction; /* 1 - beta2^step */
  float loss_scale;        /* what the loss was multiplied with, 1 if nothing */
} poet_step_words;

#ifdef __cplusplus
}
#endif
