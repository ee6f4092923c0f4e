/* Trains an emitted project with --port stm32f4-sdio on QEMU's `versatilepb`: its PL181 is the unit
 * that the STM32's SDIO has its registers from, and an SD card of QEMU's is at it. Clock and pins
 * of the STM32 are not there; everything else of the port is. Writes the parameters' SHA-256. */
#include <stdint.h>

#include "poet/boards/ports/stm32_sd.h"
#include "poet/boards/ports/train_from_card.h"
#include "poet_train.h"
#include "sha256.h"

enum { PL181 = 0x10005000, CLOCK_HZ = 48000000 };
enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18 };

static poet_sdio_card card;

poet_port_status poet_port_open(poet_storage* storage) {
  return poet_sdio_storage(&card, PL181, CLOCK_HZ, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}

/* Semihosting of a processor in Arm state. */
static void call(uint32_t operation, uint32_t argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register uint32_t r1 __asm__("r1") = argument;
  __asm__ volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
}

static void print(const char* text) {
  call(SYS_WRITE0, (uint32_t)(uintptr_t)text);
}

static void add(void* user, const void* bytes, uint32_t size) {
  sha256_add(user, bytes, size);
}

/* The last rows of what fails, too: a block behind the card is refused before it is asked for. */
static int32_t refuses_what_is_not_there(void) {
  poet_storage storage;
  uint8_t bytes[512];
  if (poet_port_open(&storage) != POET_PORT_OK) return 0;
  const uint32_t end = storage.capacity(storage.user);
  if (storage.read(storage.user, end - 512u, bytes, 512u) != 0) return 0;
  if (storage.read(storage.user, end, bytes, 512u) == 0) return 0;
  return poet_port_problem() == POET_PORT_OUT_OF_RANGE;
}

static poet_status train(char digits[65]) {
  const poet_card_training training = {EXAMPLES, STEPS, 2u, 0};
  sha256 hash;
  poet_status status = poet_train_from_card(&training);
  sha256_begin(&hash);
  if (status == POET_OK) status = poet_parameters(add, &hash);
  if (status == POET_OK) sha256_end(&hash, digits);
  return status;
}

static void tell_problem(poet_status status) {
  char digits[4] = {' ', (char)('0' + (int)status), (char)('0' + (int)poet_port_problem()), '\0'};
  print("failed");
  print(digits);
}

void run(void);
void start(void);

void run(void) {
  const uint32_t stopped = 0x20026u;
  char digits[65];
  const poet_status status = train(digits);
  if (status != POET_OK) {
    tell_problem(status);
  } else {
    print(digits);
    if (!refuses_what_is_not_there()) print(" and reads behind its end");
  }
  print("\n");
  call(SYS_EXIT, stopped);
}

/* RAM begins at 0, and has 128 MiB. */
__attribute__((naked, used)) void start(void) {
  __asm__ volatile("mov sp, #0x4000000\n\tb run");
}
