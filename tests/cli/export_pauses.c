/* Trains an emitted project whose steps pause at every action, gives each step up at every action,
 * and must end with the parameters of a training that nobody disturbed.
 *
 *   export_pauses STORAGE.IMAGE EXAMPLES.BIN STEPS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "late.h"
#include "poet_train.h"
#include "sha256.h"

typedef struct memory {
  unsigned char* bytes;
  size_t size;
} memory;

static memory image;
static memory card;
static memory example_file;
static const uint32_t kInputBytes[POET_INPUTS] = POET_INPUT_BYTES;

/* --- The board */

static int32_t read_card(void* user, uint32_t offset, void* into, uint32_t bytes) {
  (void)user;
  if (offset + bytes > card.size) return -1;
  memcpy(into, card.bytes + offset, bytes);
  return 0;
}

static int32_t write_card(void* user, uint32_t offset, const void* from, uint32_t bytes) {
  (void)user;
  if (offset + bytes > card.size) return -1;
  memcpy(card.bytes + offset, from, bytes);
  return 0;
}

static uint32_t capacity_of_card(void* user) {
  (void)user;
  return (uint32_t)card.size;
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

/* --- The hook */

typedef struct pausing {
  long calls_until_pause; /* from 0; negative: none */
  int always;
  long calls;
  uint32_t action; /* of the last pause */
} pausing;

static int32_t pause_there(void* user, uint32_t action) {
  pausing* self = user;
  ++self->calls;
  if (self->always == 0 && self->calls_until_pause-- != 0) return 0;
  self->action = action;
  return 1;
}

/* --- Trainings */

typedef struct digest {
  char digits[65];
} digest;

static void add(void* user, const void* bytes, uint32_t size) {
  sha256_add(user, bytes, size);
}

static void must(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "export_pauses: not so: %s\n", what);
  exit(1);
}

static digest parameters(void) {
  sha256 hash;
  digest learnt;
  sha256_begin(&hash);
  must(poet_parameters(add, &hash) == POET_OK, "the parameters can be taken");
  sha256_end(&hash, learnt.digits);
  return learnt;
}

static int same(digest a, digest b) {
  return strcmp(a.digits, b.digits) == 0;
}

static void begin(pausing* hook) {
  static const poet_storage storage = {NULL, read_card, write_card, capacity_of_card, NULL};
  static const poet_examples examples = {NULL, read_examples};
  memset(card.bytes, 0, card.size);
  memcpy(card.bytes, image.bytes, image.size);
  set_late_channel(&storage);
  must(poet_connect(&storage, &examples) == POET_OK, "the board is connected");
  must(poet_load() == POET_OK, "the image is loaded");
  poet_set_hook(hook == NULL ? NULL : pause_there, hook);
}

static void steps_until(uint32_t steps) {
  while (poet_steps_done() < steps) {
    float loss;
    const poet_status status = poet_step(&loss);
    must(status == POET_OK || status == POET_PAUSED, "a step goes well, or pauses");
  }
}

static digest pause_everywhere(uint32_t steps, long* pauses) {
  pausing hook = {-1, 1, 0, 0};
  float loss;
  begin(&hook);
  must(poet_step(&loss) == POET_PAUSED, "a step pauses before its first action");
  must(poet_save() == POET_PAUSED && poet_parameters(add, NULL) == POET_PAUSED,
       "values after half a step are not to be had");
  steps_until(steps);
  *pauses = hook.calls;
  poet_set_hook(NULL, NULL);
  return parameters();
}

/* One step, and a second that is given up where its hook is called for the k-th time. */
static int give_up(long k, uint32_t steps, digest whole, long* too_late) {
  pausing hook = {-1, 0, 0, 0};
  float loss;
  begin(&hook);
  steps_until(1);
  must(poet_save() == POET_OK, "a checkpoint is written");
  const digest before = parameters();
  hook.calls_until_pause = k;
  if (poet_step(&loss) == POET_OK) return 0; /* it has fewer actions */
  hook.calls_until_pause = -1;
  const poet_status status = poet_abandon();
  if (status == POET_OK) {
    must(same(parameters(), before), "a step that was given up leaves the values before it");
  } else {
    must(status == POET_TOO_LATE && hook.action > POET_CHANGING_ACTION, "it is too late only then");
    must(poet_parameters(add, NULL) == POET_PAUSED, "a step that cannot be given up is paused");
    ++*too_late;
    if (k % 2 == 0) {
      must(poet_load() == POET_OK, "the checkpoint is loaded");
      must(same(parameters(), before), "the checkpoint has the values before the step");
    }
  }
  steps_until(steps);
  must(same(parameters(), whole), "what follows has the same bits");
  return 1;
}

static memory file_of(const char* path) {
  memory file = {NULL, 0};
  FILE* const stream = fopen(path, "rb");
  must(stream != NULL && fseek(stream, 0, SEEK_END) == 0, "the file is there");
  file.size = (size_t)ftell(stream);
  file.bytes = malloc(file.size);
  rewind(stream);
  must(file.bytes != NULL && fread(file.bytes, 1, file.size, stream) == file.size, "it is read");
  fclose(stream);
  return file;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  image = file_of(words[1]);
  example_file = file_of(words[2]);
  card.size = POET_STORAGE_BYTES;
  card.bytes = malloc(card.size);
  if (card.bytes == NULL) return 2;
  const uint32_t steps = (uint32_t)strtoul(words[3], NULL, 10);
  begin(NULL);
  must(poet_abandon() == POET_OK, "without a pause there is nothing to give up");
  steps_until(steps);
  const digest whole = parameters();
  long pauses = 0;
  must(same(pause_everywhere(steps, &pauses), whole), "pauses change no bit");
  long given_up = 0;
  long too_late = 0;
  while (give_up(given_up, steps, whole, &too_late)) ++given_up;
  must(given_up * (long)steps == pauses, "each action of each step was paused at");
  printf("the same after %ld pauses and %ld steps given up, %ld of them too late\n", pauses,
         given_up, too_late);
  free(image.bytes);
  free(example_file.bytes);
  free(card.bytes);
  return 0;
}
