/* Transfers beside the processor: a step issues them, goes on, and waits for one only where it
 * needs what that moves. They end in the order in which they were issued, one at a time, as the
 * plan counts on (docs/model/problem.md §3.2).
 *
 * Who owns the storage begins them and says when each has ended, from an interrupt if it likes: on
 * one processor, where an interrupt runs to its end before what it interrupted goes on. */
#pragma once

#include <stdint.h>

#include "poet/runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_transfer {
  void* memory;
  uint32_t offset; /* in storage */
  uint32_t bytes;
  uint32_t to_storage; /* 1: a write */
} poet_transfer;

/* What the owner of a storage with its own way to memory (DMA) has for it. */
typedef struct poet_channel {
  void* user; /* handed back to each callback */
  /* Begins a transfer; there is never a second one under way. When it has ended its owner calls
   * poet_transfers_ended(), from here, from `idle` or from an interrupt. `transfer` is there until
   * then. */
  void (*begin)(void* user, const poet_transfer* transfer);
  /* Called again and again while the processor has nothing to do but to wait: sleeps until an
   * interrupt, or looks whether the transfer has ended. */
  void (*idle)(void* user);
  /* Called between actions while a transfer is under way, for who looks and has no interrupt. May
   * be NULL. */
  void (*look)(void* user);
} poet_channel;

/* A queue of transfers. The counts go up for ever, and around at 2^32. */
typedef struct poet_transfers {
  const poet_storage* storage;
  const poet_channel* channel; /* NULL: each transfer is done when it is issued */
  poet_transfer* queue;
  uint32_t size; /* of the queue: a power of two */
  volatile uint32_t issued;
  volatile uint32_t begun; /* ended, or one more */
  volatile uint32_t ended;
  volatile uint32_t failed; /* not 0: the one that ended last, or all are given up; none begins */
} poet_transfers;

/* Waits only where the queue is full. Fails where an earlier one has failed. */
poet_status poet_transfers_issue(poet_transfers* transfers, const poet_transfer* transfer);

/* Returns when at most `left` of those that were issued have not ended, or one has failed. */
poet_status poet_transfers_wait(poet_transfers* transfers, uint32_t left);

/* Between two actions. */
void poet_transfers_look(const poet_transfers* transfers);

/* The transfer that is under way has ended. The next one begins in this call. */
void poet_transfers_ended(poet_transfers* transfers, int32_t failed);

/* Gives up those that have not begun, and returns when none is under way. */
void poet_transfers_drain(poet_transfers* transfers);

#ifdef __cplusplus
}
#endif
