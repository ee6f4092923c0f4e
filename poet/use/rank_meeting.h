#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/train/checkpoint.h"
#include "poet/train/held_values.h"
#include "poet/train/rank_conference.h"
#include "poet/train/ranked_trainer.h"

namespace poet {

// What a rank's plan says, each in its own budget, which may be a part of its own peak.
struct RankFigures {
  double micro_batch_s = 0;  // as the plan predicts it
  std::int64_t ram_budget_bytes = 0;
  std::int64_t plain_peak_bytes = 0;

  bool operator==(const RankFigures&) const = default;
};

// What a rank brings to the meeting of all before their first step.
struct RankWord {
  std::string no = {};                           // why it has no plan
  std::vector<CheckpointSetting> settings = {};  // training_settings()
  RankFigures figures = {};
};

// What comes of it.
struct RankAgreement {
  std::string no = {};                       // of the first rank that has no plan, which it names
  std::vector<MicroBatchRange> ranges = {};  // by rank: one after the other, all micro-batches
  std::vector<RankFigures> figures = {};     // by rank
};

// All ranks meet, each with its word or what is wrong with it, and divide the micro-batches of a
// step among them by their speed. Refuses trainings that are not the same.
Result<RankAgreement> meet(RankConference& conference, const Result<RankWord>& word,
                           std::int64_t micro_batches);

// As many micro-batches in a row for each rank, one at least, as end the step soonest; of what is
// the same, earlier ranks get more. There are as many as ranks, at least.
std::vector<MicroBatchRange> divided(std::int64_t micro_batches,
                                     const std::vector<double>& micro_batch_s);

// Which rank updates what.
struct DividedUpdates {
  // By rank the names of parameters; empty where every rank updates all of them.
  std::vector<std::vector<std::string>> parameters = {};
  // Of rank 0: the optimiser states that others keep.
  std::vector<HeldValue> states_of_others = {};
};

// Every rank says what it updates, and the states that it keeps for it; while they wait for rank 0,
// the others reply for these.
Result<DividedUpdates> meet_over_updates(RankConference& conference,
                                         const std::vector<std::string>& own,
                                         const std::vector<HeldValue>& states);

}  // namespace poet
