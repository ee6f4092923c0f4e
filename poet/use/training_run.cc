#include "poet/use/training_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "poet/base/check.h"
#include "poet/data/data_file.h"
#include "poet/train/checkpoint.h"
#include "poet/train/evaluation.h"
#include "poet/train/process_memory.h"
#include "poet/train/rank_sums.h"
#include "poet/train/ranked_trainer.h"
#include "poet/train/trainer.h"
#include "poet/use/budget_story.h"
#include "poet/use/checkpoint_base.h"
#include "poet/use/choose_split.h"
#include "poet/use/plan_in_budget.h"
#include "poet/use/rank_meeting.h"
#include "poet/use/step_record.h"
#include "poet/use/times_in_step.h"
#include "poet/use/training_data.h"
#include "poet/use/training_settings.h"
#include "poet/use/unlimited_stop.h"

namespace poet {
namespace {

// What the heap may grow by while steps run: lines of text, losses, and what the system's own
// libraries set aside. Part of the fixed overhead.
constexpr std::int64_t kGrowthBytes = 1 << 20;

// What a checkpoint comes by in, before the training's own memory is there.
constexpr std::size_t kBufferBytes = 64 << 10;

// What measuring steps may take of the RAM budget, or where that is little, anyhow.
constexpr std::int64_t kMeterPart = 64;
constexpr std::int64_t kLeastMeterBytes = 256 << 10;

std::int64_t steps_of(const TrainRequest& request, std::int64_t examples) {
  if (request.steps > 0) return request.steps;
  const double steps = std::ceil(request.epochs * static_cast<double>(examples) /
                                 static_cast<double>(request.plan.batch_size));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
}

std::string planned_with(const Instance& instance, const StepFigures* measured) {
  if (!instance.device) return "";
  if (measured != nullptr)
    return fmt::format("{}, with what operations and transfers took in {} steps",
                       instance.device->name, measured->steps);
  const std::vector<DeviceFigure>& figures = instance.device->figures;
  const bool assumed = std::any_of(figures.begin(), figures.end(), [](const DeviceFigure& figure) {
    return figure.source.starts_with("assumed");
  });
  std::string text = fmt::format("{}, operations: {}", instance.device->name, instance.costs);
  if (assumed) text += "; the device's figures are assumed: 'poet profile' measures this machine's";
  return text;
}

// One run in one budget: a training from its first step to its end, or to where it moves on.
class Run {
 public:
  Run(const TrainRequest& request, const RunPart& part, const Stop& stop, const TrainEvents& events)
      : request_(request), part_(part), stop_(stop), events_(events), begin_s_(stop.now_s()) {}

  Result<RunPartReport> run() {
    Failure prepared = part_.state ? std::nullopt : check_overwriting();
    if (!prepared) prepared = prepare();
    if (request_.conference) prepared = meet_others(prepared);
    if (prepared) return *prepared;
    if (!report_.no.empty() || report_.plans_are_missing) return ended();
    if (Failure failure = begin()) return *failure;
    if (Failure failure = take_steps()) return *failure;
    if (record_) report_.trace = record_->take(request_.plan.command);
    report_.steps = static_cast<std::int64_t>(report_.losses.size());
    if (leaves_) {
      leave();
    } else if (report_.no.empty()) {
      if (Failure failure = finish()) return *failure;
    }
    if (Failure failure = end_together()) return *failure;
    return ended();
  }

 private:
  RunPartReport ended() {
    return {.report = std::move(report_),
            .leaves = leaves_,
            .state = {.settings = std::move(settings_), .saved_step = saved_step_},
            .step_times_s = std::move(step_times_s_),
            .work_times_s = std::move(work_times_s_)};
  }

  bool looks_for_best() const {
    return request_.best_checkpoint_path || request_.most_no_better > 0;
  }

  // Graphs, data and plans.
  Failure prepare() {
    Result<FormsRequest> asked = forms_request(request_);
    if (!asked.ok()) return asked.error();
    asked_ = *std::move(asked);
    if (looks_for_best() && !asked_.evaluation)
      return bad_input(
          "the best step is found by trying the network: give --test-data, or --held-out");
    if (Failure failure = settle_split()) return failure;
    if (report_.plans_are_missing) return std::nullopt;
    Result<StepForms> forms = maker_.take(asked_);
    if (!forms.ok()) return forms.error();
    forms_ = *std::move(forms);
    Result<TrainingData> data = open_training_data(request_, forms_.wanted);
    if (!data.ok()) return data.error();
    data_ = *std::move(data);
    if (Failure failure = check_augmentation()) return failure;
    report_.plain_peak_bytes = forms_.plain_peak_bytes;
    report_.planned_with = planned_with(forms_.forms.front().instance, request_.figures.get());
    steps_ = steps_of(request_, data_.training->size());
    request_.learning_rate.steps = steps_;
    if (Failure failure = check_rate(request_.learning_rate)) return failure;
    for (const StepGraph& form : forms_.forms)
      trained_.insert(form.trained.begin(), form.trained.end());
    base_ = base_parameters(*forms_.model, asked_.question.training);
    if (Failure failure = look_at_checkpoint()) return failure;
    return plan();
  }

