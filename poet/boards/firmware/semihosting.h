/* What a board asks of the debugger or emulator that it hangs on (Arm, "Semihosting for AArch32 and
 * AArch64", 2.0): files of the host, and an end. */
#pragma once

#include <stdint.h>

/* How a file is opened; the numbers are those of the specification. */
typedef enum board_file_mode {
  BOARD_FILE_READ = 1,   /* rb */
  BOARD_FILE_UPDATE = 3, /* r+b */
  BOARD_FILE_NEW = 5     /* wb */
} board_file_mode;

/* Negative: it cannot be opened. The name ":tt" is the console. */
int32_t board_open(const char* name, board_file_mode mode);

/* 0: all of it was moved. */
int32_t board_read(int32_t file, void* into, uint32_t bytes);
int32_t board_write(int32_t file, const void* from, uint32_t bytes);
int32_t board_seek(int32_t file, uint32_t offset);

/* Negative: unknown. */
int32_t board_file_bytes(int32_t file);

/* The words after the program's name; an empty text where there are none or they do not fit. */
void board_command_line(char* into, uint32_t bytes);

/* Stops the emulator, whose exit code is 0 or 1, or waits for ever where nobody listens. */
void board_leave(int32_t code);
