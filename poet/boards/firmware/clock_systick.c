/* The SysTick timer of Arm's Cortex-M (Armv7-M Architecture Reference Manual, B3.3): counts down in
 * 24 bits, so what it loses at zero is counted by its exception. The LM3S6965 that QEMU emulates
 * drives it with 200 MHz divided by SYSDIV + 1 of its RCC; with 4 there are 50 MHz. */
#include "poet/boards/firmware/clock.h"

static volatile uint32_t* word_at(uint32_t address) {
  return (volatile uint32_t*)address;
}

enum { RCC = 0x400FE060, DIVISOR_SHIFT = 23, BY_4 = 3 };
#define SYST_CSR 0xE000E010u
#define SYST_RVR 0xE000E014u
#define SYST_CVR 0xE000E018u
enum { LARGEST = 0xFFFFFF, RUNS_WITH_EXCEPTION = 7 };

static volatile uint32_t rounds;

void board_clock_wrapped(void);

void board_clock_wrapped(void) {
  rounds += 1u;
}

void board_clock_start(void) {
  *word_at(RCC) = (*word_at(RCC) & ~(15u << DIVISOR_SHIFT)) | (uint32_t)BY_4 << DIVISOR_SHIFT;
  *word_at(SYST_RVR) = LARGEST;
  *word_at(SYST_CVR) = 0;
  *word_at(SYST_CSR) = RUNS_WITH_EXCEPTION;
}

/* Until no exception came between: then both parts are of one round. */
uint32_t board_clock_ticks(void) {
  uint32_t round;
  uint32_t value;
  do {
    round = rounds;
    value = *word_at(SYST_CVR);
  } while (round != rounds);
  return (round << 24) + (LARGEST - value);
}
