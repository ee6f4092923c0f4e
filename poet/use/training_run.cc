#include "poet/use/training_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/train/checkpoint.h"
#include "poet/train/process_memory.h"
#include "poet/train/ranked_trainer.h"
#include "poet/train/trainer.h"
#include "poet/use/checkpoint_base.h"
#include "poet/use/checkpoints_of_run.h"
#include "poet/use/measures_of_run.h"
#include "poet/use/prepared_run.h"
#include "poet/use/ranks_of_run.h"
#include "poet/use/steps_of_run.h"

namespace poet {
namespace {

// One run in one budget: a training from its first step to its end, or to where it moves on. What
// it keeps in files, what is measured of it, and what other ranks have to do with it is told
// beside.
class Run {
 public:
  Run(const TrainRequest& request, const RunPart& part, const Stop& stop, const TrainEvents& events)
      : request_(request), part_(part), stop_(stop), events_(events) {}

  Result<RunPartReport> run() {
    Failure prepared = part_.state ? std::nullopt : checkpoints_.take_places();
    if (!prepared) prepared = prepare_run(request_, checkpoints_, stop_, events_, made_, report_);
    if (ranks_.are_there()) prepared = meet_others(prepared);
    if (prepared) return *prepared;
    if (!report_.no.empty() || report_.plans_are_missing) return ended();
    expect();
    if (Failure failure = begin()) return *failure;
    if (Failure failure = take_steps()) return *failure;
    measures_.take_trace();
    report_.steps = static_cast<std::int64_t>(report_.losses.size());
    if (leaves_) {
      leave();
    } else if (report_.no.empty()) {
      if (Failure failure = finish()) return *failure;
    }
    if (ranks_.are_there())
      if (Failure failure = ranks_.end()) return *failure;
    return ended();
  }

 private:
  RunPartReport ended() {
    RunPartReport part{.leaves = leaves_, .state = checkpoints_.take_state()};
    measures_.take_times(part);
    part.report = std::move(report_);
    return part;
  }

  // What the plans say of the micro-batches that this process takes.
  void expect() {
    const std::int64_t micro_batches =
        ranks_.are_there() ? ranks_.own_micro_batches() : made_.asked.micro_batches;
    measures_.expect(made_.forms, made_.planned, made_.asked.question, micro_batches, made_.steps);
  }

  // Says what came of preparing; all ranks begin, or none does.
  Failure meet_others(const Failure& prepared) {
    return ranks_.meet(word_for_others(prepared), made_.forms, made_.asked.micro_batches, report_);
  }

  Result<RankWord> word_for_others(const Failure& prepared) const {
    if (prepared) return *prepared;
    if (report_.plans_are_missing)
      return Error{ErrorCode::Io,
                   fmt::format("the plans are not in {}, where they were just written",
                               request_.cache.folder.value_or("")),
                   {}};
    RankWord word{.no = report_.no, .settings = checkpoints_.settings()};
    if (report_.no.empty())
      word.figures = {.micro_batch_s = made_.planned.replays.front().time_s,
                      .ram_budget_bytes = made_.forms.ram_budget_bytes,
                      .plain_peak_bytes = made_.forms.plain.peak_bytes};
    return word;
  }

  // Memory, and the values to begin with.
  Failure begin() {
    measures_.begin_memory();
    const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(made_.asked.question.kernels);
    if (!kernels.ok()) return kernels.error();
    Result<std::unique_ptr<RunningForms>> running = start_forms(
        made_.forms, made_.planned, request_.storage, measures_.executor_options(**kernels));
    if (!running.ok()) return running.error();
    running_ = *std::move(running);
    forget_what_was_planned();
    std::vector<const std::map<TensorId, Initial>*> initial;
    for (const auto& values : running_->initial) initial.push_back(&values);
    if (Failure failure = set_initial(running_->ready, initial)) return failure;
    held_ = held_values(running_->ready, &running_->rom);
    leave_out(made_.base, held_);
    if (ranks_.are_there())
      if (Failure failure = ranks_.divide_updates(*running_, held_)) return failure;
    if (Failure failure = resume()) return failure;
    running_->forget_beginning();
    if (ranks_.are_there())
      if (Failure failure = begin_together()) return failure;
    if (Failure failure = make_trainer()) return failure;
    forget_peak_memory();
    measures_.state_overhead(*running_);
    tell_of_plan();
    return std::nullopt;
  }

