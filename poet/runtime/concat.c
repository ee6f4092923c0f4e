#include "poet/runtime/concat.h"

#include <stddef.h>
#include <string.h>

static void concat(const poet_concat_shape* shape, int32_t count, const void* const* inputs,
                   void* y) {
  const size_t slice_bytes = (size_t)shape->inner * (size_t)shape->element_bytes;
  char* to = y;
  for (int32_t outer = 0; outer < shape->outer; ++outer) {
    for (int32_t i = 0; i < count; ++i) {
      const size_t piece_bytes = (size_t)shape->extents[i] * slice_bytes;
      if (piece_bytes == 0) continue;
      memcpy(to, (const char*)inputs[i] + (size_t)outer * piece_bytes, piece_bytes);
      to += piece_bytes;
    }
  }
}

void poet_concat2_forward(const poet_concat_shape* shape, const void* x0, const void* x1, void* y) {
  const void* const inputs[2] = {x0, x1};
  concat(shape, 2, inputs, y);
}

void poet_concat8_forward(const poet_concat_shape* shape, const void* x0, const void* x1,
                          const void* x2, const void* x3, const void* x4, const void* x5,
                          const void* x6, const void* x7, void* y) {
  const void* const inputs[8] = {x0, x1, x2, x3, x4, x5, x6, x7};
  concat(shape, 8, inputs, y);
}
