/* What runs before main(), and the stack that it was given. */
#pragma once

#include <stdint.h>

/* The most of the stack that was ever in use since the start. */
uint32_t board_stack_used(void);