  void tell_of_plan() const {
    if (!events_.planned) return;
    events_.planned({.first_step = done_ + 1,
                     .steps = made_.steps,
                     .micro_batches = report_.micro_batches,
                     .predicted_step_s = report_.predicted_step_s,
                     .predicted_step_j = measures_.predicted_step_j(),
                     .ram_budget_bytes = report_.ram_budget_bytes,
                     .arena_bytes = report_.arena_bytes,
                     .fixed_overhead_bytes = report_.fixed_overhead_bytes,
                     .plain_peak_bytes = report_.plain_peak_bytes,
                     .storage_bytes = report_.storage_bytes,
                     .predicted_in_bytes = report_.predicted_in_bytes,
                     .predicted_out_bytes = report_.predicted_out_bytes,
                     .recomputed_operations = measures_.predicted_recomputations(),
                     .planned_with = report_.planned_with});
  }

  void forget_what_was_planned() {
    made_.forms.forms.clear();
    made_.forms.model.reset();
    made_.maker = {};
    made_.asked.question.graph = {};
    made_.planned = {};
    forget_peak_memory();
  }

  Failure resume() {
    const Result<std::optional<CheckpointState>> state =
        checkpoints_.resume(held_, running_->buffer);
    if (!state.ok()) return state.error();
    if (!*state) return std::nullopt;
    done_ = (*state)->step;
    evaluations_.go_on_from((*state)->best);
    report_.first_step = done_ + 1;
    if (done_ >= made_.steps)
      report_.notes.push_back(
          fmt::format("the checkpoint is of step {} already, so nothing was left to train; more "
                      "--steps or --epochs go on",
                      done_));
    return std::nullopt;
  }

  Failure begin_together() {
    const Result<std::int64_t> done = ranks_.begin(done_);
    if (!done.ok()) return done.error();
    done_ = *done;
    report_.first_step = done_ + 1;
    return std::nullopt;
  }

  Failure make_trainer() {
    Trainer trainer = trainer_of_run(request_, made_, *running_, [this](const ReadyForm& form) {
      measures_.add_run(*running_, form);
    });
    if (!ranks_.are_there()) {
      trainer_.emplace(std::move(trainer));
      return std::nullopt;
    }
    Result<RankedTrainer> ranked = ranks_.trainer(std::move(trainer), *running_, stop_.elapsed_s);
    if (!ranked.ok()) return ranked.error();
    ranked_.emplace(*std::move(ranked));
    return std::nullopt;
  }

  Result<TrainedStep> take_step(std::int64_t step) {
    return ranked_ ? ranked_->run(step) : trainer_->run(step);
  }

  std::int64_t examples_per_step() const {
    return made_.asked.micro_batches * made_.forms.micro_batch_size;
  }

  bool is_at_end() const {
    return !report_.no.empty() || done_ >= made_.steps || evaluations_.is_enough();
  }

  Result<bool> goes_on() {
    if (!ranks_.are_there())
      return !is_at_end() && !(report_.stopped = stop_.token.stop_requested()) &&
             !(leaves_ = has_left());
    const Result<RanksOfRun::Next> next =
        ranks_.confer_on_next(stop_.token.stop_requested(), [this] { return is_at_end(); });
    if (!next.ok()) return next.error();
    report_.stopped = *next == RanksOfRun::Next::Stop;
    return *next == RanksOfRun::Next::Step;
  }

