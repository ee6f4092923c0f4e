/* Trains an emitted project with --port esp32c3-sd on QEMU's `virt` with a 32-bit RISC-V core,
 * which has no card at all: from one that is simulated byte by byte, whose memory the emulator has
 * filled. So the chip's SPI is not there; the training and the protocol of cards are, as compiled
 * for the chip. Writes the parameters' SHA-256. */
#include <stdint.h>

#include "poet/boards/ports/sd_spi.h"
#include "poet/boards/ports/train_from_card.h"
#include "poet_train.h"
#include "sha256.h"
#include "simulated_sd_card.h"

enum { CARD_BYTES = 1 << 20, UART = 0x10000000, TEST_UNIT = 0x00100000, ENDED = 0x5555 };
#define CARD 0x84000000u

static sim_card sim;
static const poet_sd_bus bus = {&sim, sim_select, sim_speed, sim_exchange};
static poet_sd_card card;

poet_port_status poet_port_open(poet_storage* storage) {
  sim.bytes = (uint8_t*)(uintptr_t)CARD;
  sim.blocks = CARD_BYTES / 512;
  sim.is_high_capacity = 1;
  return poet_sd_storage(&card, &bus, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}

static void print(const char* text) {
  for (; *text != '\0'; ++text) *(volatile uint8_t*)(uintptr_t)UART = (uint8_t)*text;
}

static void add(void* user, const void* bytes, uint32_t size) {
  sha256_add(user, bytes, size);
}

int main(void) {
  const poet_card_training training = {EXAMPLES, STEPS, 2u, NULL};
  char digits[65];
  sha256 hash;
  poet_status status = poet_train_from_card(&training);
  sha256_begin(&hash);
  if (status == POET_OK) status = poet_parameters(add, &hash);
  if (status == POET_OK) sha256_end(&hash, digits);
  print(status == POET_OK ? digits : "failed");
  print("\n");
  *(volatile uint32_t*)(uintptr_t)TEST_UNIT = ENDED;
  for (;;) {
  }
}
