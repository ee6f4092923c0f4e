/* Values that are kept in pieces: boxes of a tensor, each with its numbers row by row. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- One piece of a whole */

enum { POET_PIECE_MOST_AXES = 16 };

/* Where the numbers of a piece lie in the whole: runs of bytes, in the order of the piece. The runs
 * are those of loops in each other, the last one innermost. */
typedef struct poet_piece {
  uint32_t first;     /* byte of the whole */
  uint32_t run_bytes; /* that follow each other in both */
  uint32_t runs;
  uint32_t axes;
  uint32_t counts[POET_PIECE_MOST_AXES]; /* of each loop */
  uint32_t steps[POET_PIECE_MOST_AXES];  /* in bytes of the whole */
} poet_piece;

/* The byte of the whole where a run begins. */
uint32_t poet_piece_offset(const poet_piece* piece, uint32_t run);

/* --- All pieces of a whole */

/* A whole as numbers (poet/runtime/step_table.h): axes; bytes of a value; the whole's extent along
 * each axis; how many pieces; and of each piece, where its box begins and how far it goes along
 * each axis, and its home: 4 * place + space. Pieces stand in the order of their first values.
 * Together they hold every value, and some perhaps more than once. */
typedef enum poet_home_space {
  POET_HOME_STORAGE, /* places are blocks */
  POET_HOME_ARENA,   /* places are of 8 bytes */
  POET_HOME_CONSTANT /* places count constants */
} poet_home_space;

/* Walks a whole in its own order. */
typedef struct poet_whole_walk {
  uint32_t axes;
  uint32_t value_bytes;
  uint32_t extents[POET_PIECE_MOST_AXES];
  uint32_t at[POET_PIECE_MOST_AXES]; /* of the next value */
  const unsigned char* pieces;
  const unsigned char* end;   /* behind the last piece */
  const unsigned char* next;  /* most likely has the next value */
  const unsigned char* again; /* where the row before this began: the next most likely */
  int ended;
} poet_whole_walk;

/* Bytes that follow each other in the whole and in a piece. */
typedef struct poet_whole_run {
  uint32_t home;  /* 4 * place + space */
  uint32_t first; /* byte of the piece */
  uint32_t bytes;
} poet_whole_run;

void poet_whole_begin(poet_whole_walk* walk, const unsigned char* codes);

/* The next run, until there are none: 0. Then walk->end is where the next whole begins. */
int poet_whole_next(poet_whole_walk* walk, poet_whole_run* run);

#ifdef __cplusplus
}
#endif