  // What is moved or turned around must not be what a target says of places.
  Failure check_augmentation() const {
    if (!request_.augmentation.changes()) return std::nullopt;
    const std::vector<ExamplePart>& parts = forms_.wanted.parts;
    const TensorType& picture = parts.front().type;
    const bool fits = parts.size() == 2 && forms_.wanted.has_target &&
                      picture.element == ElementType::Float32 && picture.shape.size() == 3 &&
                      parts.back().type.shape.empty();
    if (fits) return std::nullopt;
    return bad_input("--augment is for pictures that have one label each");
  }

  static bool is_there(const std::optional<std::string>& path) {
    std::error_code ignored;
    return path && std::filesystem::exists(*path, ignored);
  }

  bool checkpoint_is_there() const { return is_there(request_.checkpoint_path); }

  // Before anything takes long.
  Failure check_overwriting() const {
    if (Failure failure = check_overwriting(request_.checkpoint_path)) return failure;
    return check_overwriting(request_.best_checkpoint_path);
  }

  Failure check_overwriting(const std::optional<std::string>& asked) const {
    if (!is_there(asked) || request_.resume || request_.overwrites_checkpoint) return std::nullopt;
    std::vector<std::byte> buffer(kBufferBytes);
    const std::string path = quoted_path(*asked);
    if (!open_checkpoint(*asked, buffer).ok())
      return bad_input(
          fmt::format("{} is there already and is not a checkpoint that can be read: name another "
                      "path, or let --overwrite-checkpoint replace it",
                      path));
    return bad_input(fmt::format(
        "{} is there already: --resume goes on from it, and --overwrite-checkpoint begins anew and "
        "replaces it",
        path));
  }

  Failure look_at_checkpoint() {
    if (part_.state) return go_on_from_part();
    if (!request_.checkpoint_path && !request_.conference) return std::nullopt;
    Result<std::vector<CheckpointSetting>> settings =
        training_settings(request_, asked_, *forms_.model, *data_.training);
    if (!settings.ok()) return settings.error();
    settings_ = *std::move(settings);
    if (!request_.resume || !checkpoint_is_there()) return std::nullopt;
    std::vector<std::byte> buffer(kBufferBytes);
    Result<Checkpoint> checkpoint = open_checkpoint(*request_.checkpoint_path, buffer);
    if (!checkpoint.ok()) return checkpoint.error();
    if (Failure failure = check_settings(checkpoint->state)) return failure;
    resumed_ = *std::move(checkpoint);
    return std::nullopt;
  }

  // What this very training left is of the same settings.
  Failure go_on_from_part() {
    settings_ = part_.state->settings;
    saved_step_ = part_.state->saved_step;
    std::vector<std::byte> buffer(kBufferBytes);
    Result<Checkpoint> left = open_checkpoint(part_.state_path, buffer);
    if (!left.ok()) return left.error();
    resumed_ = *std::move(left);
    return std::nullopt;
  }

  Failure check_settings(const CheckpointState& state) const {
    const std::string path = quoted_path(*request_.checkpoint_path);
    if (state.settings.empty())
      return bad_input(fmt::format(
          "the checkpoint {} is of an older poet, which did not note all that decides its numbers: "
          "'poet eval' and 'poet predict' can use it, but no training can go on from it",
          path));
    const std::string differing = settings_that_differ(state.settings, settings_);
    if (differing.empty()) return std::nullopt;
    return bad_input(fmt::format(
        "the checkpoint {} is of a training with other settings: {}; use the same, or begin anew "
        "with another path",
        path, differing));
  }

  Failure settle_split() {
    report_.micro_batches = asked_.micro_batches;
    if (request_.split == SplitBy::Request) return std::nullopt;
    Result<std::optional<SplitChoice>> choice =
        choose_split(asked_, maker_, plan_options(), stop_, events_.planning);
    if (!choice.ok()) return choice.error();
    report_.plans_are_missing = !*choice;
    if (!*choice) return std::nullopt;
    asked_ = with_split(std::move(asked_), **choice);
    report_.micro_batches = (*choice)->micro_batches;
    report_.split = *std::move(*choice);
    return std::nullopt;
  }

