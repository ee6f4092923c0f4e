/* A training on a board that hangs on a host: takes the steps that its command line asks for, and
 * reports each one on the console. The command line is words of the form name=number:
 *
 *   steps        how many to take in all, those of the checkpoint on the card included
 *   save-every   a checkpoint after so many steps; it saves one at the end in any case
 *   fail-read    this transfer from the card fails, counted from 1
 *   fail-write   the same of transfers to it
 *   trace        1: write what every action took to trace.bin
 *   predict      so many examples in the end, into predictions.bin: where the project predicts
 */
#include <string.h>

#include "poet/boards/firmware/card.h"
#include "poet/boards/firmware/clock.h"
#include "poet/boards/firmware/console.h"
#include "poet/boards/firmware/semihosting.h"
#include "poet/boards/firmware/start.h"
#include "poet_train.h"

static char command_line[128];
static board_card card;
static int32_t examples_file;
static int32_t trace_file = -1;
static int32_t parameters_file;
#ifdef POET_PREDICT_BATCH
static int32_t predictions_file;
#endif
static uint32_t example_count;
static const uint32_t input_bytes[POET_INPUTS] = POET_INPUT_BYTES;

/* Ticks of all actions that have ended. What the report itself takes is not among them. */
static uint64_t ticks;
static uint32_t action_ticks;
static uint32_t action = POET_ACTIONS;

/* The number behind `name=` in the command line; 0 where it is not. */
static uint32_t option(const char* name) {
  const size_t size = strlen(name);
  uint32_t value = 0;
  for (const char* word = command_line; *word != '\0'; ++word) {
    const int begins = word == command_line || word[-1] == ' ';
    if (!begins || strncmp(word, name, size) != 0 || word[size] != '=') continue;
    for (word += size + 1; *word >= '0' && *word <= '9'; ++word)
      value = 10u * value + (uint32_t)(*word - '0');
    return value;
  }
  return value;
}

/* Called before each action, and with POET_ACTIONS after the last one of a form. */
void poet_trace(uint32_t next_action) {
  const uint32_t taken = board_clock_ticks() - action_ticks;
  if (action != POET_ACTIONS) {
    const uint32_t record[2] = {action, taken};
    ticks += taken;
    if (trace_file >= 0) board_write(trace_file, record, sizeof record);
  }
  action = next_action;
  action_ticks = board_clock_ticks();
}

static uint32_t example_bytes(void) {
  uint32_t bytes = 0;
  for (uint32_t k = 0; k < POET_INPUTS; ++k) bytes += input_bytes[k];
  return bytes;
}

/* The examples of the file again and again. */
static int32_t read_part(void* user, poet_input input, uint32_t first, uint32_t offset, void* into,
                         uint32_t bytes) {
  const uint32_t count = *(const uint32_t*)user;
  const uint32_t size = input_bytes[input];
  unsigned char* next = (unsigned char*)into;
  uint32_t before = 0;
  for (uint32_t k = 0; k < (uint32_t)input; ++k) before += input_bytes[k];
  while (bytes > 0u) {
    const uint32_t example = (first + offset / size) % count;
    const uint32_t left = size - offset % size; /* of this example */
    const uint32_t piece = bytes < left ? bytes : left;
    if (board_seek(examples_file, example * example_bytes() + before + offset % size) != 0)
      return 1;
    if (board_read(examples_file, next, piece) != 0) return 1;
    next += piece;
    offset += piece;
    bytes -= piece;
  }
  return 0;
}

static int32_t read_examples(void* user, poet_input input, uint32_t first, void* into,
                             uint32_t bytes) {
  return read_part(user, input, first, 0, into, bytes);
}

static void take_parameters(void* user, const void* bytes, uint32_t size) {
  (void)user;
  board_write(parameters_file, bytes, size);
}

static void report_step(float loss, uint64_t ticks_before, const board_card* before) {
  uint32_t bits;
  memcpy(&bits, &loss, sizeof bits);
  board_print("step");
  board_print_word("number", poet_steps_done());
  board_print_word("loss", bits);
  board_print_long("ticks", ticks - ticks_before);
  board_print_long("read", card.read_bytes - before->read_bytes);
  board_print_long("written", card.written_bytes - before->written_bytes);
  board_print("\n");
}

static poet_status save(void) {
  const poet_status status = poet_save();
  if (status != POET_OK) return status;
  board_print("saved");
  board_print_word("step", poet_steps_done());
  board_print("\n");
  return POET_OK;
}

