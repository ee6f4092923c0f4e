/* The LM3S6965 with an SD card on SSI0, as on Texas Instruments' LM3S6965 evaluation board: pins
 * PA2 (clock), PA4 (from the card), PA5 (to it), and PD0 (select). Registers: Stellaris LM3S6965
 * Microcontroller Data Sheet, chapters "System Control", "General-Purpose Input/Outputs" and
 * "Synchronous Serial Interface". */
#include <stddef.h>

#include "poet/boards/ports/pl022.h"
#include "poet/boards/ports/registers.h"
#include "poet/boards/ports/sd_spi.h"

/* What drives the port: 12 MHz from the internal oscillator, unless the program has set it. */
#ifndef POET_PORT_CLOCK_HZ
#define POET_PORT_CLOCK_HZ 12000000u
#endif

enum { RCGC1 = 0x400FE104, RCGC2 = 0x400FE108 }; /* clocks of SSI, of GPIO */
enum { SSI0_CLOCK = 1u << 4, PORT_A_CLOCK = 1u << 0, PORT_D_CLOCK = 1u << 3 };
enum { PORT_A = 0x40004000, PORT_D = 0x40007000, SSI0 = 0x40008000 };
enum { DIR = 0x400, AFSEL = 0x420, PUR = 0x510, DEN = 0x51C }; /* of a port */
enum { CLOCK_PIN = 1u << 2, INPUT_PIN = 1u << 4, OUTPUT_PIN = 1u << 5, SELECT_PIN = 1u << 0 };

/* The address of a port's data has the mask of the pins in bits 9 to 2. */
static void select_card(void* user, int32_t is_selected) {
  (void)user;
  poet_write_register(PORT_D + (SELECT_PIN << 2), is_selected ? 0u : SELECT_PIN);
}

static uint32_t set_speed(void* user, uint32_t hz) {
  (void)user;
  return poet_pl022_begin(SSI0, POET_PORT_CLOCK_HZ, hz);
}

static int32_t exchange(void* user, const uint8_t* out, uint8_t* in, uint32_t bytes) {
  (void)user;
  return poet_pl022_exchange(SSI0, out, in, bytes);
}

static const poet_sd_bus bus = {NULL, select_card, set_speed, exchange};
static poet_sd_card card;

static void set_pins(void) {
  poet_set_bits(RCGC1, SSI0_CLOCK);
  poet_set_bits(RCGC2, PORT_A_CLOCK | PORT_D_CLOCK);
  /* The clock is there after some cycles, which this reading takes. */
  (void)poet_read_register(RCGC2);
  poet_set_bits(PORT_A + AFSEL, CLOCK_PIN | INPUT_PIN | OUTPUT_PIN);
  poet_set_bits(PORT_A + PUR, INPUT_PIN);
  poet_set_bits(PORT_A + DEN, CLOCK_PIN | INPUT_PIN | OUTPUT_PIN);
  poet_set_bits(PORT_D + DIR, SELECT_PIN);
  poet_set_bits(PORT_D + DEN, SELECT_PIN);
  select_card(NULL, 0);
}

poet_port_status poet_port_open(poet_storage* storage) {
  set_pins();
  return poet_sd_storage(&card, &bus, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}
