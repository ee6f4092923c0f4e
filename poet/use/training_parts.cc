#include "poet/use/training_parts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace poet {
namespace {

void append_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& text : more)
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

// A part counts from its own beginning; who looks on sees one training.
TrainEvents TrainingParts::seen_as_one(const TrainEvents& events) const {
  TrainEvents seen = events;
  if (events.step)
    seen.step = [&events, before_j = whole_.energy_j, before_bytes = whole_.peak_rss_bytes,
                 in_bytes = whole_.paged_in_bytes,
                 out_bytes = whole_.paged_out_bytes](StepLine line) {
      line.energy_j += before_j;
      line.peak_bytes = std::max(line.peak_bytes, before_bytes);
      line.paged_in_bytes += in_bytes;
      line.paged_out_bytes += out_bytes;
      events.step(line);
    };
  return seen;
}

void TrainingParts::add(RunPartReport part, double taken_s) {
  TrainReport& now = part.report;
  append(step_times_s_, part.step_times_s);
  append(work_times_s_, part.work_times_s);
  double steps_s = 0;
  for (const double step_s : part.step_times_s) steps_s += step_s;
  std::vector<BudgetStretch> stretches = std::move(whole_.stretches);
  stretches.push_back({.first_step = now.first_step,
                       .steps = now.steps,
                       .ram_budget_bytes = now.ram_budget_bytes,
                       .arena_bytes = now.arena_bytes,
                       .step_s = now.step_s,
                       .beside_steps_s = taken_s - steps_s});
  if (stretches.size() > 1) take_over(now);
  whole_ = std::move(now);
  whole_.stretches = std::move(stretches);
  whole_.step_s = median(step_times_s_);
  whole_.step_work_s = median(work_times_s_);
}

// What is of all parts comes from the parts before, too; the rest is of the last.
void TrainingParts::take_over(TrainReport& now) const {
  const TrainReport& before = whole_;
  std::vector<float> losses = before.losses;
  append(losses, now.losses);
  now.losses = std::move(losses);
  now.first_step = before.first_step;
  now.steps += before.steps;
  now.energy_j += before.energy_j;
  now.paged_in_bytes += before.paged_in_bytes;
  now.paged_out_bytes += before.paged_out_bytes;
  for (std::int64_t TrainReport::*most :
       {&TrainReport::peak_rss_bytes, &TrainReport::fixed_overhead_bytes,
        &TrainReport::address_space_overhead_bytes, &TrainReport::storage_bytes})
    now.*most = std::max(now.*most, before.*most);
  std::vector<TestedStep> tested = before.tested;
  append(tested, now.tested);
  now.tested = std::move(tested);
  if (!now.score) now.score = before.score;
  now.trace = before.trace;
  std::vector<std::string> notes = before.notes;
  append_new(notes, now.notes);
  now.notes = std::move(notes);
  std::vector<std::string> search_notes = before.search_notes;
  append_new(search_notes, now.search_notes);
  now.search_notes = std::move(search_notes);
}

TrainReport TrainingParts::take() {
  step_times_s_.clear();
  work_times_s_.clear();
  return std::exchange(whole_, {});
}

}  // namespace poet
