/* TIMER0 of the Nordic nRF51 (nRF51 Series Reference Manual, chapter 18): counts up at 16 MHz, in
 * 32 bits. */
#include "poet/boards/firmware/clock.h"

static volatile uint32_t* timer_register(uint32_t offset) {
  return (volatile uint32_t*)(0x40008000u + offset);
}

enum {
  START = 0x000,
  CAPTURE_0 = 0x040,
  MODE = 0x504,
  BIT_MODE = 0x508,
  PRESCALER = 0x510,
  CC_0 = 0x540
};

void board_clock_start(void) {
  *timer_register(MODE) = 0u;
  *timer_register(BIT_MODE) = 3u;
  *timer_register(PRESCALER) = 0u;
  *timer_register(START) = 1u;
}

uint32_t board_clock_ticks(void) {
  *timer_register(CAPTURE_0) = 1u;
  return *timer_register(CC_0);
}
