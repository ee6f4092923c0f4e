#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "poet/base/result.h"
#include "poet/disk/page_store.h"
#include "poet/train/held_values.h"
#include "poet/train/rank_conference.h"
#include "poet/train/rank_sums.h"
#include "poet/train/ready_form.h"
#include "poet/train/trainer.h"

namespace poet {

// The micro-batches of a step that one rank takes: [begin, end).
struct MicroBatchRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t count() const { return end - begin; }
  bool operator==(const MicroBatchRange&) const = default;
};

// Takes the steps of a training together with other ranks, to the bits of one process:
//
//   each rank     its micro-batches, one after the other, each from empty accumulators;
//                 of all but the last the gradients are put aside
//   all           the gradients of all micro-batches are added in their order (add_up()), and each
//                 sum goes to the rank that updates by it
//   each rank     updates its part of the parameters, by the form of updates
//   all           new parameters go to all
//   all           confer: what was lost in each micro-batch, and whether anything went wrong
class RankedTrainer {
 public:
  // What one rank updates.
  struct Part {
    std::vector<HeldValue> gradients = {};   // accumulators
    std::vector<HeldValue> parameters = {};  // in the same order
  };

  struct Parts {
    Trainer micro_batches;  // of the whole step; in each place a form that fills accumulators
    ReadyForm update = {};
    std::vector<HeldValue> gradients = {};  // accumulators()
    std::vector<Part> updates = {};         // by rank; empty: every rank updates everything
    MicroBatchRange own = {};
    RankConference* conference = nullptr;
    std::unique_ptr<PageStore> aside = {};  // of aside_bytes(); null where that is 0
    std::int64_t piece_bytes = 0;           // of a message
    std::function<double()> clock_s = {};   // of TrainedStep::exchange_s
  };
  explicit RankedTrainer(Parts parts);

  // As Trainer::run(). Its loss is that of the whole step, what it moved is of this rank. An error
  // is everyone's.
  Result<TrainedStep> run(std::int64_t step);

  std::int64_t examples_per_step() const { return parts_.micro_batches.examples_per_step(); }

  // What a rank of so many micro-batches puts aside.
  static std::int64_t aside_bytes(const std::vector<HeldValue>& gradients, std::int64_t count);
  // In how many pieces of Parts::piece_bytes.
  static std::int64_t aside_pieces(const std::vector<HeldValue>& gradients, std::int64_t count,
                                   std::int64_t piece_bytes);

 private:
  // What each of its micro-batches adds to the loss.
  Failure run_micro_batches(std::int64_t step, TrainedStep& moved, std::vector<float>& losses);
  Failure put_aside(std::int64_t place);
  Failure add_all();
  Failure share_sums();
  Failure share_parameters();
  Failure update(std::int64_t step, TrainedStep& moved);
  Result<float> loss_of_all(const Failure& failure, const std::vector<float>& losses);
  std::int64_t aside_at(std::int64_t place, std::size_t value) const;

  Parts parts_;
  std::vector<std::int64_t> begins_ = {};  // of each gradient among those of a micro-batch
  RankBuffers buffers_;
};

}  // namespace poet