  PlanFormsOptions plan_options() {
    return {.cache = telling_unkept(request_.cache, report_.search_notes),
            .only_from_cache = request_.only_cached_plans,
            .steps = expected_steps(request_)};
  }

  Failure plan() {
    Result<PlannedForms> planned =
        plan_in_budget(asked_, maker_, forms_, plan_options(), stop_, events_.planning);
    if (!planned.ok()) return planned.error();
    planned_ = *std::move(planned);
    report_.no = planned_.no;
    report_.notes = planned_.notes;
    report_.search_notes.insert(report_.search_notes.end(), planned_.search_notes.begin(),
                                planned_.search_notes.end());
    report_.ram_budget_bytes = forms_.ram_budget_bytes;
    report_.plans_are_missing = planned_.steps.empty() && planned_.no.empty();
    if (planned_.steps.empty()) return std::nullopt;
    report_.arena_bytes = planned_.arena_bytes;
    report_.storage_bytes = planned_.storage_bytes;
    if (!request_.conference) expect(asked_.micro_batches);
    return std::nullopt;
  }

  // What the plans say of a step of so many micro-batches.
  void expect(std::int64_t micro_batches) {
    const std::vector<std::int64_t> times = times_in_step(forms_, micro_batches);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto often = static_cast<double>(times[k]);
      report_.predicted_step_s += often * planned_.replays[k].time_s;
      energy_per_step_j_ += often * planned_.replays[k].energy_j;
    }
    if (request_.draws_arena) draw_arenas();
    compare_with(times);
    meter_with(times);
    report_.story = budget_story(planned_, times, forms_.ram_budget_bytes, forms_.plain_peak_bytes);
  }

  // --- With other ranks

  bool is_first() const { return !request_.rank || request_.rank->own == 0; }

  // Says what came of preparing; all ranks begin, or none does.
  Failure meet_others(const Failure& prepared) {
    Result<RankWord> word = RankWord{.no = report_.no, .settings = settings_};
    if (prepared)
      word = *prepared;
    else if (report_.plans_are_missing)
      word = Error{ErrorCode::Io,
                   fmt::format("the plans are not in {}, where they were just written",
                               request_.cache.folder.value_or("")),
                   {}};
    else if (report_.no.empty())
      word->figures = {.micro_batch_s = planned_.replays.front().time_s,
                       .ram_budget_bytes = forms_.ram_budget_bytes,
                       .plain_peak_bytes = forms_.plain_peak_bytes};
    const Result<RankAgreement> agreed = meet(*request_.conference, word, asked_.micro_batches);
    if (!agreed.ok()) return agreed.error();
    report_.no = agreed->no;
    if (!report_.no.empty()) {
      request_.conference->close();
      return std::nullopt;
    }
    own_ = agreed->ranges[static_cast<std::size_t>(request_.rank->own)];
    for (std::size_t rank = 0; rank < agreed->ranges.size(); ++rank)
      report_.ranks.push_back({.micro_batches = agreed->ranges[rank].count(),
                               .micro_batch_s = agreed->figures[rank].micro_batch_s,
                               .ram_budget_bytes = agreed->figures[rank].ram_budget_bytes,
                               .plain_peak_bytes = agreed->figures[rank].plain_peak_bytes});
    accumulators_ = forms_.forms[0].accumulators;
    updated_.assign(forms_.forms[1].trained.begin(), forms_.forms[1].trained.end());
    expect(own_.count());
    return std::nullopt;
  }

  bool is_state_of_one(const HeldValue& value) const {
    return !updates_.parameters.empty() && value.role == TensorRole::OptimiserState;
  }

  // Who updates what. Rank 0 then holds the states of all, those of others by asking for them.
  Failure divide_updates() {
    if (!request_.conference) return std::nullopt;
    gradients_ = accumulators(*running_->form("first"));
    std::vector<HeldValue> states;
    for (const HeldValue& value : held_)
      if (value.role == TensorRole::OptimiserState) states.push_back(value);
    Result<DividedUpdates> updates = meet_over_updates(*request_.conference, updated_, states);
    if (!updates.ok()) return updates.error();
    updates_ = *std::move(updates);
    for (const HeldValue& value : held_)
      if (value.write && !is_state_of_one(value)) common_.push_back(value);
    for (HeldValue& state : updates_.states_of_others) held_.push_back(std::move(state));
    std::sort(held_.begin(), held_.end(),
              [](const HeldValue& a, const HeldValue& b) { return a.name < b.name; });
    return std::nullopt;
  }

