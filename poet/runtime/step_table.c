#include "poet/runtime/step_table.h"

uint32_t poet_code_number(const unsigned char** codes) {
  uint32_t number = 0;
  for (uint32_t shift = 0;; shift += 7u) {
    const uint32_t code = *(*codes)++;
    number |= (code & 0x7Fu) << shift;
    if (code < 0x80u) return number;
  }
}

static uint32_t place_number(const unsigned char** codes) {
  const uint32_t first = *(*codes)++;
  if (first >= 0xE0u) return (first & 0x1Fu) | poet_code_number(codes) << 5;
  return first << 8 | *(*codes)++;
}

void* poet_place_at(const poet_step_plan* plan, uint32_t place) {
  const poet_step_arena* const end = plan->arenas + plan->arena_count;
  for (const poet_step_arena* arena = plan->arenas; arena != end; ++arena) {
    if (place < arena->places) return arena->bytes + (uint32_t)POET_PLACE_BYTES * place;
    place -= arena->places;
  }
  return plan->constants[place];
}

static uint32_t transfer_offset(poet_step_reader* reader, uint32_t bytes) {
  const uint32_t block_bytes = reader->plan->block_bytes;
  const uint32_t code = poet_code_number(&reader->codes);
  const uint32_t half = (code + 1u) / 2u;
  const uint32_t block = (code & 1u) == 0u ? reader->block + half : reader->block - half;
  reader->block = block + (bytes + block_bytes - 1u) / block_bytes;
  return block * block_bytes;
}

void poet_step_next(poet_step_reader* reader, poet_step_action* action) {
  const poet_step_work* work = &reader->plan->works[poet_code_number(&reader->codes)];
  action->work = work;
  action->offset = work->kind == POET_WORK_READ || work->kind == POET_WORK_WRITE
                       ? transfer_offset(reader, work->call)
                       : 0u;
  for (uint32_t i = 0; i < work->places; ++i)
    action->at[i] = poet_place_at(reader->plan, place_number(&reader->codes));
}
