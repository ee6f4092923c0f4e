/* TIM2 of the STM32F405 (STMicroelectronics, RM0090, section 18.4): counts up in 32 bits. QEMU
 * drives it with 1 GHz, which the prescaler makes 25 MHz. */
#include "poet/boards/firmware/clock.h"

static volatile uint32_t* word_at(uint32_t address) {
  return (volatile uint32_t*)address;
}

enum { TIM2 = 0x40000000, CR1 = TIM2 + 0x00, EGR = TIM2 + 0x14, CNT = TIM2 + 0x24 };
enum { PSC = TIM2 + 0x28, ARR = TIM2 + 0x2C, TIM2_CLOCK = 1, BY_40 = 39, ENABLED = 1, UPDATE = 1 };
enum { RCC_APB1ENR = 0x40023840 };

void board_clock_start(void) {
  *word_at(RCC_APB1ENR) |= TIM2_CLOCK;
  *word_at(PSC) = BY_40;
  *word_at(ARR) = 0xFFFFFFFFu;
  *word_at(EGR) = UPDATE;
  *word_at(CR1) = ENABLED;
}

uint32_t board_clock_ticks(void) {
  return *word_at(CNT);
}
