#include "poet/boards/ports/blocks.h"

#include <string.h>

/* Offsets of a storage have 32 bits. */
static uint32_t capacity_of(void* user) {
  const poet_blocks* const blocks = (const poet_blocks*)user;
  const uint32_t most = 0xFFFFFFFFu / blocks->block_bytes;
  return (blocks->count < most ? blocks->count : most) * blocks->block_bytes;
}

static int32_t is_outside(const poet_blocks* blocks, uint32_t offset, uint32_t bytes) {
  const uint32_t capacity = capacity_of((void*)(uintptr_t)blocks);
  return offset > capacity || bytes > capacity - offset;
}

/* How many of `bytes` from `offset` on are whole blocks; 0 where they begin within one. */
static uint32_t whole_blocks(const poet_blocks* blocks, uint32_t offset, uint32_t bytes) {
  return offset % blocks->block_bytes == 0u ? bytes / blocks->block_bytes : 0u;
}

/* How many of `bytes` from `offset` on lie in its block. */
static uint32_t in_block(const poet_blocks* blocks, uint32_t offset, uint32_t bytes) {
  const uint32_t left = blocks->block_bytes - offset % blocks->block_bytes;
  return bytes < left ? bytes : left;
}

static poet_port_status read_bytes(poet_blocks* blocks, uint32_t offset, uint8_t* into,
                                   uint32_t bytes) {
  if (is_outside(blocks, offset, bytes)) return POET_PORT_OUT_OF_RANGE;
  while (bytes > 0u) {
    const uint32_t first = offset / blocks->block_bytes;
    const uint32_t whole = whole_blocks(blocks, offset, bytes);
    const uint32_t piece =
        whole > 0u ? whole * blocks->block_bytes : in_block(blocks, offset, bytes);
    const poet_port_status status = whole > 0u
                                        ? blocks->read(blocks->user, first, into, whole)
                                        : blocks->read(blocks->user, first, blocks->buffer, 1u);
    if (status != POET_PORT_OK) return status;
    if (whole == 0u) memcpy(into, blocks->buffer + offset % blocks->block_bytes, piece);
    into += piece;
    offset += piece;
    bytes -= piece;
  }
  return POET_PORT_OK;
}

/* Changes `bytes` of one block. */
static poet_port_status write_within(poet_blocks* blocks, uint32_t offset, const uint8_t* from,
                                     uint32_t bytes) {
  const uint32_t block = offset / blocks->block_bytes;
  const poet_port_status status = blocks->read(blocks->user, block, blocks->buffer, 1u);
  if (status != POET_PORT_OK) return status;
  memcpy(blocks->buffer + offset % blocks->block_bytes, from, bytes);
  return blocks->write(blocks->user, block, blocks->buffer, 1u);
}

static poet_port_status write_bytes(poet_blocks* blocks, uint32_t offset, const uint8_t* from,
                                    uint32_t bytes) {
  if (is_outside(blocks, offset, bytes)) return POET_PORT_OUT_OF_RANGE;
  while (bytes > 0u) {
    const uint32_t whole = whole_blocks(blocks, offset, bytes);
    const uint32_t piece =
        whole > 0u ? whole * blocks->block_bytes : in_block(blocks, offset, bytes);
    const poet_port_status status =
        whole > 0u ? blocks->write(blocks->user, offset / blocks->block_bytes, from, whole)
                   : write_within(blocks, offset, from, piece);
    if (status != POET_PORT_OK) return status;
    from += piece;
    offset += piece;
    bytes -= piece;
  }
  return POET_PORT_OK;
}

int32_t poet_blocks_read(void* user, uint32_t offset, void* into, uint32_t bytes) {
  poet_blocks* const blocks = (poet_blocks*)user;
  blocks->problem = read_bytes(blocks, offset, (uint8_t*)into, bytes);
  return blocks->problem != POET_PORT_OK;
}

int32_t poet_blocks_write(void* user, uint32_t offset, const void* from, uint32_t bytes) {
  poet_blocks* const blocks = (poet_blocks*)user;
  blocks->problem = write_bytes(blocks, offset, (const uint8_t*)from, bytes);
  return blocks->problem != POET_PORT_OK;
}

void poet_blocks_storage(poet_blocks* blocks, poet_storage* storage) {
  blocks->problem = POET_PORT_OK;
  storage->user = blocks;
  storage->read = poet_blocks_read;
  storage->write = poet_blocks_write;
  storage->capacity = capacity_of;
  storage->error = 0;
}
