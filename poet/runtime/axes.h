/* Nests of loops over strided operands, for the sources of this room. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { POET_MAX_AXES = 16, POET_MAX_INPUTS = 3 };

/* A nest of loops, outermost first, and how far each loop moves each input, in elements. */
typedef struct poet_axes {
  int32_t rank;
  int32_t extents[POET_MAX_AXES];
  ptrdiff_t steps[POET_MAX_INPUTS][POET_MAX_AXES];
} poet_axes;

/* Adds the loops of a shape below those that are there; a NULL input does not move. */
void poet_axes_append(poet_axes* axes, int32_t rank, const int32_t* extents, const int32_t* first,
                      const int32_t* second, const int32_t* third);

/* Leaves out loops of one turn, and makes one loop of two that are one for every input. Afterwards
 * there is at least one. The order of the elements stays. */
void poet_axes_merge(poet_axes* axes);

/* The product of the extents. */
ptrdiff_t poet_axes_count(const poet_axes* axes);

/* Where a nest of loops is: begin with zeros. */
typedef struct poet_place {
  int32_t index[POET_MAX_AXES];
  ptrdiff_t offsets[POET_MAX_INPUTS];
} poet_place;

/* Moves to the next turn of the outermost `loops` loops; 0, and back at the begin, after the last.
 */
int poet_next_place(const poet_axes* axes, int32_t loops, poet_place* place);

/* One innermost loop: `count` turns from the pointers, which move by `steps`, in elements. `out`
 * moves by 1, but for a fold, which makes one number. */
typedef struct poet_row {
  int32_t count;
  const void* inputs[POET_MAX_INPUTS];
  ptrdiff_t steps[POET_MAX_INPUTS];
  void* out;
} poet_row;

typedef void poet_row_function(const poet_row* row);

/* The inputs of a nest: pointers and bytes of an element; NULL for those that are not there. */
typedef struct poet_inputs {
  const void* pointers[POET_MAX_INPUTS];
  int32_t element_bytes[POET_MAX_INPUTS];
} poet_inputs;

/* Fills `out`, dense in the order of the axes, row by row. */
void poet_fill_rows(poet_axes axes, const poet_inputs* inputs, void* out, int32_t out_bytes,
                    poet_row_function* fill);

/* How to make one number of many, in their order: a whole row of outputs from the first of each,
 * the next of each added to a row of outputs, and a row added to one output. */
typedef struct poet_fold {
  poet_row_function* first;
  poet_row_function* next;
  poet_row_function* along;
} poet_fold;

/* Fills `out`, dense in the order of the kept axes, with the fold over the folded axes, in their
 * order. The result does not depend on which loop is made the inner one. */
void poet_fold_rows(poet_axes kept, poet_axes folded, const poet_inputs* inputs, float* out,
                    const poet_fold* fold);
