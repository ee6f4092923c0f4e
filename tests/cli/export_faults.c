/* Trains an emitted project on a card in memory that fails at every call in turn, and in every way.
 * After each fault the board starts again, and must end with the parameters of a training without
 * faults.
 *
 *   export_faults STORAGE.IMAGE EXAMPLES.BIN STEPS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "late.h"
#include "poet_train.h"
#include "sha256.h"

/* As 'poet export c' has it by default. */
#define ERASED (64u << 10)

typedef enum fault { NOTHING, READ, WRITE, SHORT_WRITE, DAMAGE, EXAMPLES, FAULTS } fault;

typedef struct board {
  unsigned char* card;
  uint32_t capacity;
  const unsigned char* examples;
  size_t example_bytes;
  fault kind;
  long calls_until_fault;
  long calls;
  int errors; /* that the error callback was told */
} board;

/* Whether this call is the one that fails; afterwards everything works. */
static int fails(board* self, fault kind) {
  ++self->calls;
  if (self->kind != kind || self->calls_until_fault-- != 0) return 0;
  return 1;
}

static int32_t read_card(void* user, uint32_t offset, void* into, uint32_t bytes) {
  board* self = user;
  if (fails(self, READ) || offset + bytes > self->capacity) return -1;
  memcpy(into, self->card + offset, bytes);
  return 0;
}

/* What flash may do when its power fails: every piece that was being written is lost, whole. */
static void damage_around(board* self, uint32_t offset, uint32_t bytes) {
  const uint32_t begin = offset / ERASED * ERASED;
  const uint32_t end = (offset + bytes + ERASED - 1u) / ERASED * ERASED;
  memset(self->card + begin, 0xFF, (end < self->capacity ? end : self->capacity) - begin);
}

static int32_t write_card(void* user, uint32_t offset, const void* from, uint32_t bytes) {
  board* self = user;
  if (fails(self, WRITE) || offset + bytes > self->capacity) return -1;
  if (self->kind == SHORT_WRITE && self->calls_until_fault-- == 0) {
    memcpy(self->card + offset, from, bytes / 2u);
    return -1;
  }
  if (self->kind == DAMAGE && self->calls_until_fault-- == 0) {
    damage_around(self, offset, bytes);
    return -1;
  }
  memcpy(self->card + offset, from, bytes);
  return 0;
}

static uint32_t capacity_of_card(void* user) {
  return ((board*)user)->capacity;
}

static void note_error(void* user, poet_status status, uint32_t offset) {
  (void)status;
  (void)offset;
  ++((board*)user)->errors;
}

static const uint32_t kInputBytes[POET_INPUTS] = POET_INPUT_BYTES;

static int32_t read_examples(void* user, poet_input input, uint32_t first, void* into,
                             uint32_t bytes) {
  board* self = user;
  size_t all = 0;
  size_t before = 0;
  if (fails(self, EXAMPLES)) return -1;
  for (int i = 0; i < POET_INPUTS; ++i) {
    if (i < (int)input) before += kInputBytes[i];
    all += kInputBytes[i];
  }
  const uint32_t size = kInputBytes[input];
  for (uint32_t i = 0; i < bytes / size; ++i)
    memcpy((unsigned char*)into + i * size,
           self->examples + (first + i) % (self->example_bytes / all) * all + before, size);
  return 0;
}

static void add(void* user, const void* bytes, uint32_t size) {
  sha256_add(user, bytes, size);
}

static poet_status train(uint32_t steps) {
  poet_status status = POET_OK;
  while (status == POET_OK && poet_steps_done() < steps) {
    float loss;
    status = poet_step(&loss);
    if (status == POET_OK) status = poet_save();
  }
  return status;
}

static poet_status run(board* self, uint32_t steps, char digits[65]) {
  static poet_storage storage;
  static poet_examples examples;
  sha256 hash;
  storage = (poet_storage){self, read_card, write_card, capacity_of_card, note_error};
  examples = (poet_examples){self, read_examples};
  set_late_channel(&storage);
  poet_status status = poet_connect(&storage, &examples);
  if (status == POET_OK) status = poet_load();
  if (status == POET_OK) status = train(steps);
  sha256_begin(&hash);
  if (status == POET_OK) status = poet_parameters(add, &hash);
  if (status == POET_OK) sha256_end(&hash, digits);
  return status;
}

static unsigned char* contents(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  unsigned char* all = NULL;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(2);
  *bytes = (size_t)ftell(file);
  rewind(file);
  all = malloc(*bytes);
  if (all == NULL || fread(all, 1, *bytes, file) != *bytes || fclose(file) != 0) exit(2);
  return all;
}

static int complain(const char* what, fault kind, long call) {
  printf("%s: fault %d at call %ld\n", what, (int)kind, call);
  return 1;
}

int main(int count, char** words) {
  size_t image_bytes = 0;
  board self = {0};
  char right[65];
  char digits[65];
  if (count != 4) return 2;
  unsigned char* image = contents(words[1], &image_bytes);
  unsigned char* examples = contents(words[2], &self.example_bytes);
  self.examples = examples;
  const uint32_t steps = (uint32_t)strtoul(words[3], NULL, 10);
  self.card = calloc(1, POET_STORAGE_BYTES);
  if (self.card == NULL) return 2;

  memcpy(self.card, image, image_bytes);
  self.capacity = POET_STORAGE_BYTES - 1u;
  if (run(&self, steps, digits) != POET_STORAGE_TOO_SMALL)
    return complain("a card that is too small is taken", NOTHING, 0);
  self.capacity = POET_STORAGE_BYTES;
  if (run(&self, steps, right) != POET_OK)
    return complain("nothing failed and it does not train", NOTHING, 0);

  long faults = 0;
  for (fault kind = READ; kind < FAULTS; ++kind) {
    for (long call = 0;; ++call) {
      memset(self.card, 0, POET_STORAGE_BYTES);
      memcpy(self.card, image, image_bytes);
      self.kind = kind;
      self.calls_until_fault = call;
      self.errors = 0;
      const poet_status status = run(&self, steps, digits);
      const int had_fault = self.calls_until_fault < 0;
      self.kind = NOTHING;
      if (!had_fault) break;
      ++faults;
      /* Of two checkpoints one may be unreadable: the other one is taken, to the same numbers. */
      if (status == POET_OK && (self.errors == 0 || strcmp(digits, right) != 0))
        return complain("a fault was not told", kind, call);
      if (kind != EXAMPLES && self.errors == 0)
        return complain("the error callback was not told", kind, call);
      if (run(&self, steps, digits) != POET_OK) return complain("it does not go on", kind, call);
      if (strcmp(digits, right) != 0) return complain("it goes on to other numbers", kind, call);
    }
  }
  printf("%s after %ld faults\n", right, faults);
  free(self.card);
  free(image);
  free(examples);
  return 0;
}
