/* A timer that counts up and wraps. Under an emulator that gives every instruction the same time,
 * differences of it count instructions. */
#pragma once

#include <stdint.h>

void board_clock_start(void);
uint32_t board_clock_ticks(void);
