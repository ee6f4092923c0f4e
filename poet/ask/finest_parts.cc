// The finest parts in which a step can come: how little RAM is enough.
#include "poet/ask/finest_parts.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "poet/ask/part_levels.h"

namespace poet {
namespace {

// Steps of more parts than this are not looked at.
constexpr std::int64_t kMostFinestParts = 120'000;
constexpr std::int64_t kStride = 4;

// How often the way between two levels is halved.
constexpr int kMostBetweenFinest = 4;

// Finer parts are many, and need hardly less. Only a small network has few of them, and much to
// gain.
constexpr std::int64_t kLeastLevelOfDescent = 1'024;
constexpr std::size_t kFewOperations = 10'000;

// Steps in finer and finer parts.
class Descent {
 public:
  Descent(QuestionSteps& steps, std::size_t most, std::int64_t whole_bytes, const Stop& stop,
          const ProgressSink& progress)
      : stop_(stop),
        steps_(steps),
        most_(most),
        least_bytes_(whole_bytes),
        progress_(progress),
        reached_level_(whole_bytes) {}

  bool may_go(std::int64_t level) const {
    const std::int64_t least =
        reached_operations_ <= kFewOperations ? kLeastLevel : kLeastLevelOfDescent;
    return level >= least && !stop_.requested_outside();
  }

  // Whether to go on to finer levels. One that is not reached says little, as another way of
  // cutting may reach a finer one; two in a row say enough.
  bool goes_to(std::int64_t level) {
    if (progress_) progress_({.phase = "parts"});
    Result<MadeStep> step = steps_.in_parts(level, kMostFinestParts, stop_);
    TriedLevel& one = tried_.emplace_back(TriedLevel{.part_bytes = level});
    if (!step.ok()) {
      one.why_not = step.error().message;
      return std::exchange(is_reached_, false);
    }
    is_reached_ = true;
    reached_level_ = level;
    one.operations = step->instance.parts.operations;
    reached_operations_ = one.operations;
    one.least_bytes = step->least_bytes();
    if (one.least_bytes < least_bytes_) {
      least_bytes_ = one.least_bytes;
      if (finest_.size() == most_) finest_.erase(finest_.begin());
      finest_.push_back(std::move(step->instance));
    }
    return true;
  }

  bool has_reached() const { return reached_operations_ > 0; }

  // The last level that was reached; without one, where it began.
  std::int64_t reached_level() const { return reached_level_; }

  // Half way between the finest level that was reached and the coarsest below it that was not: what
  // an operation needs goes down between levels too.
  std::optional<std::int64_t> level_between() const {
    return half_way_below(reached_level_, tried_);
  }

  std::vector<Instance> finest() && {
    for (Instance& instance : finest_) instance.parts.tried = tried_;
    return std::move(finest_);
  }

 private:
  const Stop& stop_;
  QuestionSteps& steps_;
  std::size_t most_;
  std::int64_t least_bytes_;
  const ProgressSink& progress_;
  std::vector<Instance> finest_ = {};
  std::vector<TriedLevel> tried_ = {};
  bool is_reached_ = true;  // the last level
  std::int64_t reached_level_;
  std::size_t reached_operations_ = 0;  // in parts of that level; none yet
};

}  // namespace

std::vector<Instance> finest_parts(QuestionSteps& steps, std::size_t most, const Stop& stop,
                                   const ProgressSink& progress) {
  const Result<const MadeStep*> whole = steps.first();
  if (!whole.ok()) return {};
  Descent descent(steps, most, (*whole)->least_bytes(), stop, progress);
  // In great strides to where nothing is cut any further, and in small ones from the last before.
  std::int64_t level = round_level((*whole)->least_bytes() - 1);
  while (descent.may_go(level) && descent.goes_to(level)) level = round_level(level / kStride);
  std::int64_t finer = round_level(descent.reached_level() - 1);
  while (descent.may_go(finer) && descent.goes_to(finer)) finer = round_level(finer - 1);
  // What is never cut finer may still need a little less in parts than whole.
  if (!descent.has_reached()) descent.goes_to((*whole)->least_bytes() - 1);
  for (int k = 0; k < kMostBetweenFinest; ++k)
    if (const std::optional<std::int64_t> between = descent.level_between();
        between && descent.may_go(*between))
      descent.goes_to(*between);
  return std::move(descent).finest();
}

}  // namespace poet
