#include "poet/boards/firmware/semihosting.h"

#include <string.h>

enum {
  SYS_OPEN = 0x01,
  SYS_WRITE = 0x05,
  SYS_READ = 0x06,
  SYS_SEEK = 0x0A,
  SYS_FLEN = 0x0C,
  SYS_GET_CMDLINE = 0x15,
  SYS_EXIT_EXTENDED = 0x20
};
static const uint32_t application_exit = 0x20026u; /* ADP_Stopped_ApplicationExit */

static int32_t call(int32_t operation, const uint32_t* words) {
  register int32_t r0 __asm__("r0") = operation;
  register const uint32_t* r1 __asm__("r1") = words;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static uint32_t address_of(const void* place) {
  return (uint32_t)(uintptr_t)place;
}

int32_t board_open(const char* name, board_file_mode mode) {
  const uint32_t words[3] = {address_of(name), (uint32_t)mode, (uint32_t)strlen(name)};
  return call(SYS_OPEN, words);
}

/* Reading and writing answer how many bytes they left. */
int32_t board_read(int32_t file, void* into, uint32_t bytes) {
  const uint32_t words[3] = {(uint32_t)file, address_of(into), bytes};
  return call(SYS_READ, words);
}

int32_t board_write(int32_t file, const void* from, uint32_t bytes) {
  const uint32_t words[3] = {(uint32_t)file, address_of(from), bytes};
  return call(SYS_WRITE, words);
}

int32_t board_seek(int32_t file, uint32_t offset) {
  const uint32_t words[2] = {(uint32_t)file, offset};
  return call(SYS_SEEK, words);
}

int32_t board_file_bytes(int32_t file) {
  const uint32_t words[1] = {(uint32_t)file};
  return call(SYS_FLEN, words);
}

void board_command_line(char* into, uint32_t bytes) {
  const uint32_t words[2] = {address_of(into), bytes};
  if (call(SYS_GET_CMDLINE, words) != 0) into[0] = '\0';
}

void board_leave(int32_t code) {
  const uint32_t words[2] = {application_exit, (uint32_t)code};
  call(SYS_EXIT_EXTENDED, words);
  for (;;) {
  }
}
