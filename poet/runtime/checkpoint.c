#include "poet/runtime/checkpoint.h"

#include <stddef.h>

#include "poet/runtime/crc32.h"

enum { MARK, FINGERPRINT, SEQUENCE, STEP, VALUES_SUM, VALUES_BYTES, VERSION, HEADER_SUM };

static uint32_t whole_blocks(const poet_checkpoint_place* place, uint32_t bytes) {
  return (bytes + place->block_bytes - 1u) / place->block_bytes * place->block_bytes;
}

static uint32_t header_offset(const poet_checkpoint_place* place, uint32_t slot) {
  return slot * place->slot_bytes;
}

static uint32_t values_offset(const poet_checkpoint_place* place, uint32_t slot) {
  return header_offset(place, slot) +
         whole_blocks(place, POET_CHECKPOINT_WORDS * (uint32_t)sizeof(uint32_t));
}

static uint32_t values_bytes(const poet_checkpoint_place* place) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < place->count; ++i) bytes += place->values[i].bytes;
  return bytes;
}

/* So much of the passage as whole blocks fill, where there is one. */
static uint32_t piece_bytes(const poet_checkpoint_place* place, const poet_passage* passage,
                            uint32_t left) {
  uint32_t piece = passage->bytes;
  if (piece > place->block_bytes) piece -= piece % place->block_bytes;
  return left < piece ? left : piece;
}

/* --- Slots */

typedef struct slot_walk {
  const poet_storage* storage;
  const poet_checkpoint_place* place;
  const poet_passage* passage;
} slot_walk;

static poet_status read_header(const slot_walk* walk, uint32_t slot, uint32_t* words) {
  return poet_storage_read(walk->storage, header_offset(walk->place, slot), words,
                           POET_CHECKPOINT_WORDS * (uint32_t)sizeof(uint32_t));
}

static int is_ours(const poet_checkpoint_place* place, const uint32_t* words) {
  const uint32_t sum = poet_crc32(0, words, HEADER_SUM * (uint32_t)sizeof(uint32_t));
  return words[MARK] == POET_CHECKPOINT_MARK && words[FINGERPRINT] == place->fingerprint &&
         words[VERSION] == POET_CHECKPOINT_VERSION && words[VALUES_BYTES] == values_bytes(place) &&
         words[HEADER_SUM] == sum;
}

static poet_status sum_of_slot(const slot_walk* walk, uint32_t slot, uint32_t* sum) {
  uint32_t offset = values_offset(walk->place, slot);
  *sum = 0;
  for (uint32_t i = 0; i < walk->place->count; ++i) {
    const uint32_t bytes = walk->place->values[i].bytes;
    for (uint32_t done = 0; done < bytes;) {
      const uint32_t piece = piece_bytes(walk->place, walk->passage, bytes - done);
      const poet_status status =
          poet_storage_read(walk->storage, offset + done, walk->passage->memory, piece);
      if (status != POET_OK) return status;
      *sum = poet_crc32(*sum, walk->passage->memory, piece);
      done += piece;
    }
    offset += whole_blocks(walk->place, bytes);
  }
  return POET_OK;
}

/* --- Values home, and from there */

static poet_status bring_home(const slot_walk* walk, const poet_kept_value* value,
                              uint32_t offset) {
  if (value->memory != NULL)
    return poet_storage_read(walk->storage, offset, value->memory, value->bytes);
  for (uint32_t done = 0; done < value->bytes;) {
    const uint32_t piece = piece_bytes(walk->place, walk->passage, value->bytes - done);
    poet_status status =
        poet_storage_read(walk->storage, offset + done, walk->passage->memory, piece);
    if (status == POET_OK)
      status =
          poet_storage_write(walk->storage, value->offset + done, walk->passage->memory, piece);
    if (status != POET_OK) return status;
    done += piece;
  }
  return POET_OK;
}