  // All go on from what rank 0 has: its values, and how many steps are done.
  Failure begin_together() {
    if (!request_.conference) return std::nullopt;
    const Result<std::string> done = request_.conference->confer(
        std::string(), [this](const std::vector<std::string>&) -> Result<std::string> {
          return std::to_string(done_);
        });
    if (!done.ok()) return done.error();
    done_ = std::stoll(*done);
    report_.first_step = done_ + 1;
    RankBuffers buffers(kValuePieceBytes);
    return pass_on(request_.conference->ranks(), 0, common_, buffers);
  }

  // Whether all take another step. Rank 0 decides; whoever is asked to stop says so.
  Result<bool> go_on_together() {
    const std::string own = stop_.token.stop_requested() ? "stop" : "go";
    const Result<std::string> answer = request_.conference->confer(
        own, [this](const std::vector<std::string>& words) -> Result<std::string> {
          if (!report_.no.empty() || done_ >= steps_ || is_enough()) return std::string("end");
          return std::find(words.begin(), words.end(), "stop") == words.end() ? std::string("go")
                                                                              : std::string("stop");
        });
    if (!answer.ok()) return answer.error();
    report_.stopped = *answer == "stop";
    return *answer == "go";
  }

  // Others wait while rank 0 evaluates and saves.
  Failure end_together() {
    if (!request_.conference) return std::nullopt;
    const Result<std::string> answer = request_.conference->confer(
        std::string(),
        [](const std::vector<std::string>&) -> Result<std::string> { return std::string(); });
    if (!answer.ok()) return answer.error();
    request_.conference->close();
    return std::nullopt;
  }

  // What each rank updates; none where all update everything.
  std::vector<RankedTrainer::Part> parts_of_updates() const {
    std::vector<RankedTrainer::Part> parts;
    for (const std::vector<std::string>& names : updates_.parameters) {
      RankedTrainer::Part part;
      const auto is_its = [&names](const std::string& parameter) {
        return std::find(names.begin(), names.end(), parameter) != names.end();
      };
      for (const HeldValue& gradient : gradients_)
        if (is_its(accumulators_.at(gradient.name))) part.gradients.push_back(gradient);
      for (const HeldValue& value : common_)
        if (value.role == TensorRole::Parameter && is_its(value.name))
          part.parameters.push_back(value);
      parts.push_back(std::move(part));
    }
    return parts;
  }

  Failure make_ranked_trainer(Trainer trainer) {
    const std::int64_t bytes = RankedTrainer::aside_bytes(gradients_, own_.count());
    std::unique_ptr<PageStore> aside;
    if (bytes > 0) {
      Result<std::unique_ptr<PageStore>> store =
          make_store_beside(request_.storage, {.bytes = bytes,
                                               .write_places = RankedTrainer::aside_pieces(
                                                   gradients_, own_.count(), kValuePieceBytes)});
      if (!store.ok()) return store.error();
      aside = *std::move(store);
    }
    std::vector<RankedTrainer::Part> updates = parts_of_updates();
    ranked_.emplace(RankedTrainer::Parts{.micro_batches = std::move(trainer),
                                         .update = *running_->form("update"),
                                         .gradients = std::move(gradients_),
                                         .updates = std::move(updates),
                                         .own = own_,
                                         .conference = request_.conference,
                                         .aside = std::move(aside),
                                         .piece_bytes = kValuePieceBytes,
                                         .clock_s = stop_.elapsed_s});
    return std::nullopt;
  }

  void draw_arenas() {
    for (std::size_t k = 0; k < planned_.steps.size(); ++k) {
      const RunnableStep& step = planned_.steps[k];
      report_.arenas.push_back(arena_picture(step.plan, step.layout));
      report_.arenas.back().name = forms_.forms[k].name;
      report_.arenas.back().ram_budget_bytes = forms_.ram_budget_bytes;
    }
  }

  // What the plans predict of a step; action by action where that is to be compared.
  void compare_with(const std::vector<std::int64_t>& times) {
    std::vector<std::string> names;
    for (const StepGraph& form : forms_.forms) names.push_back(form.name);
    if (request_.traced_steps > 0)
      record_.emplace(planned_, names, times, std::min(request_.traced_steps, steps_));
    StepComparison comparison(planned_, names, times);
    for (const Replay& replayed : planned_.replays)
      report_.predicted_peak_bytes =
          std::max(report_.predicted_peak_bytes, replayed.peak_ram_bytes);
    for (const ComparedWork& work : comparison.works())
      (work.work == ActionWork::Write ? report_.predicted_out_bytes : report_.predicted_in_bytes) +=
          work.moved_bytes;
    // Of a step in parts it is many times as large as the arena.
    if (request_.compares_with_plan) comparison_ = std::move(comparison);
  }

