/* The registers of the chip, by their addresses in the manual. Nothing else here reads or writes
 * them. */
#pragma once

#include <stdint.h>

#ifdef POET_SIMULATED_REGISTERS /* a test has a chip of its own */
uint32_t poet_read_register(uint32_t address);
void poet_write_register(uint32_t address, uint32_t value);
uint32_t poet_bus_address(const void* memory);
#else
static inline uint32_t poet_read_register(uint32_t address) {
  return *(volatile uint32_t*)(uintptr_t)address;
}

static inline void poet_write_register(uint32_t address, uint32_t value) {
  *(volatile uint32_t*)(uintptr_t)address = value;
}

/* Where memory lies for what moves it beside the processor. */
static inline uint32_t poet_bus_address(const void* memory) {
  return (uint32_t)(uintptr_t)memory;
}
#endif

static inline void poet_set_bits(uint32_t address, uint32_t bits) {
  poet_write_register(address, poet_read_register(address) | bits);
}

/* Puts `value` where `mask` has ones. */
static inline void poet_put_bits(uint32_t address, uint32_t mask, uint32_t value) {
  poet_write_register(address, (poet_read_register(address) & ~mask) | value);
}

/* Whether the bits under `mask` became `value` within so many looks. What is waited for takes
 * microseconds, and a look some ten cycles. */
static inline int32_t poet_wait_bits(uint32_t address, uint32_t mask, uint32_t value,
                                     uint32_t looks) {
  for (; looks > 0u; --looks)
    if ((poet_read_register(address) & mask) == value) return 1;
  return 0;
}
