/* Trains an emitted project with --port from an SD card on SPI that is simulated byte by byte, by
 * the project's own driver of the protocol and its program for a first try. The power fails after
 * so many bytes of traffic, again and again, until the training is done.
 *
 *   export_card PORT.IMAGE EXAMPLES STEPS BYTES-UNTIL-OFF SDHC|SDSC
 *
 * writes how often the power failed, and the SHA-256 of the parameters. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "poet/boards/ports/sd_spi.h"
#include "poet/boards/ports/train_from_card.h"
#include "poet_train.h"
#include "sha256.h"
#include "simulated_sd_card.h"

enum { DONE = 0, FAILED = 1, OFF = 77, CARD_BYTES = 16 << 20 };

/* What outlives the processes. */
typedef struct world {
  char digits[65];
  uint8_t card[CARD_BYTES];
} world;

static world* outside;
static sim_card sim;
static const poet_sd_bus bus = {&sim, sim_select, sim_speed, sim_exchange};
static poet_sd_card card;

/* What a chip's file would have. */
poet_port_status poet_port_open(poet_storage* storage) {
  return poet_sd_storage(&card, &bus, storage);
}

poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}

static void add(void* user, const void* bytes, uint32_t size) {
  sha256_add(user, bytes, size);
}

static int live(uint32_t examples, uint32_t steps) {
  const poet_card_training training = {examples, steps, 1u, NULL};
  sha256 hash;
  poet_status status = poet_train_from_card(&training);
  sha256_begin(&hash);
  if (status == POET_OK) status = poet_parameters(add, &hash);
  if (status == POET_OK) sha256_end(&hash, outside->digits);
  if (status == POET_OK) return DONE;
  if (sim.is_absent) return OFF;
  printf("status %d, the card's %d\n", (int)status, (int)poet_port_problem());
  return FAILED;
}

static void read_image(const char* path) {
  FILE* const file = fopen(path, "rb");
  if (file == NULL) exit(2);
  const size_t bytes = fread(outside->card, 1, CARD_BYTES, file);
  if (bytes == 0 || bytes == CARD_BYTES || fclose(file) != 0) exit(2);
}

int main(int count, char** words) {
  if (count != 6) return 2;
  outside = mmap(NULL, sizeof *outside, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (outside == MAP_FAILED) return 2;
  read_image(words[1]);
  const uint32_t examples = (uint32_t)strtoul(words[2], NULL, 10);
  const uint32_t steps = (uint32_t)strtoul(words[3], NULL, 10);
  long bytes_until_off = strtol(words[4], NULL, 10);
  long cuts = 0;
  for (;; ++cuts) {
    fflush(stdout);
    const pid_t life = fork();
    if (life == 0) {
      sim.bytes = outside->card;
      sim.blocks = CARD_BYTES / 512;
      sim.is_high_capacity = strcmp(words[5], "SDHC") == 0;
      sim.busy_bytes = 3;
      sim.bytes_until_off = bytes_until_off;
      exit(live(examples, steps));
    }
    int state = 0;
    if (life < 0 || waitpid(life, &state, 0) != life || !WIFEXITED(state)) return 2;
    if (WEXITSTATUS(state) == DONE) break;
    if (WEXITSTATUS(state) != OFF) return FAILED;
    /* A life has to be long enough for a step, in the end. */
    bytes_until_off += bytes_until_off / 64;
  }
  printf("%ld cuts, parameters %s\n", cuts, outside->digits);
  return 0;
}
