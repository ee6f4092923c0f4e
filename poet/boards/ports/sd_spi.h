/* An SD card on SPI: what is said on the wires (SD Specifications Part 1, Physical Layer Simplified
 * Specification 9.00, chapter 7). How a chip sends and receives the bytes is its port's. */
#pragma once

#include <stdint.h>

#include "poet/boards/ports/sd_card.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A chip's SPI in mode 0, most significant bit first. */
typedef struct poet_sd_bus {
  void* user; /* handed back */
  /* Pulls the card's chip select low, or lets it go high. */
  void (*select)(void* user, int32_t is_selected);
  /* The quickest clock of at most so many bits a second; answers how many these are. Timeouts are
   * counted in bytes at that rate, so that no other clock is needed: pauses only make them longer.
   */
  uint32_t (*speed)(void* user, uint32_t hz);
  /* Sends and receives `bytes`; 0: done. `out` NULL: sends ones; `in` NULL: drops what comes. */
  int32_t (*exchange)(void* user, const uint8_t* out, uint8_t* in, uint32_t bytes);
} poet_sd_bus;

typedef struct poet_sd_card {
  const poet_sd_bus* bus;
  uint32_t bytes_in_ms;     /* that the bus moves in a millisecond, at most */
  int32_t addresses_blocks; /* SDHC, SDXC: commands name blocks; else bytes */
  poet_blocks blocks;       /* of which there are none when no card is open */
  uint8_t buffer[POET_SD_BLOCK_BYTES];
} poet_sd_card;

/* Begins with a card in any state. The bus must stay. */
poet_port_status poet_sd_open(poet_sd_card* card, const poet_sd_bus* bus);

/* Blocks of POET_SD_BLOCK_BYTES. Checksums are held against the data both ways, and what fails at
 * them is sent again, three times. A write has succeeded when the card says that it is written. */
poet_port_status poet_sd_read(poet_sd_card* card, uint32_t first, uint8_t* into, uint32_t count);
poet_port_status poet_sd_write(poet_sd_card* card, uint32_t first, const uint8_t* from,
                               uint32_t count);

/* For tests: of `bytes`, as the card wants them. */
uint8_t poet_sd_crc7(const uint8_t* bytes, uint32_t count);
uint16_t poet_sd_crc16(uint16_t crc, const uint8_t* bytes, uint32_t count);

/* Opens the card and makes it a storage; both must stay. */
poet_port_status poet_sd_storage(poet_sd_card* card, const poet_sd_bus* bus, poet_storage* storage);

#ifdef __cplusplus
}
#endif
