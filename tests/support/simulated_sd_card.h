/* An SD card on SPI as a chip sees it, byte by byte: kept as plain as the specification's figures,
 * and sharing nothing with the driver that is tested on it, checksums neither. For C and C++. It
 * can be absent, slow, of another kind, wrong about a bit, worn out, and lose its power at any
 * byte. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What the next byte to the card is for. */
typedef enum sim_waits { SIM_COMMANDS, SIM_TOKEN, SIM_DATA } sim_waits;

typedef struct sim_card {
  /* What it is. */
  uint8_t* bytes; /* of its memory */
  uint32_t blocks;
  int is_high_capacity; /* addressed by blocks */
  int is_first_version; /* knows no CMD8 */
  int is_mmc;           /* knows no CMD55 */
  int is_absent;
  int other_voltage;
  int never_ready;
  /* What it does wrong, each time one less; negative: always. */
  int wrong_reads;        /* blocks that are sent with a wrong bit */
  int wrong_writes;       /* blocks that are received with a wrong bit */
  int refused_writes;     /* blocks that are answered with a write error */
  int refused_reads;      /* reads that are answered with an error token */
  int hidden_failures;    /* writes of which only the status tells that they failed */
  int spoilt_command;     /* the next one of this number arrives with a wrong bit; 0: none */
  long busy_bytes;        /* after each block written; negative: for ever */
  long bytes_until_off;   /* of traffic until the power fails; 0: never */
  long calls_until_fault; /* of the bus, until one fails; 0: never */
  /* How it is. */
  int is_selected, is_ready, is_idle, checks_crc, is_app, writes_several, reads_several;
  int clocks_unselected;
  int too_fast; /* it was talked to too fast while it began */
  int commands, data_blocks;
  uint32_t hz, reads_at, writes_at, last_status;
  int init_left;
  sim_waits waits;
  uint8_t frame[6];
  int frame_bytes;
  uint8_t block[514];
  int block_bytes;
  uint8_t out[1200]; /* what it still sends */
  int out_begin, out_end;
  long busy_left;
} sim_card;

static inline int sim_happens(int* left) {
  if (*left == 0) return 0;
  if (*left > 0) *left -= 1;
  return 1;
}

/* Bit by bit, as the shift registers of the specification's figures. */
static inline uint8_t sim_crc7(const uint8_t* bytes, int count) {
  unsigned crc = 0;
  for (int i = 0; i < 8 * count; ++i) {
    const unsigned bit = (bytes[i / 8] >> (7 - i % 8)) & 1u;
    const unsigned feedback = ((crc >> 6) & 1u) ^ bit;
    crc = (crc << 1) & 0x7Fu;
    if (feedback != 0u) crc ^= 0x09u;
  }
  return (uint8_t)crc;
}

static inline uint16_t sim_crc16(const uint8_t* bytes, int count) {
  unsigned crc = 0;
  for (int i = 0; i < 8 * count; ++i) {
    const unsigned bit = (bytes[i / 8] >> (7 - i % 8)) & 1u;
    const unsigned feedback = ((crc >> 15) & 1u) ^ bit;
    crc = (crc << 1) & 0xFFFFu;
    if (feedback != 0u) crc ^= 0x1021u;
  }
  return (uint16_t)crc;
}

static inline void sim_send(sim_card* card, uint8_t byte) {
  card->out[card->out_end++] = byte;
}

static inline void sim_clear(sim_card* card) {
  card->out_begin = card->out_end = 0;
}

static inline void sim_send_data(sim_card* card, const uint8_t* bytes, int count) {
  const uint16_t crc = sim_crc16(bytes, count);
  const int is_wrong = count == 512 && sim_happens(&card->wrong_reads);
  sim_send(card, 0xFF);
  sim_send(card, 0xFE);
  for (int i = 0; i < count; ++i) sim_send(card, (uint8_t)(bytes[i] ^ (is_wrong && i == 100)));
  sim_send(card, (uint8_t)(crc >> 8));
  sim_send(card, (uint8_t)crc);
}

/* The next block of a read. */
static inline void sim_send_block(sim_card* card) {
  if (card->reads_at >= card->blocks) {
    sim_send(card, 0x08); /* out of range */
    return;
  }
  if (sim_happens(&card->refused_reads)) {
    sim_send(card, 0xFF);
    sim_send(card, 0x04); /* an error correction that failed */
    card->reads_several = 0;
    return;
  }
  sim_send_data(card, card->bytes + (size_t)card->reads_at * 512u, 512);
  card->reads_at += 1u;
}

/* A field of a CSD. */
static inline void sim_put(uint8_t* csd, int high, int low, uint32_t value) {
  for (int bit = low; bit <= high; ++bit, value >>= 1)
    if ((value & 1u) != 0u) csd[15 - bit / 8] = (uint8_t)(csd[15 - bit / 8] | 1u << bit % 8);
}

