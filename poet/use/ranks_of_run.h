#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/train/ranked_trainer.h"
#include "poet/use/rank_meeting.h"
#include "poet/use/running_forms.h"
#include "poet/use/train_network.h"

namespace poet {

// What a training does together with other ranks (docs/decisions/0059-ranks.md). In this order:
//
//   meet()             all have plans, and train the same: who takes which micro-batches
//   divide_updates()   who updates what
//   begin()            all have the values of rank 0
//   trainer()          takes the steps
//   confer_on_next()   before each of them
//   end()
//
// Of a process that trains alone, only who it is.
class RanksOfRun {
 public:
  explicit RanksOfRun(const TrainRequest& request)
      : conference_(request.conference), place_(request.rank), storage_(request.storage) {}

  bool are_there() const { return conference_ != nullptr; }
  // Rank 0 of several, or the process that trains alone.
  bool is_first() const { return !place_ || place_->own == 0; }
  // That this rank takes of each step.
  std::int64_t own_micro_batches() const { return own_.count(); }

  // Says what came of preparing; all ranks begin, or none does. Where one has no plan, the report
  // says so, and all is over.
  Failure meet(const Result<RankWord>& word, const StepForms& forms, std::int64_t micro_batches,
               TrainReport& report);

  // Of what all hold: rank 0 then holds the optimiser states of all, those of others by asking.
  Failure divide_updates(const RunningForms& running, std::vector<HeldValue>& held);

  // All go on from what rank 0 has: its values, and how many steps are done, which is returned.
  Result<std::int64_t> begin(std::int64_t done);

  // Of a trainer that takes the micro-batches of the whole step.
  Result<RankedTrainer> trainer(Trainer micro_batches, const RunningForms& running,
                                const std::function<double()>& clock_s);

  // Rank 0 decides, whose training may be at its end; whoever is asked to stop says so.
  enum class Next { Step, Stop, End };
  Result<Next> confer_on_next(bool is_asked_to_stop, const std::function<bool()>& is_at_end);

  // Others wait while rank 0 evaluates and saves.
  Failure end();

 private:
  bool is_state_of_one(const HeldValue& value) const;
  std::vector<RankedTrainer::Part> parts_of_updates() const;
  Result<std::unique_ptr<PageStore>> make_aside() const;

  RankConference* conference_;
  std::optional<RankPlace> place_;
  const StorageOptions& storage_;
  MicroBatchRange own_ = {};
  std::map<std::string, std::string> accumulators_ = {};  // their names, and of what
  std::vector<std::string> updated_ = {};                 // by this rank
  DividedUpdates updates_ = {};
  std::vector<HeldValue> gradients_ = {};
  std::vector<HeldValue> common_ = {};  // that all ranks have
};

}  // namespace poet
