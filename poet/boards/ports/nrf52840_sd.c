/* The nRF52840 with an SD card on SPIM0, moved by EasyDMA: by default pins P0.28 (from the card),
 * P0.29 (to it), P0.30 (clock) and P0.31 (select). Registers: Nordic Semiconductor, "nRF52840
 * Product Specification" 1.7, sections 6.25 "SPIM", 6.9 "GPIO" and 4.7 "EasyDMA".
 *
 * SPIM0 to SPIM2 have 8 MHz at most. SPIM3 would have 32, and sends wrong bytes when the processor
 * writes to the RAM that it reads (anomaly 198), which no arena can rule out. */
#include <stddef.h>
#include <string.h>

#include "poet/boards/ports/registers.h"
#include "poet/boards/ports/sd_spi.h"

/* Of port 0: 0 to 31; 32 more for port 1. */
#ifndef POET_PORT_MISO
#define POET_PORT_MISO 28u
#endif
#ifndef POET_PORT_MOSI
#define POET_PORT_MOSI 29u
#endif
#ifndef POET_PORT_SCK
#define POET_PORT_SCK 30u
#endif
#ifndef POET_PORT_SELECT
#define POET_PORT_SELECT 31u
#endif

enum { SPIM0 = 0x40003000, P0 = 0x50000000, P1 = 0x50000300 };
enum { OUT_SET = 0x508, OUT_CLEAR = 0x50C, PIN_CONFIG = 0x700 }; /* of a port of pins */
enum { PIN_OUTPUT = 1u << 0, PIN_INPUT_OFF = 1u << 1, PIN_PULL_UP = 3u << 2 };
enum { /* of SPIM */
       START = 0x010,
       STOP = 0x014,
       STOPPED = 0x104,
       END = 0x118,
       ENABLE = 0x500,
       PSEL_SCK = 0x508,
       PSEL_MOSI = 0x50C,
       PSEL_MISO = 0x510,
       FREQUENCY = 0x524,
       RXD_PTR = 0x534,
       RXD_MAXCNT = 0x538,
       TXD_PTR = 0x544,
       TXD_MAXCNT = 0x548,
       CONFIG = 0x554,
       OVER_READ = 0x5C0
};
enum { ENABLED = 7u, DISABLED = 0u };
#define K250 0x04000000u
#define M8 0x80000000u
/* EasyDMA counts to 65,535, and reaches RAM alone. */
enum { MOST_BYTES = 0x8000u, PASSAGE_BYTES = 32u, LOOKS = 4000000u };

static uint32_t port_of(uint32_t pin) {
  return pin < 32u ? (uint32_t)P0 : (uint32_t)P1;
}

static void configure_pin(uint32_t pin, uint32_t configuration) {
  poet_write_register(port_of(pin) + PIN_CONFIG + 4u * (pin % 32u), configuration);
}

static void set_pin(uint32_t pin, int32_t is_high) {
  poet_write_register(port_of(pin) + (is_high ? (uint32_t)OUT_SET : (uint32_t)OUT_CLEAR),
                      1u << (pin % 32u));
}

static void select_card(void* user, int32_t is_selected) {
  (void)user;
  set_pin(POET_PORT_SELECT, !is_selected);
}

static uint32_t set_speed(void* user, uint32_t hz) {
  const int32_t is_fast = hz >= 8000000u;
  (void)user;
  poet_write_register(SPIM0 + FREQUENCY, is_fast ? M8 : K250);
  return is_fast ? 8000000u : 250000u;
}

/* Sends `sent` bytes and receives `received`, as many as the longer of both has clocks. */
static int32_t transfer(const void* out, uint32_t sent, void* in, uint32_t received) {
  poet_write_register(SPIM0 + TXD_PTR, (uint32_t)(uintptr_t)out);
  poet_write_register(SPIM0 + TXD_MAXCNT, sent);
  poet_write_register(SPIM0 + RXD_PTR, (uint32_t)(uintptr_t)in);
  poet_write_register(SPIM0 + RXD_MAXCNT, received);
  poet_write_register(SPIM0 + END, 0);
  /* What was written to RAM must be there, and what comes must not have been read before. */
  __asm__ volatile("dsb" ::: "memory");
  poet_write_register(SPIM0 + START, 1u);
  const int32_t has_ended = poet_wait_bits(SPIM0 + END, 1u, 1u, LOOKS);
  if (!has_ended) {
    poet_write_register(SPIM0 + STOPPED, 0);
    poet_write_register(SPIM0 + STOP, 1u);
    (void)poet_wait_bits(SPIM0 + STOPPED, 1u, 1u, LOOKS);
  }
  __asm__ volatile("dsb" ::: "memory");
  return has_ended ? 0 : -1;
}

static int32_t is_in_ram(const void* place) {
  return (uint32_t)(uintptr_t)place >> 28 == 2u;
}

static int32_t exchange(void* user, const uint8_t* out, uint8_t* in, uint32_t bytes) {
  uint8_t passage[PASSAGE_BYTES]; /* for constants, and for what is dropped */
  (void)user;
  while (bytes > 0u) {
    const int32_t is_constant = out != NULL && !is_in_ram(out);
    const int32_t passes = is_constant || (out == NULL && in == NULL);
    const uint32_t most = passes ? (uint32_t)PASSAGE_BYTES : (uint32_t)MOST_BYTES;
    const uint32_t piece = bytes < most ? bytes : most;
    const uint8_t* from = out;
    if (is_constant) {
      memcpy(passage, out, piece);
      from = passage;
    }
    /* Without bytes to send, the over-read character is sent; without room, what comes is lost.
     * With neither there would be no clock. */
    const uint32_t sent = out != NULL ? piece : 0u;
    const uint32_t received = in != NULL || out == NULL ? piece : 0u;
    if (transfer(from, sent, in != NULL ? in : passage, received) != 0) return -1;
    if (out != NULL) out += piece;
    if (in != NULL) in += piece;
    bytes -= piece;
  }
  return 0;
}

static const poet_sd_bus bus = {NULL, select_card, set_speed, exchange};
static poet_sd_card card;

static void set_pins(void) {
  poet_write_register(SPIM0 + ENABLE, DISABLED);
  set_pin(POET_PORT_SELECT, 1);
  set_pin(POET_PORT_MOSI, 1);
  set_pin(POET_PORT_SCK, 0);
  configure_pin(POET_PORT_SELECT, PIN_OUTPUT | PIN_INPUT_OFF);
  configure_pin(POET_PORT_MOSI, PIN_OUTPUT | PIN_INPUT_OFF);
  /* The clock's input stays connected: 6.25.6 has it so. */
  configure_pin(POET_PORT_SCK, PIN_OUTPUT);
  configure_pin(POET_PORT_MISO, PIN_PULL_UP);
  poet_write_register(SPIM0 + PSEL_SCK, POET_PORT_SCK);
  poet_write_register(SPIM0 + PSEL_MOSI, POET_PORT_MOSI);
  poet_write_register(SPIM0 + PSEL_MISO, POET_PORT_MISO);
  poet_write_register(SPIM0 + CONFIG, 0); /* mode 0, most significant bit first */
  poet_write_register(SPIM0 + OVER_READ, 0xFFu);
  poet_write_register(SPIM0 + ENABLE, ENABLED);
}

poet_port_status poet_port_open(poet_storage* storage) {
  set_pins();
  return poet_sd_storage(&card, &bus, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}
