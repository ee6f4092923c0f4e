/* Arm's PrimeCell synchronous serial port, which the LM3S6965, the RP2040 and the RP2350 have (Arm,
 * "PrimeCell Synchronous Serial Port (PL022) Technical Reference Manual", DDI 0194, chapter 3). */
#pragma once

#include <stdint.h>

/* Mode 0, 8 bits, at most `hz`; answers the clock that it is. `base` is the port's address,
 * `clock_hz` what it is driven with. */
uint32_t poet_pl022_begin(uint32_t base, uint32_t clock_hz, uint32_t hz);

/* As poet_sd_bus has it. */
int32_t poet_pl022_exchange(uint32_t base, const uint8_t* out, uint8_t* in, uint32_t bytes);
