#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "poet/exec/executor.h"
#include "poet/forms/plan_forms.h"

namespace poet {

// What an action of a plan does.
enum class ActionWork { Compute, Read, Write, Input };

inline constexpr Named<ActionWork> kActionWorks[] = {{"compute", ActionWork::Compute},
                                                     {"read", ActionWork::Read},
                                                     {"write", ActionWork::Write},
                                                     {"input", ActionWork::Input}};

// All actions of one kind about one operation or tensor of a form, in one step: as the plan has
// them, and as they were measured.
struct ComparedWork {
  std::string form = {};  // "whole", "first", ...
  ActionWork work = ActionWork::Compute;
  std::string name = {};   // of the operation or tensor
  std::int64_t times = 0;  // in a step
  double predicted_s = 0;  // of a step, without waiting
  double measured_s = 0;   // the same, a mean; of an overlapped transfer: what issuing it took
  // Of it, what the thread itself computed: not what other programs took. 0 without a clock for it.
  double worked_s = 0;
  double waited_s = 0;           // for transfers that were not there yet; a mean
  std::int64_t moved_bytes = 0;  // of a step, between storage and RAM
  // The most RAM in use while it runs: by the replay of the plan, and as the arena is laid out.
  std::int64_t planned_ram_bytes = 0;
  std::int64_t arena_ram_bytes = 0;

  bool operator==(const ComparedWork&) const = default;
};

// By action of a step: what buffers and workspaces hold of its arena while it runs.
std::vector<std::int64_t> arena_ram_bytes(const RunnableStep& step);

// Compares steps with their plans, action by action. It keeps a few numbers for each action, and
// allocates nothing while steps run.
class StepComparison {
 public:
  // The forms that run in a step, in the order of `planned`, which is needed no longer afterwards.
  // `times`: how often each runs in a step; a form that does not is left out.
  StepComparison(const PlannedForms& planned, const std::vector<std::string>& names,
                 const std::vector<std::int64_t>& times);

  // One run of a form. The first run of each counts only where there is no other: it finds caches
  // cold and pages of its memory missing.
  void add(std::size_t form, std::span<const ActionTime> times);

  // What was predicted and measured, in order of the forms' actions.
  std::vector<ComparedWork> works() const;

  bool is_empty() const;  // no run yet

 private:
  struct FormRecord {
    std::int64_t times = 0;  // in a step
    std::int64_t runs = 0;
    std::vector<std::size_t> work_of = {};  // by action, in works_; past its end: none
    std::vector<double> sums_s = {};        // by action
    std::vector<double> waits_s = {};
    std::vector<double> work_s = {};
  };

  void add_form(const RunnableStep& step, const Replay& replayed, const std::string& name,
                FormRecord& record);

  std::vector<FormRecord> forms_;
  std::vector<ComparedWork> works_;
};

}  // namespace poet
