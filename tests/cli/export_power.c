/* Trains an emitted project with --hook whose power fails at every action, and at every call of its
 * card, in every way that cards have. Each life is a process, so that nothing but the card outlives
 * it. After each cut, and after a second one at the same place of the next life, the board must end
 * with the parameters of a training that was never cut, and begin no earlier than at what was
 * saved.
 *
 *   export_power STORAGE.IMAGE EXAMPLES.BIN STEPS */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "poet_train.h"
#include "sha256.h"

/* As 'poet export c' has it by default. */
#define ERASED (64u << 10)

enum { DONE = 0, FAILED = 1, OFF = 77 };

/* Before an action; before a piece of the card is read; before one is written; with the first half
 * of it written; and as flash may lose all pieces whole that were being written. */
typedef enum cut { NONE, ACTION, READ, UNWRITTEN, TORN, DAMAGED, CUTS } cut;
static const char* const kNames[CUTS] = {"none", "action", "read", "unwritten", "torn", "damaged"};

/* What outlives the processes. */
typedef struct world {
  char digits[65];
  uint32_t saved_steps;
  unsigned char card[POET_STORAGE_BYTES];
} world;

typedef struct memory {
  unsigned char* bytes;
  size_t size;
} memory;

static world* outside;
static memory image;
static memory example_file;
static const uint32_t kInputBytes[POET_INPUTS] = POET_INPUT_BYTES;

/* --- Power */

static cut kind;
static long calls_until_cut;

static int is_cut(cut here) {
  return kind == here && calls_until_cut-- == 0;
}

static void off(void) {
  _exit(OFF);
}

static int32_t before_action(void* user, uint32_t action) {
  (void)user;
  (void)action;
  if (is_cut(ACTION)) off();
  return 0;
}

/* --- The board */

static int32_t read_card(void* user, uint32_t offset, void* into, uint32_t bytes) {
  (void)user;
  if (is_cut(READ)) off();
  if (offset + bytes > POET_STORAGE_BYTES) return -1;
  memcpy(into, outside->card + offset, bytes);
  return 0;
}

static void damage_around(uint32_t offset, uint32_t bytes) {
  const uint32_t begin = offset / ERASED * ERASED;
  const uint32_t end = (offset + bytes + ERASED - 1u) / ERASED * ERASED;
  memset(outside->card + begin, 0xFF,
         (end < POET_STORAGE_BYTES ? end : POET_STORAGE_BYTES) - begin);
}

static int32_t write_card(void* user, uint32_t offset, const void* from, uint32_t bytes) {
  (void)user;
  if (offset + bytes > POET_STORAGE_BYTES) return -1;
  if (is_cut(UNWRITTEN)) off();
  if (is_cut(TORN)) {
    memcpy(outside->card + offset, from, bytes / 2u);
    off();
  }
  if (is_cut(DAMAGED)) {
    damage_around(offset, bytes);
    off();
  }
  memcpy(outside->card + offset, from, bytes);
  return 0;
}

static uint32_t capacity_of_card(void* user) {
  (void)user;
  return POET_STORAGE_BYTES;
}

static int32_t read_examples(void* user, poet_input input, uint32_t first, void* into,
                             uint32_t bytes) {
  const uint32_t size = kInputBytes[input];
  size_t all = 0;
  size_t before = 0;
  (void)user;
  for (int i = 0; i < POET_INPUTS; ++i) {
    if (i < (int)input) before += kInputBytes[i];
    all += kInputBytes[i];
  }
  for (uint32_t i = 0; i < bytes / size; ++i)
    memcpy((unsigned char*)into + i * size,
           example_file.bytes + (first + i) % (example_file.size / all) * all + before, size);
  return 0;
}

/* --- Lives */

static void add(void* user, const void* bytes, uint32_t size) {
  sha256_add(user, bytes, size);
}

static int live(uint32_t steps) {
  static const poet_storage storage = {NULL, read_card, write_card, capacity_of_card, NULL};
  static const poet_examples examples = {NULL, read_examples};
  sha256 hash;
  if (poet_connect(&storage, &examples) != POET_OK || poet_load() != POET_OK) return FAILED;
  if (poet_steps_done() < outside->saved_steps) return FAILED;
  poet_set_hook(before_action, NULL);
  while (poet_steps_done() < steps) {
    float loss;
    if (poet_step(&loss) != POET_OK || poet_save() != POET_OK) return FAILED;
    outside->saved_steps = poet_steps_done();
  }
  sha256_begin(&hash);
  if (poet_parameters(add, &hash) != POET_OK) return FAILED;
  sha256_end(&hash, outside->digits);
  return DONE;
}

/* How a life ended that is cut at the k-th call of that kind. */
static int one_life(cut how, long k, uint32_t steps) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    kind = how;
    calls_until_cut = k;
    _exit(live(steps));
  }
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return FAILED;
  return WEXITSTATUS(status);
}

static void new_card(void) {
  memset(outside, 0, sizeof *outside);
  memcpy(outside->card, image.bytes, image.size);
}

static int complain(const char* what, cut how, long k) {
  fprintf(stderr, "export_power: %s: cut '%s', call %ld\n", what, kNames[how], k);
  return FAILED;
}

static memory file_of(const char* path) {
  memory file = {NULL, 0};
  FILE* const stream = fopen(path, "rb");
  if (stream == NULL || fseek(stream, 0, SEEK_END) != 0) exit(2);
  file.size = (size_t)ftell(stream);
  file.bytes = malloc(file.size);
  rewind(stream);
  if (file.bytes == NULL || fread(file.bytes, 1, file.size, stream) != file.size) exit(2);
  fclose(stream);
  return file;
}

int main(int count, char** words) {
  char whole[65];
  if (count != 4) return 2;
  image = file_of(words[1]);
  example_file = file_of(words[2]);
  const uint32_t steps = (uint32_t)strtoul(words[3], NULL, 10);
  outside = mmap(NULL, sizeof *outside, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (outside == MAP_FAILED) return 2;
  new_card();
  if (one_life(NONE, 0, steps) != DONE) return complain("it does not train", NONE, 0);
  memcpy(whole, outside->digits, sizeof whole);

  for (cut how = ACTION; how < CUTS; ++how) {
    long k = 0;
    for (;; ++k) {
      new_card();
      const int first = one_life(how, k, steps);
      if (first == DONE) break; /* it has fewer such calls */
      if (first != OFF) return complain("the first life fails", how, k);
      const int second = one_life(how, k, steps);
      if (second != OFF && second != DONE) return complain("the second life fails", how, k);
      if (one_life(NONE, 0, steps) != DONE) return complain("it does not go on", how, k);
      if (strcmp(outside->digits, whole) != 0)
        return complain("it goes on to other numbers", how, k);
    }
    printf("%s %ld\n", kNames[how], k);
  }
  free(image.bytes);
  free(example_file.bytes);
  return 0;
}
