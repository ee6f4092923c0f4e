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

/* The card of the port; it is open or has no blocks. */
poet_sdio_card* poet_port_card(void);

/* --- One run of blocks whose words DMA moves between memory and the controller, a function for
 * each thing that has to happen: none waits for data, or while the card is busy. */

enum { POET_SDIO_BUSY_COMMANDS = 100000 }; /* of CMD13 in half a second at 24 MHz: 4.6.2.2 */

/* Lets card and controller go; what moves the words is ready for them. Which of `into` and `from`
 * is there says which way. */
poet_port_status poet_sdio_begin(const poet_sdio_card* card, const poet_sd_move* move);

/* Whether no more words come or are to be taken, and how that went. */
int32_t poet_sdio_is_over(const poet_sdio_card* card, poet_port_status* status);

/* Behind data that moved: what has to be said to the card when it was more than one block. */
poet_port_status poet_sdio_end(const poet_sdio_card* card, uint32_t count);

/* Asks once whether the next run can begin, and whether the card failed at this one.
 * POET_PORT_TIMEOUT: it is busy. */
poet_port_status poet_sdio_ready(const poet_sdio_card* card);

/* Ends a run that failed, wherever it was, and waits until the card is ready; whether it is. */
poet_port_status poet_sdio_give_up(const poet_sdio_card* card);

/* Where the words are. */
uint32_t poet_sdio_fifo(const poet_sdio_card* card);

#ifdef __cplusplus
}
#endif