static inline void sim_send_csd(sim_card* card) {
  uint8_t csd[16];
  memset(csd, 0, sizeof csd);
  if (card->is_high_capacity) {
    sim_put(csd, 127, 126, 1);
    sim_put(csd, 69, 48, card->blocks / 1024u - 1u);
  } else { /* blocks of 1024 bytes, in eights: as cards of 2 GB have it */
    sim_put(csd, 83, 80, 10);
    sim_put(csd, 73, 62, card->blocks / 16u - 1u);
    sim_put(csd, 49, 47, 1);
  }
  sim_put(csd, 0, 0, 1);
  sim_send_data(card, csd, 16);
}

/* Of a command's address; `blocks`: it is none. */
static inline uint32_t sim_block(const sim_card* card, uint32_t argument) {
  if (!card->is_high_capacity && argument % 512u != 0u) return card->blocks;
  return card->is_high_capacity ? argument : argument / 512u;
}

static inline void sim_transfer(sim_card* card, int index, uint32_t argument) {
  const uint32_t block = sim_block(card, argument);
  if (!card->is_ready || block >= card->blocks) {
    sim_send(card, 0x40);
    return;
  }
  sim_send(card, 0x00);
  if (index == 17 || index == 18) {
    card->reads_at = block;
    card->reads_several = index == 18;
    sim_send_block(card);
  } else {
    card->writes_at = block;
    card->writes_several = index == 25;
    card->waits = SIM_TOKEN;
  }
}

static inline void sim_initialise(sim_card* card, uint32_t argument) {
  const int asks_for_blocks = (argument >> 30 & 1u) != 0u;
  if (!card->is_ready && !card->never_ready && (asks_for_blocks || !card->is_high_capacity)) {
    if (card->init_left > 0) card->init_left -= 1;
    card->is_ready = card->init_left == 0;
  }
  card->is_idle = !card->is_ready;
  sim_send(card, (uint8_t)card->is_idle);
}

static inline void sim_reset(sim_card* card) {
  card->is_ready = card->checks_crc = card->writes_several = card->reads_several = 0;
  card->is_idle = 1;
  card->init_left = 3;
  card->last_status = 0;
  card->waits = SIM_COMMANDS;
  sim_send(card, 0x01);
}

static inline void sim_conditions(sim_card* card) {
  sim_send(card, (uint8_t)card->is_idle);
  sim_send(card, (uint8_t)(card->is_high_capacity && card->is_ready ? 0xC0 : 0x80));
  sim_send(card, 0xFF);
  sim_send(card, 0x80);
  sim_send(card, 0x00);
}

static inline void sim_echo(sim_card* card, uint32_t argument) {
  sim_send(card, 0x01);
  sim_send(card, 0x00);
  sim_send(card, 0x00);
  sim_send(card, card->other_voltage ? 0x00 : (uint8_t)(argument >> 8 & 0x0Fu));
  sim_send(card, (uint8_t)argument);
}

static inline void sim_answer(sim_card* card, int index, int is_app, uint32_t argument) {
  const uint8_t r1 = (uint8_t)card->is_idle;
  const int illegal = (index == 8 && card->is_first_version) || (index == 55 && card->is_mmc);
  if (index == 0) {
    sim_reset(card);
  } else if (illegal) {
    sim_send(card, (uint8_t)(r1 | 0x04u));
  } else if (index == 8) {
    sim_echo(card, argument);
  } else if (index == 55) {
    card->is_app = 1;
    sim_send(card, r1);
  } else if (index == 41 && is_app) {
    sim_initialise(card, argument);
  } else if (index == 58) {
    sim_conditions(card);
  } else if (index == 59) {
    card->checks_crc = (int)(argument & 1u);
    sim_send(card, r1);
  } else if (index == 16) {
    sim_send(card, argument == 512u ? r1 : 0x40);
  } else if (index == 9 && card->is_ready) {
    sim_send(card, 0x00);
    sim_send_csd(card);
  } else if (index == 13) {
    sim_send(card, r1);
    sim_send(card, (uint8_t)card->last_status);
    card->last_status = 0;
  } else if (index == 17 || index == 18 || index == 24 || index == 25) {
    sim_transfer(card, index, argument);
  } else {
    sim_send(card, (uint8_t)(r1 | 0x04u));
  }
}

