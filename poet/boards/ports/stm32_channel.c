#include "poet/boards/ports/stm32_channel.h"

#include <stddef.h>

#include "poet/boards/ports/registers.h"
#include "poet/boards/ports/stm32_sd.h"

/* The STM32F4 and the STM32F7 have the same DMA controller at the same place, with the card's host
 * at channel 4 of stream 3 of the second (STMicroelectronics, RM0090, 10.3.3 and 10.5;
 * RM0385, 8.3.3 and 8.5). */
enum { RCC_AHB1ENR = 0x40023830, DMA2_ENABLED = 1u << 22 }; /* RM0090, 7.3.10 */
enum { DMA2 = 0x40026400, LISR = DMA2 + 0x00, LIFCR = DMA2 + 0x08 };
enum { S3CR = DMA2 + 0x58, S3NDTR = DMA2 + 0x5C, S3PAR = DMA2 + 0x60, S3M0AR = DMA2 + 0x64 };
enum { S3FCR = DMA2 + 0x6C };
/* Of LISR and LIFCR. Of errors the bus's alone: that the FIFO was empty or full at some time stops
 * nothing, and of a word that is lost for that the host tells. */
enum { ERROR_OF_3 = 1u << 25, COMPLETE_OF_3 = 1u << 27, FLAGS_OF_3 = 0x0F400000 };
enum { /* of S3CR */
       ENABLED = 1u << 0,
       HOST_ENDS = 1u << 5, /* PFCTRL: the card's host says which word is the last */
       TO_PERIPHERAL = 1u << 6,
       NEXT_WORDS = 1u << 10,          /* MINC */
       WORDS = 2u << 11 | 2u << 13,    /* PSIZE, MSIZE */
       URGENT = 2u << 16,              /* a word that comes too late fails the transfer */
       BURSTS_OF_4_AT_HOST = 1u << 21, /* at memory none: a burst must not cross 1 KiB (10.3.11) */
       CHANNEL_4 = 4u << 25
};
/* Of S3FCR: no direct mode, and full before it moves. */
enum { FIFO_OF_4_WORDS = 1u << 2 | 3u << 0 };

/* ARMv7-M, B3.2.8; 0 on a Cortex-M4, which has no cache. */
#define SCB_CCR 0xE000ED14u
#define DATA_CACHE (1u << 16)

/* Below are flash and what is the core's alone: the F4's core-coupled memory at 0x10000000, the
 * F7's memory for instructions at 0 (RM0090, 2.3; RM0385, 2.3). */
#define FIRST_FOR_DMA 0x20000000u

enum {
  MOST_BLOCKS = 511,       /* of one run: the stream counts 65535 words at most (10.3.15) */
  STALLED_IDLES = 4000000, /* a second of them: the host's own timer, of half of one, comes first */
  STOP_LOOKS = 100000,     /* a stream that is stopped ends the burst that it is at */
  FLUSH_LOOKS = 1000       /* its four words then take some cycles of the bus each */
};

/* What was written to memory is there before a stream reads it, and the other way round. */
#if defined(__ARM_ARCH_7EM__)
#define MEMORY_BARRIER() __asm__ volatile("dsb" ::: "memory")
#elif defined(__GNUC__)
#define MEMORY_BARRIER() __asm__ volatile("" ::: "memory")
#else
#define MEMORY_BARRIER() (void)0
#endif

typedef enum channel_stage {
  AT_REST,
  MOVING,      /* the data of a run */
  BUSY,        /* the card, with what it was given */
  BROKEN,      /* a run that failed, of which nothing is put right yet */
  REST_IS_LEFT /* for the processor */
} channel_stage;

static struct {
  void (*ended)(int32_t failed);
  const poet_transfer* transfer;
  channel_stage stage;
  uint32_t done;    /* bytes of the transfer */
  uint32_t blocks;  /* of the run */
  uint32_t words;   /* what the stream's counter said last */
  uint32_t left;    /* calls until the run is given up */
  int32_t attempts; /* to ask a card whose answer a wire spoils */
} now;

static int32_t stream_runs(void) {
  return (poet_read_register(S3CR) & ENABLED) != 0u;
}

static int32_t stop_stream(void) {
  if (stream_runs()) poet_put_bits(S3CR, ENABLED, 0);
  return poet_wait_bits(S3CR, ENABLED, 0, STOP_LOOKS);
}

/* Whether it moves nothing from here on. What its FIFO has on the way to memory it moves when it is
 * no longer enabled, too, and says of that that it is complete (10.3.12); where the bus failed it
 * does not say so, and has had the time. */
static int32_t settle_stream(void) {
  const int32_t has_stopped = stop_stream();
  if (now.transfer->to_storage == 0u)
    (void)poet_wait_bits(LISR, COMPLETE_OF_3, COMPLETE_OF_3, FLUSH_LOOKS);
  MEMORY_BARRIER();
  return has_stopped;
}

/* Whether all that it took from the host is in memory. */
static int32_t is_complete(void) {
  return !stream_runs() && (poet_read_register(LISR) & COMPLETE_OF_3) != 0u;
}

static void start_stream(uint32_t memory, uint32_t direction) {
  MEMORY_BARRIER();
  poet_write_register(LIFCR, FLAGS_OF_3);
  poet_write_register(S3PAR, poet_sdio_fifo(poet_port_card()));
  poet_write_register(S3M0AR, memory);
  poet_write_register(S3FCR, FIFO_OF_4_WORDS);
  poet_write_register(
      S3CR, CHANNEL_4 | BURSTS_OF_4_AT_HOST | URGENT | WORDS | NEXT_WORDS | direction | HOST_ENDS);
  poet_set_bits(S3CR, ENABLED);
}

