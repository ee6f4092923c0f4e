#include "poet/boards/firmware/console.h"

#include <string.h>

#include "poet/boards/firmware/semihosting.h"

void board_print(const char* text) {
  static int32_t console = -1;
  if (console < 0) console = board_open(":tt", BOARD_FILE_NEW);
  board_write(console, text, (uint32_t)strlen(text));
}

static void print_digits(uint32_t value) {
  char digits[9];
  for (int32_t k = 7; k >= 0; --k, value >>= 4) digits[k] = "0123456789abcdef"[value & 15u];
  digits[8] = '\0';
  board_print(digits);
}

static void print_name(const char* name) {
  board_print(" ");
  board_print(name);
  board_print(" ");
}

void board_print_word(const char* name, uint32_t value) {
  print_name(name);
  print_digits(value);
}

void board_print_long(const char* name, uint64_t value) {
  print_name(name);
  print_digits((uint32_t)(value >> 32));
  print_digits((uint32_t)value);
}