  // Only where it may come to something, and takes no memory that would be missed.
  void meter_with(const std::vector<std::int64_t>& times) {
    const ReplanLimits& limits = request_.replanning.limits;
    const double training_s = report_.predicted_step_s * static_cast<double>(steps_);
    const std::int64_t most_bytes =
        std::max(kLeastMeterBytes, report_.ram_budget_bytes / kMeterPart);
    // After a change it is to be seen what that brought, in however short a time.
    const bool is_too_short = !request_.figures && training_s < limits.least_training_s;
    if (!part_.metered || is_too_short || meter_bytes(planned_) > most_bytes) return;
    const Device& device = *forms_.forms.front().instance.device;
    meter_.emplace(planned_, times, limits.metered_steps);
    metered_.objective = forms_.forms.front().instance.problem.objective;
    metered_.kernels = kernel_set_name(asked_.question.kernels);
    metered_.active_power_w = asked_.question.costs
                                  ? asked_.question.costs->measured.active_power_w
                                  : device.compute.flop_per_s / device.compute.flop_per_j;
  }

  // Memory, and the values to begin with.
  Failure begin() {
    library_bytes_ = process_memory().library_bytes;
    forget_peak_memory();
    const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(asked_.question.kernels);
    if (!kernels.ok()) return kernels.error();
    Result<std::unique_ptr<RunningForms>> running =
        start_forms(forms_, planned_, request_.storage, executor_options(**kernels));
    if (!running.ok()) return running.error();
    running_ = *std::move(running);
    forget_what_was_planned();
    std::vector<const std::map<TensorId, Initial>*> initial;
    for (const auto& values : running_->initial) initial.push_back(&values);
    if (Failure failure = set_initial(running_->ready, initial)) return failure;
    held_ = held_values(running_->ready, &running_->rom);
    leave_out(base_, held_);
    if (Failure failure = divide_updates()) return failure;
    if (Failure failure = resume()) return failure;
    running_->forget_beginning();
    if (Failure failure = begin_together()) return failure;
    if (Failure failure = make_trainer()) return failure;
    forget_peak_memory();
    state_overhead();
    return std::nullopt;
  }

  void forget_what_was_planned() {
    forms_.forms.clear();
    forms_.model.reset();
    maker_ = {};
    asked_.question.graph = {};
    planned_ = {};
    forget_peak_memory();
  }

  // Before the first step, and once more after it: some of what the system's libraries need they
  // take when they are called first. What was given back of their files may be called again.
  void state_overhead() {
    const ProcessMemory memory = process_memory();
    library_bytes_ = std::max(library_bytes_, memory.library_bytes);
    const std::int64_t now_bytes = memory.resident_bytes - memory.library_bytes + library_bytes_ -
                                   resident_bytes(running_->arena->bytes());
    report_.fixed_overhead_bytes =
        std::max(report_.fixed_overhead_bytes, now_bytes + memory.unread_program_bytes +
                                                   running_->rom.size_bytes() + kGrowthBytes);
  }

  Failure resume() {
    if (!resumed_) return std::nullopt;
    if (Failure failure = restore(*resumed_, held_, Needed::All, running_->buffer)) return failure;
    done_ = resumed_->state.step;
    if (looks_for_best()) best_ = resumed_->state.best;
    if (!part_.state) saved_step_ = done_;
    report_.first_step = done_ + 1;
    if (done_ >= steps_)
      report_.notes.push_back(
          fmt::format("the checkpoint is of step {} already, so nothing was left to train; more "
                      "--steps or --epochs go on",
                      done_));
    resumed_.reset();
    // It has all values, and is nobody's where the process is killed.
    std::error_code ignored;
    if (part_.state) std::filesystem::remove(part_.state_path, ignored);
    return std::nullopt;
  }

  Failure make_trainer() {
    std::vector<ReadyForm> micro_batches;
    const std::int64_t count = asked_.micro_batches;
    for (std::int64_t m = 0; m < count; ++m) {
      const char* const name = request_.rank    ? "first"
                               : count == 1     ? "whole"
                               : m == 0         ? "first"
                               : m + 1 == count ? "last"
                                                : "middle";
      micro_batches.push_back(*running_->form(name));
    }
    const BatchReader reader(data_.training, {.batch_size = forms_.micro_batch_size,
                                              .seed = request_.seed,
                                              .augmentation = request_.augmentation});
    Trainer trainer(std::move(micro_batches), reader,
                    {.seed = request_.seed,
                     .learning_rate = request_.learning_rate,
                     .constants = asked_.question.training.constants,
                     .labels = counted_labels(),
                     .ran = [this](const ReadyForm& form) { compare(form); }});
    if (request_.conference) return make_ranked_trainer(std::move(trainer));
    trainer_.emplace(std::move(trainer));
    return std::nullopt;
  }

