#include "poet/emit/board_programs.h"

#include <limits>
#include <utility>

#include "poet/kernels/kernel_set.h"
#include "poet/layout/layout.h"
#include "poet/lower/lower_step.h"
#include "poet/lower/share_homes.h"

namespace poet {
namespace {

// Any arena will do: only its slots are looked at.
constexpr std::int64_t kAnyCapacity = std::numeric_limits<std::int64_t>::max() / 8;

// The forms laid out once more, for the storage's alignment.
Result<std::vector<RunnableStep>> laid_out_in_blocks(const std::vector<EmittedForm>& forms,
                                                     std::int64_t block_bytes) {
  std::vector<RunnableStep> steps;
  for (const EmittedForm& form : forms) {
    RunnableStep step = *form.step;
    Result<Layout> layout =
        make_layout(step.plan, {.alignment_bytes = block_bytes, .capacity_bytes = kAnyCapacity});
    if (!layout.ok()) return layout.error();
    step.layout = *std::move(layout);
    steps.push_back(std::move(step));
  }
  if (Failure failure = share_homes(steps)) return *failure;
  return steps;
}

}  // namespace

Result<std::vector<StepProgram>> board_programs(const std::vector<EmittedForm>& forms,
                                                std::int64_t block_bytes) {
  const Result<std::vector<RunnableStep>> in_blocks = laid_out_in_blocks(forms, block_bytes);
  if (!in_blocks.ok()) return in_blocks.error();
  std::vector<StepProgram> programs;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    const RunnableStep& step = *forms[k].step;
    Layout layout = step.layout;
    layout.slot_offset_bytes = (*in_blocks)[k].layout.slot_offset_bytes;
    layout.storage_bytes = (*in_blocks)[k].layout.storage_bytes;
    Result<StepProgram> program =
        checked_program(step.graph, step.plan, layout,
                        {.workspace_bytes = workspaces_of(step.graph, plain_kernels())});
    if (!program.ok()) return program.error();
    programs.push_back(*std::move(program));
  }
  return programs;
}

}  // namespace poet