static poet_status take_steps(uint32_t steps, uint32_t save_every) {
  while (poet_steps_done() < steps) {
    const board_card card_before = card;
    const uint64_t ticks_before = ticks;
    float loss = 0.0f;
    const poet_status status = poet_step(&loss);
    if (status != POET_OK) return status;
    report_step(loss, ticks_before, &card_before);
    if (save_every > 0u && poet_steps_done() % save_every == 0u && poet_steps_done() < steps) {
      const poet_status saved = save();
      if (saved != POET_OK) return saved;
    }
  }
  return save();
}

#ifdef POET_PREDICT_BATCH
static void take_outputs(void* user, const float* outputs) {
  (void)user;
  board_write(predictions_file, outputs, POET_PREDICT_BATCH * POET_OUTPUTS * sizeof *outputs);
}

/* Whole predictions of the file's first examples. */
static poet_status predict(const poet_examples* examples, uint32_t count) {
  const uint64_t ticks_before = ticks;
  uint32_t next = 0;
  for (; next < count; next += POET_PREDICT_BATCH) {
    const poet_status status = poet_predict(examples, next, take_outputs, NULL);
    if (status != POET_OK) return status;
  }
  if (count == 0u) return POET_OK;
  board_print("predicted");
  board_print_word("examples", next);
  board_print_long("ticks", ticks - ticks_before);
  board_print("\n");
  return POET_OK;
}
#endif

#ifdef POET_OVERLAPPED
/* Transfers as late as the plan allows, so that what waits for too little shows. */
typedef struct late_card {
  const poet_storage* storage;
  const poet_transfer* begun;
} late_card;

static void begin_late(void* user, const poet_transfer* transfer) {
  ((late_card*)user)->begun = transfer;
}

static void do_begun(void* user) {
  const late_card* const late = (const late_card*)user;
  const poet_transfer* const move = late->begun;
  poet_transfer_ended(
      move->to_storage != 0u
          ? late->storage->write(late->storage->user, move->offset, move->memory, move->bytes)
          : late->storage->read(late->storage->user, move->offset, move->memory, move->bytes));
}
#endif

static poet_status train(void) {
  const poet_storage storage = board_card_storage(&card);
#ifdef POET_OVERLAPPED
  late_card late = {&storage, NULL};
  const poet_channel channel = {&late, begin_late, do_begun, NULL};
  poet_set_channel(&channel);
#endif
#if POET_INPUTS_IN_PIECES
  const poet_examples examples = {&example_count, read_examples, read_part};
#else
  const poet_examples examples = {&example_count, read_examples};
#endif
  poet_status status = poet_connect(&storage, &examples);
  if (status == POET_OK) status = poet_load();
  if (status != POET_OK) return status;
  board_print("loaded");
  board_print_word("step", poet_steps_done());
  board_print("\n");
  status = take_steps(option("steps"), option("save-every"));
  if (status != POET_OK) return status;
#ifdef POET_PREDICT_BATCH
  status = predict(&examples, option("predict"));
  if (status != POET_OK) return status;
#endif
  return poet_parameters(take_parameters, NULL);
}

static int32_t open_files(void) {
  if (board_medium_open() != 0) return 1;
  examples_file = board_open("examples.bin", BOARD_FILE_READ);
  parameters_file = board_open("parameters.bin", BOARD_FILE_NEW);
  if (option("trace") != 0u) trace_file = board_open("trace.bin", BOARD_FILE_NEW);
#ifdef POET_PREDICT_BATCH
  predictions_file = board_open("predictions.bin", BOARD_FILE_NEW);
  if (predictions_file < 0) return 1;
#endif
  card.reads_left = option("fail-read");
  card.writes_left = option("fail-write");
  if (examples_file < 0 || parameters_file < 0) return 1;
  example_count = (uint32_t)board_file_bytes(examples_file) / example_bytes();
  return example_count == 0u;
}

int main(void) {
  board_command_line(command_line, sizeof command_line);
  if (open_files() != 0) {
    board_print("missing files\n");
    return 1;
  }
  board_clock_start();
  const poet_status status = train();
  board_print("stack");
  board_print_word("used", board_stack_used());
  board_print("\nend");
  board_print_word("status", (uint32_t)status);
  board_print("\n");
  return status == POET_OK ? 0 : 1;
}
