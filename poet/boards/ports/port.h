/* What every port has: a card or flash that is set up by one call, and serves as the storage that
 * poet_connect() of poet_train.h wants. */
#pragma once

#include <stdint.h>

#include "poet/runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How it went. Only POET_PORT_OK is 0. */
typedef enum poet_port_status {
  POET_PORT_OK = 0,
  POET_PORT_NO_CARD,      /* nothing answers: no card, no flash, or a wire is loose */
  POET_PORT_UNUSABLE,     /* it answers, and is of no kind that this port knows */
  POET_PORT_TIMEOUT,      /* it began to answer, and did not come to an end in time */
  POET_PORT_BAD_CHECKSUM, /* what arrived is not what was sent, however often */
  POET_PORT_REFUSED,      /* it said no: locked, worn out, or broken */
  POET_PORT_OUT_OF_RANGE, /* behind the end of it */
  POET_PORT_BUS           /* the chip's own transfer did not come to an end */
} poet_port_status;

/* Sets up pins, clock and bus, starts the card or flash, and fills in the storage, but for its
 * error(), which may be set afterwards. May be called again, for example after another card was put
 * in; then poet_load() comes next. */
poet_port_status poet_port_open(poet_storage* storage);

/* What the last transfer came to: the callbacks of a storage can only say that it failed. */
poet_port_status poet_port_problem(void);

#ifdef __cplusplus
}
#endif