  Result<TrainedStep> take_step(std::int64_t step) {
    return ranked_ ? ranked_->run(step) : trainer_->run(step);
  }

  std::int64_t examples_per_step() const { return asked_.micro_batches * forms_.micro_batch_size; }

  Result<bool> goes_on() {
    if (request_.conference) return go_on_together();
    return report_.no.empty() && done_ < steps_ && !is_enough() &&
           !(report_.stopped = stop_.token.stop_requested()) && !(leaves_ = has_left());
  }

  std::optional<TrainerOptions::CountedLabels> counted_labels() const {
    const std::optional<std::int64_t>& ignored = asked_.question.training.ignored_label;
    if (!ignored || !forms_.wanted.has_target) return std::nullopt;
    return TrainerOptions::CountedLabels{forms_.wanted.parts.size() - 1, *ignored};
  }

  ExecutorOptions executor_options(const KernelSet& kernels) const {
    ExecutorOptions options{.machine = request_.machine, .kernels = &kernels};
    if (request_.compares_with_plan || record_ || meter_) options.clock_s = stop_.elapsed_s;
    if (request_.compares_with_plan || record_) options.work_s = request_.work_s;
    return options;
  }

  void compare(const ReadyForm& form) {
    if (form.executor->times().empty()) return;
    for (std::size_t k = 0; k < running_->ready.size(); ++k) {
      if (running_->ready[k].executor != form.executor) continue;
      if (comparison_) comparison_->add(k, form.executor->times());
      if (record_) record_->add(k, form.executor->times());
      if (meter_) meter_->add(k, form.executor->times());
    }
  }

  Failure take_steps() {
    first_step_s_ = stop_.now_s();
    for (;;) {
      const Result<bool> another = goes_on();
      if (!another.ok()) return another.error();
      if (!*another) return std::nullopt;
      const double begin_s = stop_.now_s();
      const double begin_work_s = request_.work_s ? request_.work_s() : 0;
      const Result<TrainedStep> step = take_step(done_ + 1);
      if (!step.ok()) return step.error();
      ++done_;
      if (request_.work_s) work_times_s_.push_back(request_.work_s() - begin_work_s);
      if (done_ == report_.first_step) {
        watch_memory();
        state_overhead();
      }
      const double step_s = stop_.now_s() - begin_s;
      note(*step, step_s);
      meter(step_s);
      if (is_first() && !std::isfinite(step->loss) && !request_.allows_non_finite) {
        break_off(fmt::format("the loss of step {} is not finite ({})", done_, step->loss));
        continue;  // to the end
      }
      if (is_time_to_evaluate() && done_ < steps_)
        if (Failure failure = evaluate()) return failure;
      if (request_.checkpoint_every > 0 && done_ % request_.checkpoint_every == 0 && done_ < steps_)
        if (Failure failure = save()) return failure;
    }
  }

  bool is_time_to_evaluate() const {
    return request_.evaluate_every > 0 && done_ % request_.evaluate_every == 0;
  }

  bool is_enough() const {
    return best_ && request_.most_no_better > 0 && best_->since >= request_.most_no_better;
  }

  // Whether the values lie where the part that goes on in another budget finds them. Each part
  // takes a step at least, so that no storm of wishes holds the training up; without room for the
  // values it goes on as it is.
  bool has_left() {
    if (stays_ || !part_.is_to_leave || done_ < report_.first_step ||
        !part_.is_to_leave({.overhead_bytes = report_.fixed_overhead_bytes,
                            .done = done_,
                            .left = steps_ - done_,
                            .step_times_s = step_times_s_}))
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
    const std::string kept = saved_step_
                                 ? fmt::format("the checkpoint is that of step {}", *saved_step_)
                                 : "nothing was saved";
    report_.no = fmt::format(
        "{}: training ended there, and {}; try a lower --learning-rate or a "
        "--largest-gradient-norm, look for numbers in the data that are not finite, or go on "
        "whatever comes with --allow-non-finite",
        what, kept);
  }

  // A finite loss may be the last before its update made the values infinite: they are looked at
  // before they take the place of good ones.
  Failure check_values() {
    if (request_.allows_non_finite) return std::nullopt;
    std::vector<HeldValue> changing;
    for (const HeldValue& value : held_)
      if (value.write && (value.role != TensorRole::Parameter || trained_.count(value.name) > 0))
        changing.push_back(value);
    const Result<std::optional<std::string>> found = first_not_finite(changing, running_->buffer);
    if (!found.ok()) return found.error();
    if (*found) break_off(fmt::format("after step {}, {} is not finite", done_, **found));
    return std::nullopt;
  }

