/* The STM32F405, F407 and their like with an SD card at SDIO: pins PC8 to PC11 (data), PC12 (clock)
 * and PD2 (commands). Registers: STMicroelectronics, RM0090 "STM32F405/415, STM32F407/417,
 * STM32F427/437 and STM32F429/439 reference manual", sections 7 "RCC", 3.9 "Flash interface
 * registers", 8 "GPIO" and 31 "SDIO". */
enum { SDIO_OR_SDMMC = 0x40012C00 };

#include "poet/boards/ports/stm32_start.h"

static void choose_clock(void) {
  /* SDIO has the 48 MHz of the PLL, and no choice. */
}

poet_port_status poet_port_open(poet_storage* storage) {
  return open_with(choose_clock, storage);
}
