/* The STM32F74x and F75x with an SD card at SDMMC1: pins PC8 to PC11 (data), PC12 (clock) and PD2
 * (commands). Registers: STMicroelectronics, RM0385 "STM32F75xxx and STM32F74xxx reference manual",
 * sections 5 "RCC", 3.7 "FLASH registers", 6 "GPIO" and 35 "SDMMC". Data are moved by the
 * processor, or by DMA where its data cache is off: that needs no care. */
enum { SDIO_OR_SDMMC = 0x40012C00 };

#include "poet/boards/ports/stm32_start.h"

/* DCKCFGR2 (5.3.26): the 48 MHz, and these from the PLL. */
static void choose_clock(void) {
  enum { DCKCFGR2 = RCC + 0x90, FROM_PLLSAI = 1u << 27, FROM_SYSTEM_CLOCK = 1u << 28 };
  poet_put_bits(DCKCFGR2, FROM_PLLSAI | FROM_SYSTEM_CLOCK, 0);
}

poet_port_status poet_port_open(poet_storage* storage) {
  return open_with(choose_clock, storage);
}
