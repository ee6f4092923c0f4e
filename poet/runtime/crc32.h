#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The CRC-32 of Ethernet and ZIP (reflected, polynomial 0xEDB88320) of bytes that come piece by
 * piece: `crc` is that of the bytes before, 0 at the beginning. */
uint32_t poet_crc32(uint32_t crc, const void* bytes, uint32_t size);

#ifdef __cplusplus
}
#endif
