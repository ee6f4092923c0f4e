/* TIMER0 of the Arm MPS2 boards (Arm, "Cortex-M System Design Kit Technical Reference Manual", APB
 * timer): counts down at 25 MHz. */
#include "poet/boards/firmware/clock.h"

static volatile uint32_t* timer_register(uint32_t offset) {
  return (volatile uint32_t*)(0x40000000u + offset);
}

enum { CTRL = 0x0, VALUE = 0x4, RELOAD = 0x8 };

void board_clock_start(void) {
  *timer_register(CTRL) = 0u;
  *timer_register(RELOAD) = 0xFFFFFFFFu;
  *timer_register(VALUE) = 0xFFFFFFFFu;
  *timer_register(CTRL) = 1u;
}

uint32_t board_clock_ticks(void) {
  return ~*timer_register(VALUE);
}
