// Where a window model must look next (docs/model/windows.md §2.3).
#include "poet/solve/window_refinement.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "poet/solve/later_need.h"

namespace poet {
namespace {

// New keys of one round, and how far they are apart: neighbours mostly say the same.
struct Pace {
  std::size_t most_new_keys;
  std::int32_t least_distance;
};
constexpr Pace kCareful = {3, 3};

struct Excess {
  Event event;
  std::int64_t bytes = 0;
};

bool insert(std::vector<std::int32_t>& stages, std::int32_t stage) {
  const auto place = std::lower_bound(stages.begin(), stages.end(), stage);
  if (place != stages.end() && *place == stage) return false;
  stages.insert(place, stage);
  return true;
}

bool insert_crowded(WindowKeys& keys, Event event) {
  const auto place = std::lower_bound(keys.crowded.begin(), keys.crowded.end(), event);
  if (place != keys.crowded.end() && *place == event) return false;
  keys.crowded.insert(place, event);
  return true;
}

// False when the model looks there already.
bool look_at(WindowKeys& keys, Event event) {
  if (event.certain()) return insert(keys.stages, event.stage);
  bool more = insert(keys.stages, event.stage);
  if (event.stage > 0) more = insert(keys.stages, event.stage - 1) || more;
  return insert_crowded(keys, event) || more;
}

}  // namespace

WindowKeys first_keys(const Step& step) {
  const std::vector<std::int64_t> demands_bytes = stage_demands_bytes(step);
  const auto worst = std::max_element(demands_bytes.begin(), demands_bytes.end());
  WindowKeys keys;
  if (worst != demands_bytes.end())
    keys.stages.push_back(static_cast<std::int32_t>(worst - demands_bytes.begin()));
  return keys;
}

WindowKeys spread_keys(const Step& step, std::int32_t count) {
  const std::vector<std::int64_t> demands_bytes = stage_demands_bytes(step);
  std::vector<std::int32_t> stages;
  for (std::int32_t t = 0; t < step.stages(); ++t)
    if (demands_bytes[t] > 0) stages.push_back(t);
  const std::int32_t distance = std::max(1, static_cast<std::int32_t>(stages.size()) / count);
  std::stable_sort(stages.begin(), stages.end(), [&](std::int32_t a, std::int32_t b) {
    return demands_bytes[a] > demands_bytes[b];
  });
  WindowKeys keys;
  for (const std::int32_t stage : stages) {
    const auto next = std::lower_bound(keys.stages.begin(), keys.stages.end(), stage);
    const bool near_next = next != keys.stages.end() && *next - stage < distance;
    const bool near_last = next != keys.stages.begin() && stage - *std::prev(next) < distance;
    if (!near_next && !near_last) keys.stages.insert(next, stage);
  }
  return keys;
}

WindowKeys refined_keys(const Step& step, const WindowKeys& keys, const EventChoice& suggested,
                        Refinement refinement) {
  const Pace fast = {std::max(kCareful.most_new_keys, keys.stages.size()), 1};
  const Pace pace = refinement == Refinement::Fast ? fast : kCareful;
  const std::vector<std::int64_t> bytes = ram_in_use(step, suggested);
  std::vector<Excess> excesses;
  for (std::size_t x = 0; x < bytes.size(); ++x)
    if (bytes[x] > step.budget_bytes)
      excesses.push_back({suggested.executions[x].event, bytes[x] - step.budget_bytes});
  std::stable_sort(excesses.begin(), excesses.end(),
                   [](const Excess& a, const Excess& b) { return a.bytes > b.bytes; });
  WindowKeys refined = keys;
  std::vector<std::int32_t> chosen;
  for (const Excess& excess : excesses) {
    const bool near_another = std::any_of(chosen.begin(), chosen.end(), [&](std::int32_t stage) {
      return std::abs(stage - excess.event.stage) < pace.least_distance;
    });
    if (near_another || !look_at(refined, excess.event)) continue;
    chosen.push_back(excess.event.stage);
    if (chosen.size() == pace.most_new_keys) break;
  }
  return refined;
}

}  // namespace poet