/* Whether DMA can move the transfer's whole blocks. A cache would have to be cleaned before, and
 * made to forget after, in lines that are other buffers' too: with one, the processor moves all. */
static int32_t suits(const poet_transfer* transfer) {
  const uint32_t memory = poet_bus_address(transfer->memory);
  if (transfer->offset % POET_SD_BLOCK_BYTES != 0u || memory % sizeof(uint32_t) != 0u) return 0;
  return memory >= FIRST_FOR_DMA && (poet_read_register(SCB_CCR) & DATA_CACHE) == 0u;
}

static uint8_t* next_byte(void) {
  return (uint8_t*)now.transfer->memory + now.done;
}

/* The next blocks, where there are any: what is behind them is less than one. */
static void begin_run(void) {
  const uint32_t whole = (now.transfer->bytes - now.done) / POET_SD_BLOCK_BYTES;
  const int32_t writes = now.transfer->to_storage != 0u;
  poet_sd_move move = {(now.transfer->offset + now.done) / POET_SD_BLOCK_BYTES, whole, NULL, NULL};
  now.stage = REST_IS_LEFT;
  if (whole == 0u || !stop_stream()) return;
  if (whole > MOST_BLOCKS) move.count = MOST_BLOCKS;
  if (writes)
    move.from = next_byte();
  else
    move.into = next_byte();
  now.blocks = move.count;
  now.words = 0;
  now.left = STALLED_IDLES;
  start_stream(poet_bus_address(next_byte()), writes ? TO_PERIPHERAL : 0u);
  const poet_port_status status = poet_sdio_begin(poet_port_card(), &move);
  now.stage = status == POET_PORT_OK ? MOVING : BROKEN;
}

/* Nothing is said to have ended in here: the next one would begin within that, and so on. */
static void begin(void* user, const poet_transfer* transfer) {
  (void)user;
  now.transfer = transfer;
  now.done = 0;
  now.stage = REST_IS_LEFT;
  if (suits(transfer)) begin_run();
}

static void look_at_words(void) {
  const uint32_t words = poet_read_register(S3NDTR);
  if (words != now.words) now.left = STALLED_IDLES;
  now.words = words;
  if (now.left == 0u || (poet_read_register(LISR) & ERROR_OF_3) != 0u) now.stage = BROKEN;
}

static void look_at_data(void) {
  const poet_sdio_card* const card = poet_port_card();
  poet_port_status status = POET_PORT_OK;
  const int32_t is_over = poet_sdio_is_over(card, &status);
  look_at_words();
  if (status != POET_PORT_OK) now.stage = BROKEN;
  if (now.stage != MOVING || !is_over) return;
  /* Words that have arrived are on their way to memory for a while yet. */
  if (now.transfer->to_storage == 0u && !is_complete()) return;
  const int32_t has_stopped = settle_stream();
  if (!has_stopped || poet_sdio_end(card, now.blocks) != POET_PORT_OK) {
    now.stage = BROKEN;
    return;
  }
  now.stage = BUSY;
  now.left = POET_SDIO_BUSY_COMMANDS;
  now.attempts = SD_ATTEMPTS;
}

/* One command each time: a card may be busy for half a second, and there is work to do. */
static void look_at_card(void) {
  const poet_port_status status = poet_sdio_ready(poet_port_card());
  if (status == POET_PORT_OK) {
    now.done += now.blocks * POET_SD_BLOCK_BYTES;
    begin_run();
    return;
  }
  const int32_t may_be_wire = status == POET_PORT_BAD_CHECKSUM || status == POET_PORT_NO_CARD;
  if (--now.left == 0u) now.stage = BROKEN;
  if (may_be_wire ? --now.attempts == 0 : status != POET_PORT_TIMEOUT) now.stage = BROKEN;
}

static void end(int32_t failed) {
  now.stage = AT_REST;
  now.ended(failed); /* in which the next one begins */
}

/* From where DMA has come to; with the retries that the storage's callbacks have. */
static void move_rest(void) {
  poet_blocks* const blocks = &poet_port_card()->blocks;
  const uint32_t offset = now.transfer->offset + now.done;
  const uint32_t bytes = now.transfer->bytes - now.done;
  if (now.transfer->to_storage != 0u)
    end(poet_blocks_write(blocks, offset, next_byte(), bytes));
  else
    end(poet_blocks_read(blocks, offset, next_byte(), bytes));
}

/* Memory is the processor's again only when the stream has stopped, at the latest when the host
 * asks for no more words. Where it has not even then, or the card is busy for ever, the transfer
 * has failed for good. */
static void put_right(void) {
  poet_sdio_card* const card = poet_port_card();
  const int32_t had_stopped = settle_stream();
  poet_port_status status = poet_sdio_give_up(card);
  now.done = 0;
  now.stage = REST_IS_LEFT;
  if (!had_stopped && !settle_stream()) status = POET_PORT_BUS;
  /* Other answers may be a wire's, or of the run that failed: the processor asks again. */
  if (status != POET_PORT_BUS && status != POET_PORT_TIMEOUT) return;
  card->blocks.problem = status;
  end(1);
}

static void look(void* user) {
  (void)user;
  if (now.stage == MOVING) look_at_data();
  if (now.stage == BUSY) look_at_card();
  if (now.stage == BROKEN) put_right();
  if (now.stage == REST_IS_LEFT) move_rest();
}

static void idle(void* user) {
  if (now.stage == MOVING) now.left -= 1u;
  look(user);
}

const poet_channel* poet_port_channel(void (*ended)(int32_t failed)) {
  static const poet_channel channel = {NULL, begin, idle, look};
  poet_set_bits(RCC_AHB1ENR, DMA2_ENABLED);
  (void)poet_read_register(RCC_AHB1ENR); /* the clock of a unit is there two cycles later */
  now.ended = ended;
  return &channel;
}
