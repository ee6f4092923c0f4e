/* Clock and pins of the SD host, which the STM32F4 and the STM32F7 have at the same registers, of
 * the same fields. What includes this has named the host. */
#pragma once

#include <stdint.h>

#include "poet/boards/ports/registers.h"
#include "poet/boards/ports/stm32_sd.h"

enum { RCC = 0x40023800, FLASH_ACR = 0x40023C00, GPIOC = 0x40020800, GPIOD = 0x40020C00 };
enum { RCC_CR = RCC + 0x00, RCC_PLLCFGR = RCC + 0x04, RCC_CFGR = RCC + 0x08 };
enum { RCC_AHB1ENR = RCC + 0x30, RCC_APB2ENR = RCC + 0x44 };
enum { PLL_ON = 1u << 24, PLL_READY = 1u << 25 };
enum { PORTS_C_AND_D = 3u << 2, SDIO_ENABLED = 1u << 11 };
enum { MODER = 0x00, OSPEEDR = 0x08, PUPDR = 0x0C, AFRL = 0x20, AFRH = 0x24 };
enum { ALTERNATE = 2u, FAST = 2u, PULL_UP = 1u, AF12 = 12u, LOOKS = 1000000u };
enum { CLOCK_48_MHZ = 48000000 };

/* 16 MHz of the internal oscillator / 8 * 168 = 336 MHz; / 4 = 84 MHz for the processor, / 7 = 48
 * MHz for the card. A program that has started the PLL has set it up, and gives the card its 48
 * MHz. */
static int32_t start_pll(void) {
  enum { M = 8u, N = 168u << 6, P_IS_4 = 1u << 16, Q = 7u << 24 };
  enum { TWO_WAIT_STATES = 2u, APB1_BY_2 = 4u << 10, FROM_PLL = 2u, IS_FROM_PLL = 2u << 2 };
  if ((poet_read_register(RCC_CR) & PLL_READY) != 0u) return 0;
  poet_write_register(RCC_PLLCFGR,
                      M | N | P_IS_4 | Q); /* from the internal oscillator: bit 22 is 0 */
  poet_set_bits(RCC_CR, PLL_ON);
  if (!poet_wait_bits(RCC_CR, PLL_READY, PLL_READY, LOOKS)) return -1;
  poet_put_bits(FLASH_ACR, 0xFu, TWO_WAIT_STATES);
  if (!poet_wait_bits(FLASH_ACR, 0xFu, TWO_WAIT_STATES, LOOKS)) return -1;
  poet_put_bits(RCC_CFGR, 7u << 10 | 3u, APB1_BY_2 | FROM_PLL);
  return poet_wait_bits(RCC_CFGR, 3u << 2, IS_FROM_PLL, LOOKS) ? 0 : -1;
}

static void set_pin(uint32_t port, uint32_t pin, uint32_t pull) {
  const uint32_t function = port + (pin < 8u ? (uint32_t)AFRL : (uint32_t)AFRH);
  poet_put_bits(function, 15u << (4u * (pin % 8u)), (uint32_t)AF12 << (4u * (pin % 8u)));
  poet_put_bits(port + OSPEEDR, 3u << (2u * pin), (uint32_t)FAST << (2u * pin));
  poet_put_bits(port + PUPDR, 3u << (2u * pin), pull << (2u * pin));
  poet_put_bits(port + MODER, 3u << (2u * pin), (uint32_t)ALTERNATE << (2u * pin));
}

static poet_sdio_card card;

static poet_port_status open_with(void (*choose_clock)(void), poet_storage* storage) {
  if (start_pll() != 0) return POET_PORT_BUS;
  poet_set_bits(RCC_AHB1ENR, PORTS_C_AND_D);
  choose_clock();
  poet_set_bits(RCC_APB2ENR, SDIO_ENABLED);
  /* The clock of a unit is there two cycles after it was asked for: a reading takes them. */
  (void)poet_read_register(RCC_APB2ENR);
  for (uint32_t pin = 8; pin <= 11u; ++pin) set_pin(GPIOC, pin, PULL_UP);
  set_pin(GPIOC, 12u, 0);
  set_pin(GPIOD, 2u, PULL_UP);
  return poet_sdio_storage(&card, SDIO_OR_SDMMC, CLOCK_48_MHZ, storage);
}

poet_sdio_card* poet_port_card(void) {
  return &card;
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}
