/* How the RP2040 and the RP2350 take their SPI out of reset, and their pins: the same on both, at
 * addresses of their own. What includes this has named them. */
#pragma once

#include <stddef.h>

#include "poet/boards/ports/pl022.h"
#include "poet/boards/ports/registers.h"
#include "poet/boards/ports/sd_spi.h"

/* SPI0 on the pins that Raspberry Pi's boards print beside it. All may be set when compiling, to
 * pins of the same functions. */
#ifndef POET_PORT_MISO
#define POET_PORT_MISO 16u
#endif
#ifndef POET_PORT_SELECT
#define POET_PORT_SELECT 17u
#endif
#ifndef POET_PORT_SCK
#define POET_PORT_SCK 18u
#endif
#ifndef POET_PORT_MOSI
#define POET_PORT_MOSI 19u
#endif

enum { CLEAR_ALIAS = 0x3000 }; /* writing there clears what has ones */
enum { RESET = 0x0, RESET_DONE = 0x8 };
enum { PERI_CTRL = 0x48, PERI_ENABLE = 1u << 11 }; /* clk_peri from clk_sys: AUXSRC 0 */
enum { FUNCTION_SPI = 1, FUNCTION_SIO = 5 };
enum { PAD_SCHMITT = 1u << 1, PAD_PULL_UP = 1u << 3, PAD_4MA = 1u << 4, PAD_INPUT = 1u << 6 };
enum { LOOKS = 1000000u };

/* The pad's register stands at 4 + 4 n of its bank, the function's at 4 + 8 n of the other. Writing
 * all bits also ends the isolation that pads of the RP2350 begin with (bit 8). */
static void set_pin(uint32_t pin, uint32_t function, uint32_t pad) {
  poet_write_register(PADS_BANK0 + 4u + 4u * pin, PAD_SCHMITT | PAD_4MA | PAD_INPUT | pad);
  poet_write_register(IO_BANK0 + 4u + 8u * pin, function);
}

static void select_card(void* user, int32_t is_selected) {
  (void)user;
  poet_write_register(SIO + (is_selected ? (uint32_t)OUT_CLEAR : (uint32_t)OUT_SET),
                      1u << POET_PORT_SELECT);
}

static uint32_t set_speed(void* user, uint32_t hz) {
  (void)user;
  return poet_pl022_begin(SPI0, POET_PORT_CLOCK_HZ, hz);
}

static int32_t exchange(void* user, const uint8_t* out, uint8_t* in, uint32_t bytes) {
  (void)user;
  return poet_pl022_exchange(SPI0, out, in, bytes);
}

static const poet_sd_bus bus = {NULL, select_card, set_speed, exchange};
static poet_sd_card card;

/* 0: what was to leave its reset has. */
static int32_t set_pins(void) {
  const uint32_t units = RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_SPI0;
  poet_set_bits(CLOCKS + PERI_CTRL, PERI_ENABLE);
  poet_write_register(RESETS + CLEAR_ALIAS + RESET, units);
  if (!poet_wait_bits(RESETS + RESET_DONE, units, units, LOOKS)) return -1;
  select_card(NULL, 0);
  poet_write_register(SIO + OUTPUT_SET, 1u << POET_PORT_SELECT);
  set_pin(POET_PORT_SELECT, FUNCTION_SIO, 0);
  set_pin(POET_PORT_SCK, FUNCTION_SPI, 0);
  set_pin(POET_PORT_MOSI, FUNCTION_SPI, 0);
  set_pin(POET_PORT_MISO, FUNCTION_SPI, PAD_PULL_UP);
  return 0;
}

poet_port_status poet_port_open(poet_storage* storage) {
  if (set_pins() != 0) return POET_PORT_BUS;
  return poet_sd_storage(&card, &bus, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}
