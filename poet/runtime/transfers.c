#include "poet/runtime/transfers.h"

#include <stddef.h>

/* What memory holds when this is passed is what it holds for an interrupt and for a transfer, and
 * the other way round: the compiler moves no access across it. */
#if defined(__GNUC__)
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")
#else
#define COMPILER_BARRIER() (void)0
#endif

static poet_transfer* queued(const poet_transfers* transfers, uint32_t number) {
  return &transfers->queue[number & (transfers->size - 1u)];
}

static uint32_t left_of(const poet_transfers* transfers) {
  const uint32_t ended = transfers->ended; /* first: it only grows */
  return transfers->issued - ended;
}

static void begin(poet_transfers* transfers, uint32_t number) {
  transfers->begun = number + 1u;
  transfers->channel->begin(transfers->channel->user, queued(transfers, number));
}

static poet_status move_now(const poet_transfers* transfers, const poet_transfer* transfer) {
  if (transfer->to_storage != 0u)
    return poet_storage_write(transfers->storage, transfer->offset, transfer->memory,
                              transfer->bytes);
  return poet_storage_read(transfers->storage, transfer->offset, transfer->memory, transfer->bytes);
}

/* One that failed stays at the place of the one that ended last. */
static poet_status told_of_failure(const poet_transfers* transfers) {
  const poet_transfer* const transfer = queued(transfers, transfers->ended - 1u);
  const poet_status status = transfer->to_storage != 0u ? POET_WRITE_FAILED : POET_READ_FAILED;
  const poet_storage* const storage = transfers->storage;
  if (storage->error != NULL) storage->error(storage->user, status, transfer->offset);
  return status;
}

poet_status poet_transfers_issue(poet_transfers* transfers, const poet_transfer* transfer) {
  if (transfers->channel == NULL) return move_now(transfers, transfer);
  const poet_status status = poet_transfers_wait(transfers, transfers->size - 1u);
  if (status != POET_OK) return status;
  const uint32_t number = transfers->issued;
  *queued(transfers, number) = *transfer;
  COMPILER_BARRIER();
  transfers->issued = number + 1u;
  /* Where the one before had ended when this one came, nobody else begins it. Where it has ended
   * since, that began this one. */
  if (transfers->ended == number && transfers->begun == number && transfers->failed == 0u)
    begin(transfers, number);
  return POET_OK;
}

poet_status poet_transfers_wait(poet_transfers* transfers, uint32_t left) {
  if (transfers->channel == NULL) return POET_OK;
  while (transfers->failed == 0u && left_of(transfers) > left)
    transfers->channel->idle(transfers->channel->user);
  COMPILER_BARRIER();
  return transfers->failed == 0u ? POET_OK : told_of_failure(transfers);
}

void poet_transfers_look(const poet_transfers* transfers) {
  const poet_channel* const channel = transfers->channel;
  if (channel != NULL && channel->look != NULL && transfers->begun != transfers->ended)
    channel->look(channel->user);
}

void poet_transfers_ended(poet_transfers* transfers, int32_t failed) {
  COMPILER_BARRIER();
  const uint32_t next = transfers->ended + 1u;
  if (failed != 0) transfers->failed = 1u;
  transfers->ended = next;
  if (transfers->failed == 0u && transfers->issued != next) begin(transfers, next);
}

void poet_transfers_drain(poet_transfers* transfers) {
  if (transfers->channel == NULL) return;
  transfers->failed = 1u; /* before all else: from here on none is begun */
  while (transfers->ended != transfers->begun) transfers->channel->idle(transfers->channel->user);
  COMPILER_BARRIER();
  transfers->issued = transfers->ended;
  transfers->failed = 0u;
}
