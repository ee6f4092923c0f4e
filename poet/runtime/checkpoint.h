/* What training learned, kept at the beginning of the storage so that a power cut never takes it
 * all.
 *
 *   | header, values        | header, values        |
 *   | slot 0                | slot 1                | pages of the plan
 *   ^ multiples of what a power cut may damage      ^
 *
 * A checkpoint goes into the slot that does not hold the last one: its values first, then its
 * header, with a number one higher and checksums of both. Whatever is cut off in between, the other
 * slot is whole. Loading takes the slot with the higher number whose checksums are right.
 *
 * Flash is erased and written in pieces larger than a block, and a card that loses its power while
 * it writes one block may lose the whole piece. So both slots and the pages begin at such pieces,
 * and no write of one touches another. Headers and values begin at multiples of the block. */
#pragma once

#include <stdint.h>

#include "poet/runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value that outlives a step, where it is at home. */
typedef struct poet_kept_value {
  void* memory;    /* in RAM; NULL: in storage */
  uint32_t offset; /* in storage */
  uint32_t bytes;
} poet_kept_value;

typedef struct poet_checkpoint_place {
  const poet_kept_value* values;
  uint32_t count;
  uint32_t block_bytes; /* of the storage, at least 1 */
  uint32_t slot_bytes;  /* from slot 0 to slot 1, and on to the pages */
  uint32_t fingerprint; /* of the plan: checkpoints of another are not loaded */
} poet_checkpoint_place;

/* Which one, and after how many steps. */
typedef struct poet_checkpoint {
  uint32_t sequence;
  uint32_t step;
} poet_checkpoint;

/* Words of a header: mark, fingerprint, sequence, step, checksum of the values (poet/runtime/
 * crc32.h, one value after the other, without gaps), bytes of the values, version, and the checksum
 * of these seven. Least significant byte first. */
enum { POET_CHECKPOINT_WORDS = 8 };
/* Of this layout. In the first, which had 0 here, both headers stood side by side at the beginning;
 * its checkpoints are not loaded. */
#define POET_CHECKPOINT_VERSION 2u
#define POET_CHECKPOINT_MARK 0x54454F50u /* "POET" */

/* Memory that values pass through on their way: any size but 0; a whole number of blocks is best.
 * It must not be that of a kept value. */
typedef struct poet_passage {
  void* memory;
  uint32_t bytes;
} poet_passage;

/* Brings every value back, after both its header and its values were found whole. When that fails,
 * values are half old and half new. */
poet_status poet_checkpoint_load(const poet_storage* storage, const poet_checkpoint_place* place,
                                 const poet_passage* passage, poet_checkpoint* loaded);

/* Writes the checkpoint after `last`, and then makes `last` that. When it fails, `last` stays, in
 * storage too. */
poet_status poet_checkpoint_save(const poet_storage* storage, const poet_checkpoint_place* place,
                                 const poet_passage* passage, uint32_t step, poet_checkpoint* last);

#ifdef __cplusplus
}
#endif
