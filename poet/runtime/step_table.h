/* A training step as a table of bytes: its actions one after the other, each a few bytes long. What
 * many actions have in common stands once, in a list of works; an action names its work and says
 * where its tensors lie.
 *
 *   action of a call      number: its work | a place for each of its tensors
 *   action of a transfer  number: its work | blocks from the end of the last transfer | a place
 *   wait                  number: its work
 *
 *   number  7 bits a byte, the low ones first; the highest bit says that more follow
 *   blocks  a number: 2n forward, 2n - 1 back
 *   place   two bytes, the high one first, below E000h; else 1110 0000 + 5 low bits, then a number
 * with the others. Counted in 8 bytes of the arenas, one behind the other, and behind the last
 * in constants
 *
 * docs/decisions/0037-packed-steps.md says why, and what it costs. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { POET_PLACE_BYTES = 8 };

typedef enum poet_work_kind {
  POET_WORK_CALL,
  POET_WORK_READ,  /* from storage */
  POET_WORK_WRITE, /* to it */
  POET_WORK_STEP,  /* a call that belongs to the step itself, and is no action of its plan */
  POET_WORK_WAIT   /* until no more transfers are under way than it says; no action either */
} poet_work_kind;

/* What actions have in common. */
typedef struct poet_step_work {
  const void* shape; /* of a call */
  uint32_t call;     /* which one; of a transfer: bytes; of a wait: transfers */
  uint16_t kind;     /* poet_work_kind */
  uint16_t places;   /* that an action names */
} poet_step_work;

/* What a plan has of one memory. */
typedef struct poet_step_arena {
  unsigned char* bytes;
  uint32_t places;
} poet_step_arena;

/* What all tables of a plan have in common. */
typedef struct poet_step_plan {
  const poet_step_work* works;
  const poet_step_arena* arenas;
  void* const* constants;
  uint32_t arena_count;
  uint32_t block_bytes; /* of the storage */
} poet_step_plan;

typedef struct poet_step_reader {
  const poet_step_plan* plan;
  const unsigned char* codes; /* of the next action */
  uint32_t block; /* of the storage, where the last transfer ended; 0 in the beginning */
} poet_step_reader;

typedef struct poet_step_action {
  const poet_step_work* work;
  uint32_t offset; /* in storage, of a transfer */
  void** at;       /* work->places of them: the caller's memory */
} poet_step_action;

/* The next action; codes must have one. */
void poet_step_next(poet_step_reader* reader, poet_step_action* action);

/* Where a place is. */
void* poet_place_at(const poet_step_plan* plan, uint32_t place);

/* The number at `*codes`, which moves on. */
uint32_t poet_code_number(const unsigned char** codes);

#ifdef __cplusplus
}
#endif
