#pragma once

#include <cstdint>
#include <vector>

#include "poet/autodiff/training_graph.h"
#include "poet/base/stop.h"
#include "poet/parts/grids.h"
#include "poet/parts/loops.h"

namespace poet {

// An order of the operations of a whole step in which a weight is updated as soon as nothing reads
// it any more: next to the gradient that read it last, so that its pieces are there once for both.
// Everything else keeps its order.
std::vector<std::size_t> order_with_early_updates(const TrainingGraph& whole);

struct PartOrder {
  std::vector<std::int32_t> parts = {};  // by their places in the step's graph
  double moved_bytes = 0;                // an estimate: poet/parts/moved_bytes.h
};

// An order of the parts of a step (made of `whole` with its operations in `whole_order`), in which
// what is made in blocks is used in blocks: operations that follow each other and walk along the
// same dimensions do so together, block by block, so that little has to be kept of what they hand
// on, and a piece of a weight is there once for all that reads or updates it. Which loops do so,
// and in which order, is decided by what moves in a RAM of `room_bytes`. Once `stop` ends it from
// outside, by nothing: an order that is right, and no good one.
PartOrder part_order(const TrainingGraph& whole, const Grids& grids,
                     const std::vector<std::size_t>& whole_order, const TrainingGraph& step,
                     const std::vector<PlacedPart>& places, std::int64_t room_bytes,
                     const Stop& stop = {});

}  // namespace poet
