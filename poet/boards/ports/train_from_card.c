#include "poet/boards/ports/train_from_card.h"

#include <stddef.h>

#include "poet/boards/ports/port.h"
#include "poet_train.h"
#ifdef POET_PORT_CHANNEL /* of a port and a plan with transfers beside the processor */
#include "poet/boards/ports/stm32_channel.h"
#endif

/* The first block behind the pages. */
enum { SECTOR_BYTES = 512 };
#define EXAMPLES_BEGIN \
  ((POET_STORAGE_BYTES + SECTOR_BYTES - 1u) / SECTOR_BYTES * (uint32_t)SECTOR_BYTES)

static poet_storage storage;
static poet_examples examples;
static uint32_t example_count;
static const uint32_t kInputBytes[POET_INPUTS] = POET_INPUT_BYTES;

/* Of one example, and of all its inputs before one of them. */
static uint32_t bytes_before(uint32_t input) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < input; ++i) bytes += kInputBytes[i];
  return bytes;
}

/* The examples of the file again and again. */
static int32_t read_part(void* user, poet_input input, uint32_t first, uint32_t offset, void* into,
                         uint32_t bytes) {
  const uint32_t size = kInputBytes[input];
  uint8_t* next = (uint8_t*)into;
  (void)user;
  while (bytes > 0u) {
    const uint32_t example = (first + offset / size) % example_count;
    const uint32_t left = size - offset % size; /* of this example */
    const uint32_t piece = bytes < left ? bytes : left;
    const uint32_t place = EXAMPLES_BEGIN + example * bytes_before(POET_INPUTS) +
                           bytes_before((uint32_t)input) + offset % size;
    if (storage.read(storage.user, place, next, piece) != 0) return -1;
    next += piece;
    offset += piece;
    bytes -= piece;
  }
  return 0;
}

static int32_t read_examples(void* user, poet_input input, uint32_t first, void* into,
                             uint32_t bytes) {
  return read_part(user, input, first, 0, into, bytes);
}

static poet_status begin(uint32_t count) {
  example_count = count;
  examples.read = read_examples;
#if POET_INPUTS_IN_PIECES
  examples.read_part = read_part;
#endif
  if (poet_port_open(&storage) != POET_PORT_OK) return POET_READ_FAILED;
  const poet_status status = poet_connect(&storage, &examples);
  if (status != POET_OK) return status;
#ifdef POET_PORT_CHANNEL
  poet_set_channel(poet_port_channel(poet_transfer_ended));
#endif
  return poet_load();
}

poet_status poet_train_from_card(const poet_card_training* training) {
  if (training->examples == 0u) return POET_EXAMPLES_FAILED;
  poet_status status = begin(training->examples);
  while (status == POET_OK && poet_steps_done() < training->steps) {
    float loss = 0.0f;
    status = poet_step(&loss);
    if (status != POET_OK) return status;
    if (training->tell != NULL) training->tell(poet_steps_done(), loss);
    if (training->save_every > 0u && poet_steps_done() % training->save_every == 0u)
      status = poet_save();
  }
  return status == POET_OK ? poet_save() : status;
}
