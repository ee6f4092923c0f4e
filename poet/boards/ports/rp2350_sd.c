/* The RP2350 with an SD card on SPI0: pins 16 (from the card), 17 (select), 18 (clock) and 19 (to
 * it) of a Raspberry Pi Pico 2. For its Arm and its RISC-V cores alike. Registers: Raspberry Pi,
 * "RP2350 Datasheet", sections 2.2 "Address map", 3.1 "SIO", 7.5 "Subsystem resets", 8.1 "Clocks",
 * 9 "GPIO" and 12.3 "SPI". */

/* What drives the SPI: clk_sys, which Raspberry Pi's start-up code sets to this. */
#ifndef POET_PORT_CLOCK_HZ
#define POET_PORT_CLOCK_HZ 150000000u
#endif

enum {
  CLOCKS = 0x40010000,
  RESETS = 0x40020000,
  IO_BANK0 = 0x40028000,
  PADS_BANK0 = 0x40038000,
  SPI0 = 0x40080000
};
#define SIO 0xD0000000u
enum { OUT_SET = 0x018, OUT_CLEAR = 0x020, OUTPUT_SET = 0x038 }; /* of SIO */
enum { RESET_IO_BANK0 = 1u << 6, RESET_PADS_BANK0 = 1u << 9, RESET_SPI0 = 1u << 18 };

#include "poet/boards/ports/rp2_start.h"
