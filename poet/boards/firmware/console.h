/* Lines of words for whoever reads the board's console. */
#pragma once

#include <stdint.h>

void board_print(const char* text);

/* " name 0000002a": numbers are written in base 16, so that nothing is rounded. */
void board_print_word(const char* name, uint32_t value);
void board_print_long(const char* name, uint64_t value);