  void note(const TrainedStep& step, double step_s) {
    report_.losses.push_back(step.loss);
    if (record_)
      record_->end_step(done_, stop_.now_s() - step_s, stop_.now_s(),
                        static_cast<double>(step.loss));
    report_.paged_in_bytes += step.read_bytes;
    report_.paged_out_bytes += step.written_bytes;
    report_.energy_j += energy_per_step_j_;
    step_times_s_.push_back(step_s);
    exchange_times_s_.push_back(step.exchange_s);
    if (!events_.step) return;
    const double seen = static_cast<double>(done_ * examples_per_step());
    events_.step({.step = done_,
                  .steps = steps_,
                  .epoch = seen / static_cast<double>(data_.training->size()),
                  .loss = step.loss,
                  .learning_rate = step.learning_rate,
                  .step_s = step_s,
                  .energy_j = report_.energy_j,
                  .peak_bytes = report_.peak_rss_bytes,
                  .remaining_s = remaining_s(),
                  .ram_budget_bytes = report_.ram_budget_bytes});
  }

  void meter(double step_s) {
    if (!meter_) return;
    meter_->end_step(step_s);
    if (!meter_->is_full()) return;
    metered_.steps = meter_->metered();
    metered_.making_s = first_step_s_ - begin_s_;
    metered_.done = done_;
    metered_.left = steps_ - done_;
    meter_.reset();
    part_.metered(metered_);
  }

  // With evaluations and checkpoints, which come again, too.
  double remaining_s() const {
    const auto taken = static_cast<double>(report_.losses.size());
    return (stop_.now_s() - first_step_s_) / taken * static_cast<double>(steps_ - done_);
  }

  void watch_memory() {
    report_.peak_rss_bytes = std::max(report_.peak_rss_bytes, process_memory().peak_bytes);
  }

  Failure evaluate() {
    const ReadyForm* const form = running_->form("evaluation");
    if (form == nullptr) return std::nullopt;
    const BatchReader reader(
        data_.test, {.batch_size = forms_.micro_batch_size, .sequence = ExampleSequence::InOrder});
    const TrainingOptions& options = asked_.question.training;
    const std::optional<std::size_t> target =
        forms_.wanted.has_target ? std::optional(forms_.wanted.parts.size() - 1) : std::nullopt;
    const Result<Score> score = evaluate_score(
        *form, reader, target, {.loss = options.loss, .ignored_label = options.ignored_label},
        without_limit(stop_));
    if (!score.ok()) return score.error();
    report_.score = *score;
    report_.tested.push_back({done_, score->loss, score->accuracy});
    if (events_.evaluation) events_.evaluation({done_, *score});
    // One that was stopped on its way says nothing of how the step compares with others.
    const bool is_whole = score->examples >= data_.test->size();
    return looks_for_best() && is_whole ? compare_with_best(score->loss) : std::nullopt;
  }

  // An evaluation out of turn, at the end, may be the best; it is not one of those that go on from
  // here, which would then stand elsewhere than without a stop.
  Failure compare_with_best(double loss) {
    if (report_.losses.empty()) return std::nullopt;  // what was evaluated before
    if (std::isnan(loss)) return std::nullopt;        // nothing that counts
    const bool is_better = !best_ || loss < best_->loss;
    if (!is_better && is_time_to_evaluate()) ++best_->since;
    if (!is_better) return std::nullopt;
    const std::optional<BestEvaluation> before = best_;
    best_ = {.loss = loss, .step = done_};
    report_.best = TestedStep{.step = done_, .loss = loss};
    const Failure failure = save_best();
    if (!is_time_to_evaluate()) best_ = before;
    return failure;
  }