static inline void sim_command(sim_card* card) {
  const int index = card->frame[0] & 0x3F;
  const int is_app = card->is_app;
  const uint32_t argument = (uint32_t)card->frame[1] << 24 | (uint32_t)card->frame[2] << 16 |
                            (uint32_t)card->frame[3] << 8 | card->frame[4];
  const int is_spoilt = index != 0 && index == card->spoilt_command;
  const int is_wrong = is_spoilt || card->frame[5] != (uint8_t)(sim_crc7(card->frame, 5) * 2 + 1);
  if (is_spoilt) card->spoilt_command = 0;
  card->commands += 1;
  card->is_app = 0;
  if (!card->is_ready && card->hz > 400000u) card->too_fast = 1;
  if (index == 0 && card->clocks_unselected < 74) return; /* it has not begun to listen */
  sim_clear(card);
  if (index == 12) { /* what comes first says nothing, and looks like an answer */
    card->reads_several = card->writes_several = 0;
    sim_send(card, 0x3F);
    sim_send(card, 0xFF);
    sim_send(card, 0x00);
    card->busy_left = 3;
    return;
  }
  sim_send(card, 0xFF);
  if (is_wrong && (card->checks_crc || index == 0 || index == 8)) {
    sim_send(card, (uint8_t)(card->is_idle | 0x08));
    return;
  }
  sim_answer(card, index, is_app, argument);
}

/* A block has arrived, with its checksum. */
static inline void sim_take_block(sim_card* card) {
  const uint16_t sent = (uint16_t)(card->block[512] << 8 | card->block[513]);
  card->waits = card->writes_several ? SIM_TOKEN : SIM_COMMANDS;
  card->data_blocks += 1;
  card->busy_left = card->busy_bytes;
  if (sim_happens(&card->wrong_writes)) card->block[7] ^= 0x10u;
  if (card->checks_crc && sim_crc16(card->block, 512) != sent) {
    sim_send(card, 0xEB); /* a checksum that is wrong */
    card->waits = SIM_COMMANDS;
    return;
  }
  if (card->writes_at >= card->blocks || sim_happens(&card->refused_writes)) {
    sim_send(card, 0xED); /* a write error */
    card->waits = SIM_COMMANDS;
    return;
  }
  sim_send(card, 0xE5);
  if (sim_happens(&card->hidden_failures))
    card->last_status = 0x04; /* the card's controller */
  else
    memcpy(card->bytes + (size_t)card->writes_at * 512u, card->block, 512);
  card->writes_at += 1u;
}

/* The power fails: of a block that was on its way, the first half is written. */
static inline void sim_off(sim_card* card) {
  if (card->waits == SIM_DATA && card->writes_at < card->blocks)
    memcpy(card->bytes + (size_t)card->writes_at * 512u, card->block,
           card->block_bytes < 256 ? (size_t)card->block_bytes : 256u);
  card->is_absent = 1;
}

static inline void sim_hear(sim_card* card, uint8_t byte) {
  if (card->waits == SIM_DATA) {
    card->block[card->block_bytes++] = byte;
    if (card->block_bytes == 514) sim_take_block(card);
  } else if (card->waits == SIM_TOKEN && card->frame_bytes == 0 &&
             byte == (card->writes_several ? 0xFC : 0xFE)) {
    card->waits = SIM_DATA;
    card->block_bytes = 0;
  } else if (card->waits == SIM_TOKEN && card->frame_bytes == 0 && byte == 0xFD) {
    card->waits = SIM_COMMANDS;
    card->writes_several = 0;
    card->busy_left = card->busy_bytes;
    sim_send(card, 0xFF);
  } else if (card->frame_bytes > 0 || (byte & 0xC0u) == 0x40u) {
    card->frame[card->frame_bytes++] = byte;
    if (card->frame_bytes < 6) return;
    card->frame_bytes = 0;
    if (card->waits == SIM_TOKEN) card->waits = SIM_COMMANDS;
    sim_command(card);
  }
}

/* One byte each way. */
static inline uint8_t sim_byte(sim_card* card, uint8_t byte) {
  uint8_t answer = 0xFF;
  if (card->bytes_until_off > 0 && --card->bytes_until_off == 0) sim_off(card);
  if (card->is_absent) return 0xFF;
  if (!card->is_selected) {
    card->clocks_unselected += 8;
    return 0xFF;
  }
  if (card->out_begin < card->out_end) {
    answer = card->out[card->out_begin++];
  } else if (card->busy_left != 0) {
    if (card->busy_left > 0) card->busy_left -= 1;
    return 0x00;
  } else if (card->reads_several) {
    sim_clear(card);
    sim_send_block(card);
  } else {
    sim_clear(card);
  }
  sim_hear(card, byte);
  return answer;
}

/* --- The bus that a driver is given. */

static inline void sim_select(void* user, int32_t is_selected) {
  sim_card* const card = (sim_card*)user;
  if (!is_selected) card->frame_bytes = 0;
  card->is_selected = is_selected;
}

static inline uint32_t sim_speed(void* user, uint32_t hz) {
  ((sim_card*)user)->hz = hz;
  return hz;
}

static inline int32_t sim_exchange(void* user, const uint8_t* out, uint8_t* in, uint32_t bytes) {
  sim_card* const card = (sim_card*)user;
  if (card->calls_until_fault > 0 && --card->calls_until_fault == 0) return -1;
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint8_t answer = sim_byte(card, out == NULL ? 0xFF : out[i]);
    if (in != NULL) in[i] = answer;
  }
  return 0;
}