  Failure take_steps() {
    measures_.begin_steps();
    for (;;) {
      const Result<bool> another = goes_on();
      if (!another.ok()) return another.error();
      if (!*another) return std::nullopt;
      const double begin_s = stop_.now_s();
      const double begin_work_s = request_.work_s ? request_.work_s() : 0;
      const Result<TrainedStep> step = take_step(done_ + 1);
      if (!step.ok()) return step.error();
      ++done_;
      measures_.end_step(*step, done_, begin_s, begin_work_s);
      if (done_ == report_.first_step) {
        measures_.watch_memory();
        measures_.state_overhead(*running_);
      }
      tell_of(*step);
      measures_.hand_on_metered(done_, made_.steps);
      if (ranks_.is_first() && !std::isfinite(step->loss) && !request_.allows_non_finite) {
        // The sign of what is no number says nothing.
        const double loss = std::isnan(step->loss) ? std::fabs(step->loss) : step->loss;
        break_off(fmt::format("the loss of step {} is not finite ({})", done_, loss));
        continue;  // to the end
      }
      if (evaluations_.is_time(done_) && done_ < made_.steps)
        if (Failure failure = evaluate()) return failure;
      if (request_.checkpoint_every > 0 && done_ % request_.checkpoint_every == 0 &&
          done_ < made_.steps)
        if (Failure failure = save()) return failure;
    }
  }

  // Whether the values lie where the part that goes on in another budget finds them. Each part
  // takes a step at least, so that no storm of wishes holds the training up; without room for the
  // values it goes on as it is.
  bool has_left() {
    if (stays_ || !part_.is_to_leave || done_ < report_.first_step ||
        !part_.is_to_leave({.overhead_bytes = report_.fixed_overhead_bytes,
                            .done = done_,
                            .left = made_.steps - done_,
                            .step_times_s = measures_.step_times_s()}))
      return false;
    const Failure failure = save_to(part_.state_path);
    if (!failure) return true;
    report_.notes.push_back(
        "the training goes on as it is, as a move to another budget or plan needs room for all "
        "values: " +
        failure->message);
    stays_ = true;
    return false;
  }

  void break_off(const std::string& what) {
    report_.no = fmt::format(
        "{}: training ended there, and {}; try a lower --learning-rate or a "
        "--largest-gradient-norm, look for numbers in the data that are not finite, or go on "
        "whatever comes with --allow-non-finite",
        what, checkpoints_.what_is_kept());
  }

  // A finite loss may be the last before its update made the values infinite: they are looked at
  // before they take the place of good ones.
  Failure check_values() {
    if (request_.allows_non_finite) return std::nullopt;
    std::vector<HeldValue> changing;
    for (const HeldValue& value : held_)
      if (value.write &&
          (value.role != TensorRole::Parameter || made_.trained.count(value.name) > 0))
        changing.push_back(value);
    const Result<std::optional<std::string>> found = first_not_finite(changing, running_->buffer);
    if (!found.ok()) return found.error();
    if (*found) break_off(fmt::format("after step {}, {} is not finite", done_, **found));
    return std::nullopt;
  }

  void tell_of(const TrainedStep& step) const {
    if (!events_.step) return;
    const double seen = static_cast<double>(done_ * examples_per_step());
    events_.step({.step = done_,
                  .steps = made_.steps,
                  .epoch = seen / static_cast<double>(made_.data.training->size()),
                  .loss = step.loss,
                  .learning_rate = step.learning_rate,
                  .step_s = measures_.last_step_s(),
                  .energy_j = report_.energy_j,
                  .peak_bytes = report_.peak_rss_bytes,
                  .remaining_s = measures_.remaining_s(made_.steps - done_),
                  .ram_budget_bytes = report_.ram_budget_bytes,
                  .paged_in_bytes = report_.paged_in_bytes,
                  .paged_out_bytes = report_.paged_out_bytes});
  }

  Failure evaluate() {
    return evaluations_.evaluate(*running_, done_, [this] { return save_best(); });
  }

