/* A channel whose transfers happen as late as they may: when the step waits for them. */
#pragma once

#include "poet_train.h"

#ifdef POET_OVERLAPPED
typedef struct late_channel {
  const poet_storage* storage;
  const poet_transfer* begun;
} late_channel;

static void begin_late(void* user, const poet_transfer* transfer) {
  ((late_channel*)user)->begun = transfer;
}

static void do_begun(void* user) {
  const late_channel* const late = user;
  const poet_storage* const storage = late->storage;
  const poet_transfer* const move = late->begun;
  poet_transfer_ended(move->to_storage != 0u
                          ? storage->write(storage->user, move->offset, move->memory, move->bytes)
                          : storage->read(storage->user, move->offset, move->memory, move->bytes));
}

static void set_late_channel(const poet_storage* storage) {
  static late_channel late;
  static const poet_channel channel = {&late, begin_late, do_begun, NULL};
  poet_set_channel(NULL);
  late.storage = storage;
  poet_set_channel(&channel);
}
#else
static void set_late_channel(const poet_storage* storage) {
  (void)storage;
}
#endif
