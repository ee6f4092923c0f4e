/* A whole training from what the port opens: checkpoints and pages where poet_train.h has them, and
 * behind them examples.bin, as `make port.image` lays them out. For a first try; your own program
 * has examples of its own. */
#pragma once

#include <stdint.h>

#include "poet/runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_card_training {
  uint32_t examples;   /* that the file has: README.md says how many */
  uint32_t steps;      /* in all, those of the checkpoint included */
  uint32_t save_every; /* a checkpoint after so many steps, and one at the end */
  void (*tell)(uint32_t step, float loss); /* after each step; may be NULL */
} poet_card_training;

/* Goes on from the last checkpoint. What a card failed of, poet_port_problem() says. */
poet_status poet_train_from_card(const poet_card_training* training);

#ifdef __cplusplus
}
#endif
