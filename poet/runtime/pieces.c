#include "poet/runtime/pieces.h"

#include "poet/runtime/step_table.h"

uint32_t poet_piece_offset(const poet_piece* piece, uint32_t run) {
  uint32_t offset = piece->first;
  for (uint32_t axis = piece->axes; axis > 0u; --axis) {
    offset += run % piece->counts[axis - 1u] * piece->steps[axis - 1u];
    run /= piece->counts[axis - 1u];
  }
  return offset;
}

typedef struct box {
  uint32_t begins[POET_PIECE_MOST_AXES];
  uint32_t extents[POET_PIECE_MOST_AXES];
  uint32_t home;
} box;

/* Returns where the next piece stands. */
static const unsigned char* read_box(const unsigned char* codes, uint32_t axes, box* piece) {
  for (uint32_t axis = 0; axis < axes; ++axis) piece->begins[axis] = poet_code_number(&codes);
  for (uint32_t axis = 0; axis < axes; ++axis) piece->extents[axis] = poet_code_number(&codes);
  piece->home = poet_code_number(&codes);
  return codes;
}

static int has_next(const poet_whole_walk* walk, const box* piece) {
  for (uint32_t axis = 0; axis < walk->axes; ++axis)
    if (walk->at[axis] - piece->begins[axis] >= piece->extents[axis]) return 0;
  return 1;
}

void poet_whole_begin(poet_whole_walk* walk, const unsigned char* codes) {
  box piece;
  walk->axes = poet_code_number(&codes);
  walk->value_bytes = poet_code_number(&codes);
  for (uint32_t axis = 0; axis < walk->axes; ++axis) {
    walk->extents[axis] = poet_code_number(&codes);
    walk->at[axis] = 0;
  }
  uint32_t count = poet_code_number(&codes);
  walk->pieces = codes;
  walk->next = codes;
  walk->again = codes;
  for (; count > 0u; --count) codes = read_box(codes, walk->axes, &piece);
  walk->end = codes;
  walk->ended = 0;
}

/* Most often it is the piece behind the last, or that where the last row began. */
static const unsigned char* find_piece(const poet_whole_walk* walk, box* piece) {
  if (walk->next != walk->end) {
    read_box(walk->next, walk->axes, piece);
    if (has_next(walk, piece)) return walk->next;
  }
  read_box(walk->again, walk->axes, piece);
  if (has_next(walk, piece)) return walk->again;
  for (const unsigned char* codes = walk->pieces; codes != walk->end;) {
    const unsigned char* const behind = read_box(codes, walk->axes, piece);
    if (has_next(walk, piece)) return codes;
    codes = behind;
  }
  return walk->end;
}

static void move_on(poet_whole_walk* walk, uint32_t values) {
  if (walk->axes == 0u) {
    walk->ended = 1;
    return;
  }
  uint32_t axis = walk->axes - 1u;
  walk->at[axis] += values;
  while (walk->at[axis] == walk->extents[axis]) {
    if (axis == 0u) {
      walk->ended = 1;
      return;
    }
    walk->at[axis] = 0;
    ++walk->at[--axis];
  }
}

int poet_whole_next(poet_whole_walk* walk, poet_whole_run* run) {
  box piece;
  if (walk->ended) return 0;
  const unsigned char* const found = find_piece(walk, &piece);
  if (found == walk->end) return 0;
  uint32_t value = 0; /* of the piece */
  for (uint32_t axis = 0; axis < walk->axes; ++axis)
    value = value * piece.extents[axis] + walk->at[axis] - piece.begins[axis];
  const uint32_t last = walk->axes - 1u; /* where there is one */
  const uint32_t values =
      walk->axes == 0u ? 1u : piece.begins[last] + piece.extents[last] - walk->at[last];
  run->home = piece.home;
  run->first = value * walk->value_bytes;
  run->bytes = values * walk->value_bytes;
  if (walk->axes == 0u || walk->at[last] == 0u) walk->again = found;
  walk->next = read_box(found, walk->axes, &piece);
  move_on(walk, values);
  return 1;
}
