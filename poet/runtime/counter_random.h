/* Random numbers as a pure function of a counter and a key: Philox 4x32 with 10 rounds, of
 * J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC
 * 2011).
 *
 * The same counter and key give the same four words on every machine, in any order, so what was
 * drawn in a forward pass is drawn again in the backward pass instead of being kept. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_philox_key {
  uint32_t word[2];
} poet_philox_key;

typedef struct poet_philox_block {
  uint32_t word[4];
} poet_philox_block;

/* Four random words for a counter of four words. */
poet_philox_block poet_philox_4x32(poet_philox_block counter, poet_philox_key key);

#ifdef __cplusplus
}
#endif
