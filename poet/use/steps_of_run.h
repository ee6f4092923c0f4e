#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/train/checkpoint.h"
#include "poet/train/trainer.h"
#include "poet/use/prepared_run.h"
#include "poet/use/running_forms.h"
#include "poet/use/train_network.h"

namespace poet {

// Takes the steps of a training with the forms that run, in the order of micro-batches: of several
// ranks each as the first. Calls `ran` after each run of a form.
Trainer trainer_of_run(const TrainRequest& request, const PreparedRun& made,
                       const RunningForms& running, std::function<void(const ReadyForm&)> ran);

// How well the network does on the test data between steps, and which step did best.
class EvaluationsOfRun {
 public:
  EvaluationsOfRun(const TrainRequest& request, const PreparedRun& made, const Stop& stop,
                   const TrainEvents& events, TrainReport& report)
      : request_(request), made_(made), stop_(stop), events_(events), report_(report) {}

  bool is_time(std::int64_t done) const {
    return request_.evaluate_every > 0 && done % request_.evaluate_every == 0;
  }
  // Whether evaluations have not been better for as long as the request has patience.
  bool is_enough() const {
    return best_ && request_.most_no_better > 0 && best_->since >= request_.most_no_better;
  }

  // Tries the network after so many steps, where there is something to try it on. A step that is
  // the best so far is saved, if the request looks for it.
  Failure evaluate(const RunningForms& running, std::int64_t done,
                   const std::function<Failure()>& save_best);

  // As checkpoints have it; nothing where it is not looked for.
  const std::optional<BestEvaluation>& best() const { return best_; }
  void go_on_from(const std::optional<BestEvaluation>& best) {
    if (looks_for_best(request_)) best_ = best;
  }

 private:
  Failure compare_with_best(const Score& score, std::int64_t done,
                            const std::function<Failure()>& save_best);

  const TrainRequest& request_;
  const PreparedRun& made_;
  const Stop& stop_;
  const TrainEvents& events_;
  TrainReport& report_;
  std::optional<BestEvaluation> best_ = {};
};

}  // namespace poet