static poet_status keep(const slot_walk* walk, const poet_kept_value* value, uint32_t offset,
                        uint32_t* sum) {
  if (value->memory != NULL) {
    *sum = poet_crc32(*sum, value->memory, value->bytes);
    return poet_storage_write(walk->storage, offset, value->memory, value->bytes);
  }
  for (uint32_t done = 0; done < value->bytes;) {
    const uint32_t piece = piece_bytes(walk->place, walk->passage, value->bytes - done);
    poet_status status =
        poet_storage_read(walk->storage, value->offset + done, walk->passage->memory, piece);
    if (status != POET_OK) return status;
    *sum = poet_crc32(*sum, walk->passage->memory, piece);
    status = poet_storage_write(walk->storage, offset + done, walk->passage->memory, piece);
    if (status != POET_OK) return status;
    done += piece;
  }
  return POET_OK;
}

static poet_status bring_all_home(const slot_walk* walk, uint32_t slot) {
  uint32_t offset = values_offset(walk->place, slot);
  for (uint32_t i = 0; i < walk->place->count; ++i) {
    const poet_status status = bring_home(walk, &walk->place->values[i], offset);
    if (status != POET_OK) return status;
    offset += whole_blocks(walk->place, walk->place->values[i].bytes);
  }
  return POET_OK;
}

/* --- Both together */

/* A slot that cannot be read is as good as one that is not whole: the other one may be. */
static int is_whole(const slot_walk* walk, uint32_t slot, const uint32_t* words) {
  uint32_t sum = 0;
  return sum_of_slot(walk, slot, &sum) == POET_OK && sum == words[VALUES_SUM];
}

poet_status poet_checkpoint_load(const poet_storage* storage, const poet_checkpoint_place* place,
                                 const poet_passage* passage, poet_checkpoint* loaded) {
  const slot_walk walk = {storage, place, passage};
  uint32_t headers[2][POET_CHECKPOINT_WORDS];
  int usable[2];
  for (uint32_t slot = 0; slot < 2u; ++slot)
    usable[slot] =
        read_header(&walk, slot, headers[slot]) == POET_OK && is_ours(place, headers[slot]);
  /* Numbers may wrap: the later of the two is less than half the circle ahead. */
  const uint32_t newer =
      usable[1] && (!usable[0] || headers[1][SEQUENCE] - headers[0][SEQUENCE] < 0x80000000u);
  for (uint32_t turn = 0; turn < 2u; ++turn) {
    const uint32_t slot = newer ^ turn;
    if (!usable[slot] || !is_whole(&walk, slot, headers[slot])) continue;
    const poet_status status = bring_all_home(&walk, slot);
    if (status != POET_OK) return status;
    loaded->sequence = headers[slot][SEQUENCE];
    loaded->step = headers[slot][STEP];
    return POET_OK;
  }
  if (storage->error != NULL) storage->error(storage->user, POET_NO_CHECKPOINT, 0);
  return POET_NO_CHECKPOINT;
}

poet_status poet_checkpoint_save(const poet_storage* storage, const poet_checkpoint_place* place,
                                 const poet_passage* passage, uint32_t step,
                                 poet_checkpoint* last) {
  const slot_walk walk = {storage, place, passage};
  const uint32_t sequence = last->sequence + 1u;
  const uint32_t slot = sequence & 1u;
  uint32_t words[POET_CHECKPOINT_WORDS] = {
      POET_CHECKPOINT_MARK, place->fingerprint,      sequence, step, 0,
      values_bytes(place),  POET_CHECKPOINT_VERSION, 0};
  uint32_t offset = values_offset(place, slot);
  for (uint32_t i = 0; i < place->count; ++i) {
    const poet_status status = keep(&walk, &place->values[i], offset, &words[VALUES_SUM]);
    if (status != POET_OK) return status;
    offset += whole_blocks(place, place->values[i].bytes);
  }
  words[HEADER_SUM] = poet_crc32(0, words, HEADER_SUM * (uint32_t)sizeof(uint32_t));
  const poet_status status =
      poet_storage_write(storage, header_offset(place, slot), words, (uint32_t)sizeof words);
  if (status != POET_OK) return status;
  last->sequence = sequence;
  last->step = step;
  return POET_OK;
}
