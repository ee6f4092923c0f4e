/* The RP2040 with an SD card on SPI0: pins 16 (from the card), 17 (select), 18 (clock) and 19 (to
 * it) of a Raspberry Pi Pico. Registers: Raspberry Pi, "RP2040 Datasheet", sections 2.2 "Address
 * Map", 2.3.1 "SIO", 2.14 "Subsystem Resets", 2.15 "Clocks", 2.19 "GPIO" and 4.4 "SPI". */

/* What drives the SPI: clk_sys, which Raspberry Pi's start-up code sets to this. */
#ifndef POET_PORT_CLOCK_HZ
#define POET_PORT_CLOCK_HZ 125000000u
#endif

enum {
  CLOCKS = 0x40008000,
  RESETS = 0x4000C000,
  IO_BANK0 = 0x40014000,
  PADS_BANK0 = 0x4001C000,
  SPI0 = 0x4003C000
};
#define SIO 0xD0000000u
enum { OUT_SET = 0x014, OUT_CLEAR = 0x018, OUTPUT_SET = 0x024 }; /* of SIO */
enum { RESET_IO_BANK0 = 1u << 5, RESET_PADS_BANK0 = 1u << 8, RESET_SPI0 = 1u << 16 };

#include "poet/boards/ports/rp2_start.h"