  Failure save_best() {
    if (!request_.best_checkpoint_path) return std::nullopt;
    if (Failure failure = check_values()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (Failure failure = save_to(*request_.best_checkpoint_path)) return failure;
    if (events_.checkpoint) events_.checkpoint(*request_.best_checkpoint_path, done_);
    return std::nullopt;
  }

  Failure save_to(const std::string& path) {
    const CheckpointState state{.model = asked_.question.origin.model,
                                .settings = settings_,
                                .step = done_,
                                .examples = done_ * examples_per_step(),
                                .seed = request_.seed,
                                .best = best_};
    return save_checkpoint(path, state, held_, running_->buffer);
  }

  // Values that are not finite go along: the next part looks at them before it saves.
  void leave() {
    watch_memory();
    finish_figures();
  }

  Failure save() {
    if (!request_.checkpoint_path) return std::nullopt;
    if (Failure failure = check_values()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (Failure failure = save_to(*request_.checkpoint_path)) return failure;
    saved_step_ = done_;
    if (events_.checkpoint) events_.checkpoint(*request_.checkpoint_path, done_);
    return std::nullopt;
  }

  Failure finish() {
    // A checkpoint knows the best so far, also of the last step; where that is not looked for, it
    // is saved before anything else.
    if (!is_first()) {
      finish_figures();
      return std::nullopt;
    }
    report_.is_no_better = is_enough();
    const bool was_evaluated = !report_.tested.empty() && report_.tested.back().step == done_;
    const bool evaluates = !report_.stopped && !was_evaluated;
    if (looks_for_best() && evaluates)
      if (Failure failure = evaluate()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (Failure failure = request_.checkpoint_path ? save() : check_values()) return failure;
    if (!report_.no.empty()) return std::nullopt;
    if (!looks_for_best() && evaluates)
      if (Failure failure = evaluate()) return failure;
    if (best_ && !report_.best) report_.best = TestedStep{.step = best_->step, .loss = best_->loss};
    const Result<std::string> hash = parameters_sha256(held_, running_->buffer);
    if (!hash.ok()) return hash.error();
    report_.parameters_sha256 = *hash;
    finish_figures();
    watch_memory();
    report_.address_space_overhead_bytes =
        process_memory().address_space_bytes - report_.arena_bytes + kGrowthBytes;
    return std::nullopt;
  }

  void finish_figures() {
    if (comparison_ && !comparison_->is_empty()) report_.works = comparison_->works();
    report_.step_s = median(step_times_s_);
    report_.exchange_s = median(exchange_times_s_);
    report_.step_work_s = median(work_times_s_);
  }

  TrainRequest request_;
  const RunPart& part_;
  FormsRequest asked_ = {};
  FormsMaker maker_ = {};
  Stop stop_;
  const TrainEvents& events_;
  double begin_s_ = 0;
  StepForms forms_ = {};
  TrainingData data_ = {};
  PlannedForms planned_ = {};
  std::unique_ptr<RunningForms> running_ = {};
  std::vector<HeldValue> held_ = {};
  std::optional<Trainer> trainer_ = {};
  std::optional<RankedTrainer> ranked_ = {};              // in its place, of several ranks
  std::vector<HeldValue> gradients_ = {};                 // for it
  std::map<std::string, std::string> accumulators_ = {};  // their names, and of what
  std::vector<std::string> updated_ = {};                 // by this rank
  DividedUpdates updates_ = {};
  std::vector<HeldValue> common_ = {};  // that all ranks have
  MicroBatchRange own_ = {};
  std::optional<StepComparison> comparison_ = {};
  std::optional<StepRecord> record_ = {};
  std::optional<StepMeter> meter_ = {};
  MeteredPart metered_ = {};
  std::vector<CheckpointSetting> settings_ = {};
  std::set<std::string> trained_ = {};
  std::set<std::string> base_ = {};              // beside adapters: what no checkpoint holds
  std::optional<Checkpoint> resumed_ = {};       // what to go on from
  std::optional<std::int64_t> saved_step_ = {};  // of the checkpoint that is there
  std::optional<BestEvaluation> best_ = {};      // where it is looked for
  std::int64_t steps_ = 0;
  std::int64_t done_ = 0;
  bool leaves_ = false;
  bool stays_ = false;              // there is no room to move
  std::int64_t library_bytes_ = 0;  // of libraries' files, the most that was in RAM
  double energy_per_step_j_ = 0;
  double first_step_s_ = 0;  // when it began
  std::vector<double> step_times_s_ = {};
  std::vector<double> work_times_s_ = {};
  std::vector<double> exchange_times_s_ = {};
  TrainReport report_ = {};
};

}  // namespace

// With an evaluation where there is something to try it on.
Result<FormsRequest> forms_request(const TrainRequest& request) {
  Result<Question> question = read_question(request.plan);
  if (!question.ok()) return question.error();
  question->training.ignored_label = ignored_label_of(request.data);
  if (request.test_data && !question->training.ignored_label)
    question->training.ignored_label = ignored_label_of(*request.test_data);
  if (request.figures) *question = with_figures(*std::move(question), *request.figures);
  const bool evaluates = request.test_data.has_value() || request.held_out_ratio > 0;
  return FormsRequest{.question = *std::move(question),
                      .micro_batches = request.micro_batches,
                      .rank = request.rank,
                      .evaluation = evaluates && (!request.rank || request.rank->own == 0)};
}

std::optional<std::int64_t> expected_steps(const TrainRequest& request) {
  if (request.steps > 0) return request.steps;
  if (!request.data.paths.empty()) return std::nullopt;
  return steps_of(request, request.data.synthetic_examples);
}

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
