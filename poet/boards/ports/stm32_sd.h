/* An SD card on four wires at the host controller that the STM32F4 calls SDIO, and the STM32F7
 * SDMMC: the registers of both are those of Arm's PL181, and at the same places
 * (STMicroelectronics, RM0090, section 31.9; RM0385, section 35.8; Arm DDI 0205, chapter 3). The
 * card's side is that of the SD Physical Layer Simplified Specification 9.00, chapter 4. */
#pragma once

#include <stdint.h>

#include "poet/boards/ports/sd_card.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poet_sdio_card {
  uint32_t base;     /* of the controller's registers */
  uint32_t clock_hz; /* that drives it: 48 MHz */
  uint32_t divisor;  /* of that, while data move; 2 or more */
  uint32_t address;  /* that the card gave itself, in the upper half */
  int32_t addresses_blocks;
  poet_blocks blocks; /* of which there are none when no card is open */
  uint8_t buffer[POET_SD_BLOCK_BYTES];
} poet_sdio_card;

/* Starts the card, and makes it a storage; both must stay. Pins and clock are the caller's. */
poet_port_status poet_sdio_storage(poet_sdio_card* card, uint32_t base, uint32_t clock_hz,
                                   poet_storage* storage);

#ifdef __cplusplus
}
#endif
