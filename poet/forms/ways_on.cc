#include "poet/forms/ways_on.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "poet/ask/choose_parts.h"
#include "poet/ask/part_levels.h"
#include "poet/problem/deadline.h"
#include "poet/problem/facts.h"
#include "poet/problem/memories.h"

namespace poet {
namespace {

// Whether no operation needs more by itself. False for what cannot be had at all.
bool may_fit(const FormsRequest& request, FormsMaker& maker, std::int64_t ram_budget_bytes) {
  const Result<StepForms> forms = maker.forms(at_budget(request, ram_budget_bytes));
  return forms.ok() &&
         std::all_of(forms->forms.begin(), forms->forms.end(),
                     [ram_budget_bytes](const StepGraph& form) {
                       Problem problem = form.instance.problem;
                       problem.ram_budget_bytes = ram_budget_bytes;
                       return operations_fit(problem) &&
                              (!problem.deadline_s ||
                               within_deadline(unavoidable(problem).time_s, *problem.deadline_s)) &&
                              (!problem.write_budget_bytes ||
                               unavoidable_written_bytes(problem) <= *problem.write_budget_bytes);
                     });
}

// Where whole operations were asked for.
bool parts_may_fit(const FormsRequest& request, FormsMaker& maker, std::int64_t ram_budget_bytes) {
  FormsRequest cut = request;
  cut.question.training.parts_by_budget = true;
  if (request.question.training.parts_by_budget || !leaves_parts_open(cut.question)) return false;
  const std::vector<std::int64_t> levels = levels_to_try(ram_budget_bytes);
  return std::any_of(levels.begin(), levels.end(), [&](std::int64_t level) {
    cut.question.training.part_bytes = level;
    return may_fit(cut, maker, ram_budget_bytes);
  });
}

// What is found for one request in one budget.
class Ways {
 public:
  Ways(const FormsRequest& request, FormsMaker& maker, std::int64_t ram_budget_bytes,
       const std::function<bool(const FormsRequest&)>& has_plan)
      : request_(at_budget(request, ram_budget_bytes)),
        maker_(maker),
        ram_budget_bytes_(ram_budget_bytes),
        has_plan_(has_plan) {}

  // Options that have a plan, each by itself.
  std::vector<std::string> list() {
    try_parts();
    try_slices();
    try_micro_batches();
    try_smaller_batches();
    return std::move(list_);
  }

  // Whether there may be one in parts that was not found soon.
  bool parts_may_do() const { return parts_may_do_; }

 private:
  bool works(const FormsRequest& other) const {
    return may_fit(other, maker_, ram_budget_bytes_) && has_plan_(other);
  }

  // With the split of which it is known.
  void add(std::string option, const FormsRequest& other) {
    if (request_.is_split_chosen || other.micro_batches != request_.micro_batches)
      option += fmt::format(" --micro-batches {}", other.micro_batches);
    list_.push_back(std::move(option));
  }

  void try_parts() {
    FormsRequest cut = request_;
    cut.question.training.parts_by_budget = true;
    if (!parts_may_fit(request_, maker_, ram_budget_bytes_)) return;
    if (has_plan_(cut))
      add("--parts auto", cut);
    else
      parts_may_do_ = true;  // of a large network they are looked for longer than that
  }

  void try_slices() {
    if (request_.question.training.updates == Updates::Auto) return;  // they were tried
    const std::optional<FormsRequest> sliced = with_all_slices(request_, maker_, ram_budget_bytes_);
    if (sliced && has_plan_(*sliced)) add("--updates sliced", *sliced);
  }

  void try_micro_batches() {
    FormsRequest split = request_;
    split.micro_batches = request_.question.batch_size;
    if (request_.training && !request_.is_split_chosen && request_.micro_batches == 1 &&
        split.micro_batches > 1 && works(split))
      list_.emplace_back("--micro-batches auto");
  }

  // The largest of which there is a plan, among halves; split as it is, where that can be.
  void try_smaller_batches() {
    constexpr int kMostTries = 3;
    int tries = 0;
    FormsRequest fewer = request_;
    for (std::int64_t size = request_.question.batch_size / 2; size >= 1; size /= 2) {
      fewer.question.batch_size = size;
      fewer.micro_batches = size % request_.micro_batches == 0 ? request_.micro_batches : 1;
      if (!may_fit(fewer, maker_, ram_budget_bytes_)) continue;
      if (has_plan_(fewer)) {
        add(fmt::format("--batch-size {}", size), fewer);
        return;
      }
      if (++tries == kMostTries) return;
    }
  }

  FormsRequest request_;
  FormsMaker& maker_;
  std::int64_t ram_budget_bytes_;
  const std::function<bool(const FormsRequest&)>& has_plan_;
  std::vector<std::string> list_ = {};
  bool parts_may_do_ = false;
};

std::string one_of(const std::vector<std::string>& list) {
  std::string text = list.front();
  for (std::size_t k = 1; k < list.size(); ++k)
    text += (k + 1 == list.size() ? " or " : ", ") + list[k];
  return text;
}

}  // namespace

FormsRequest at_budget(FormsRequest request, std::int64_t ram_budget_bytes) {
  request.question.ram_budget = RamBytes{ram_budget_bytes};
  return request;
}

std::optional<FormsRequest> with_all_slices(const FormsRequest& request, FormsMaker& maker,
                                            std::int64_t ram_budget_bytes) {
  FormsRequest sliced = at_budget(request, ram_budget_bytes);
  sliced.question.training.updates = Updates::Sliced;
  if (!request.training || request.question.training.updates == Updates::Sliced ||
      !may_fit(sliced, maker, ram_budget_bytes))
    return std::nullopt;
  return sliced;
}

std::string ways_on(std::optional<std::int64_t> works_bytes, const FormsRequest& request,
                    FormsMaker& maker, std::int64_t ram_budget_bytes,
                    const std::function<bool(const FormsRequest&)>& has_plan) {
  std::string text;
  if (works_bytes)
    text += fmt::format("; the smallest budget found to work is --ram-budget {}", *works_bytes);
  Ways ways(request, maker, ram_budget_bytes, has_plan);
  const std::vector<std::string> list = ways.list();
  const std::string parts =
      ways.parts_may_do()
          ? "; operations in parts (--parts auto) may fit, and are looked for longer"
          : "";
  if (list.empty()) return text + parts;
  // Of a budget that was asked for as a part of something, in bytes: other steps have other parts.
  const std::optional<RamBudget>& asked = request.question.ram_budget;
  const bool is_of_bytes = !asked || std::holds_alternative<RamBytes>(*asked);
  const std::string in_budget =
      is_of_bytes ? "this one" : fmt::format("--ram-budget {}", ram_budget_bytes);
  return text +
         fmt::format("{} in {} there is a plan with {}", works_bytes ? ", and" : ";", in_budget,
                     one_of(list)) +
         parts;
}

}  // namespace poet