  Failure save_best() {
    if (!request_.best_checkpoint_path) return std::nullopt;
    if (Failure failure = check_values()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (Failure failure = save_to(*request_.best_checkpoint_path)) return failure;
    if (events_.saved) events_.saved({.step = done_, .is_best = true});
    return std::nullopt;
  }

  Failure save_to(const std::string& path) {
    const Result<std::string> note = checkpoints_.save(path,
                                                       {.model = made_.asked.question.origin.model,
                                                        .step = done_,
                                                        .examples = done_ * examples_per_step(),
                                                        .best = evaluations_.best()},
                                                       held_, running_->buffer);
    if (!note.ok()) return note.error();
    if (!note->empty()) report_.notes.push_back(*note);
    return std::nullopt;
  }

  // Values that are not finite go along: the next part looks at them before it saves.
  void leave() {
    measures_.watch_memory();
    measures_.finish();
  }

  Failure save() {
    if (!request_.checkpoint_path) return std::nullopt;
    if (Failure failure = check_values()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (Failure failure = save_to(*request_.checkpoint_path)) return failure;
    checkpoints_.set_saved(done_);
    if (events_.saved) events_.saved({.step = done_});
    return std::nullopt;
  }

  Failure finish() {
    // A checkpoint knows the best so far, also of the last step; where that is not looked for, it
    // is saved before anything else.
    if (!ranks_.is_first()) {
      measures_.finish();
      return std::nullopt;
    }
    report_.is_no_better = evaluations_.is_enough();
    const bool was_evaluated = !report_.tested.empty() && report_.tested.back().step == done_;
    const bool evaluates = !report_.stopped && !was_evaluated;
    if (looks_for_best(request_) && evaluates)
      if (Failure failure = evaluate()) return failure;
    const bool found_none =
        std::none_of(report_.tested.begin(), report_.tested.end(),
                     [](const TestedStep& tested) { return std::isfinite(tested.loss); });
    if (request_.best_checkpoint_path && !report_.tested.empty() && found_none)
      report_.notes.push_back(
          fmt::format("no evaluation gave a loss that is a number: there is no best step, and {} "
                      "was not written",
                      in_quotes(*request_.best_checkpoint_path)));
    if (!report_.no.empty()) return std::nullopt;
    if (Failure failure = request_.checkpoint_path ? save() : check_values()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (!looks_for_best(request_) && evaluates)
      if (Failure failure = evaluate()) return failure;
    if (const auto& best = evaluations_.best(); best && best->step > 0 && !report_.best)
      report_.best = TestedStep{.step = best->step, .loss = best->loss};
    const Result<std::string> hash = parameters_sha256(held_, running_->buffer);
    if (!hash.ok()) return hash.error();
    report_.parameters_sha256 = *hash;
    measures_.finish();
    measures_.watch_memory();
    measures_.state_address_space();
    return std::nullopt;
  }

  TrainRequest request_;
  const RunPart& part_;
  Stop stop_;
  const TrainEvents& events_;
  TrainReport report_ = {};
  CheckpointsOfRun checkpoints_{request_, part_};
  MeasuresOfRun measures_{request_, part_, stop_, report_};
  RanksOfRun ranks_{request_};
  PreparedRun made_ = {};
  EvaluationsOfRun evaluations_{request_, made_, stop_, events_, report_};
  std::unique_ptr<RunningForms> running_ = {};
  std::vector<HeldValue> held_ = {};
  std::optional<Trainer> trainer_ = {};
  std::optional<RankedTrainer> ranked_ = {};  // in its place, of several ranks
  std::int64_t done_ = 0;
  bool leaves_ = false;
  bool stays_ = false;  // there is no room to move
};

}  // namespace

double median(std::vector<double> times_s) {
  if (times_s.empty()) return 0;
  const auto middle = times_s.begin() + static_cast<std::ptrdiff_t>(times_s.size() / 2);
  std::nth_element(times_s.begin(), middle, times_s.end());
  return *middle;
}

Result<RunPartReport> run_part(const TrainRequest& request, const RunPart& part, const Stop& stop,
                               const TrainEvents& events) {
  return Run(request, part, stop, events).run();
}

}  // namespace poet
