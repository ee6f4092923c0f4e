#include "poet/boards/firmware/start.h"

#include <string.h>

#include "poet/boards/firmware/console.h"
#include "poet/boards/firmware/semihosting.h"

/* Of the linker script. The stack lies below everything else in RAM: what overflows it meets no
 * memory, and not the values of the training. */
extern uint32_t board_stack_begin[];
extern uint32_t board_stack_end[];
extern uint32_t board_data_begin[];
extern uint32_t board_data_end[];
extern const uint32_t board_data_image[];
extern uint32_t board_zero_begin[];
extern uint32_t board_zero_end[];

static const uint32_t paint = 0xA5A5A5A5u;

int main(void);

static uint32_t bytes_between(const uint32_t* begin, const uint32_t* end) {
  return (uint32_t)((uintptr_t)end - (uintptr_t)begin);
}

uint32_t board_stack_used(void) {
  const uint32_t* word = board_stack_begin;
  while (word < board_stack_end && *word == paint) ++word;
  return bytes_between(word, board_stack_end);
}

/* Everything below the caller's frame. */
__attribute__((noinline)) static void paint_stack(void) {
  uint32_t* const frame = (uint32_t*)__builtin_frame_address(0);
  for (volatile uint32_t* word = board_stack_begin; word < frame - 16; ++word) *word = paint;
}

#ifdef __ARM_FP
/* CPACR: full access to coprocessors 10 and 11 (Armv7-M Architecture Reference Manual, B3.2.20). */
static void switch_floating_point_on(void) {
  volatile uint32_t* const cpacr = (volatile uint32_t*)0xE000ED88u;
  *cpacr |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}
#else
static void switch_floating_point_on(void) {}
#endif

void board_reset(void);
void board_fault(void);
void board_clock_wrapped(void);

void board_reset(void) {
  switch_floating_point_on();
  paint_stack();
  memcpy(board_data_begin, board_data_image, bytes_between(board_data_begin, board_data_end));
  memset(board_zero_begin, 0, bytes_between(board_zero_begin, board_zero_end));
  board_leave(main());
}

void board_fault(void) {
  board_print("fault\n");
  board_leave(1);
}

/* SysTick's exception, for a clock that has one. */
__attribute__((weak)) void board_clock_wrapped(void) {
  board_fault();
}

typedef struct board_vectors {
  uint32_t* stack;
  void (*run[15])(void); /* reset, and 14 exceptions: of these, SysTick's may come */
} board_vectors;

__attribute__((section(".board_vectors"), used)) static const board_vectors vectors = {
    board_stack_end,
    {board_reset, board_fault, board_fault, board_fault, board_fault, board_fault, 0, 0, 0, 0,
     board_fault, board_fault, 0, board_fault, board_clock_wrapped}};
