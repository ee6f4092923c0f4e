/* Whole blocks as a storage of bytes. */
#pragma once

#include <stdint.h>

#include "poet/boards/ports/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A card or flash that moves whole blocks. */
typedef struct poet_blocks {
  void* user; /* handed back */
  uint32_t block_bytes;
  uint32_t count;
  uint8_t* buffer; /* of a block, where words may lie */
  poet_port_status (*read)(void* user, uint32_t first, uint8_t* into, uint32_t count);
  poet_port_status (*write)(void* user, uint32_t first, const uint8_t* from, uint32_t count);
  poet_port_status problem; /* of the last transfer */
} poet_blocks;

/* Its callbacks for poet_connect(); both must stay. Of a block that is asked for in part, the rest
 * is read first and written again: it may be the next row of a table. */
void poet_blocks_storage(poet_blocks* blocks, poet_storage* storage);

/* Two of these; `user` is a poet_blocks. */
int32_t poet_blocks_read(void* user, uint32_t offset, void* into, uint32_t bytes);
int32_t poet_blocks_write(void* user, uint32_t offset, const void* from, uint32_t bytes);

#ifdef __cplusplus
}
#endif
