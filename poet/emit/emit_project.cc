#include "poet/emit/emit_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/arena_texts.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/plan_text.h"
#include "poet/emit/project_files.h"
#include "poet/kernels/kernel_set.h"
#include "poet/layout/layout.h"
#include "poet/lower/lower_step.h"
#include "poet/lower/share_homes.h"
#include "poet/lower/step_program.h"

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

// The program of each form, for the kernels of poet/runtime: where the form's layout has everything
// in RAM, with slots of pages that begin at blocks of the storage, whatever the alignment in RAM.
// Of steps that check_step() is content with.
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

// What kernels want of addresses, and what C99 gives a static array.
constexpr std::int64_t kAlignmentBytes = 8;

Failure check_forms(const EmitRequest& request) {
  for (const EmittedForm& form : request.forms) {
    if (Failure failure = check_step(*form.step)) return failure;
    if (form.step->layout.alignment_bytes != kAlignmentBytes)
      return bad_input(fmt::format("the layout is aligned to {} bytes, and emitted C to {}",
                                   form.step->layout.alignment_bytes, kAlignmentBytes));
  }
  return std::nullopt;
}

Failure check_prediction(const EmitRequest& request) {
  if (!request.prediction) return std::nullopt;
  const Graph& graph = request.forms.back().step->graph;
  const TensorType& type = at(graph.tensors, graph.outputs.front()).type;
  if (type.element == ElementType::Float32) return std::nullopt;
  return bad_input(fmt::format("poet_predict() gives floats, and the network's output '{}' is {}",
                               at(graph.tensors, graph.outputs.front()).name, to_text(type)));
}

// Where a passage for checkpoints begins: above all that stays in the arena of the RAM.
std::int64_t residents_end(const std::vector<StepProgram>& programs) {
  std::int64_t end_bytes = 0;
  const auto stays = [&end_bytes](const BytePlace& place) {
    if (place.space == AddressSpace::Arena && place.memory == kFastRam)
      end_bytes = std::max(end_bytes, place.end_bytes());
  };
  for (const StepProgram& program : programs) {
    for (const TensorPlace& home : program.kept) stays(home.place);
    for (const StepWork& work : program.begin)
      if (const auto* const words = std::get_if<StepWordsFeed>(&work))
        stays(words->value);
      else
        stays(std::get<InputFeed>(work).value);
  }
  return (end_bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

std::int64_t pages_bytes(const std::vector<StepProgram>& programs) {
  std::int64_t bytes = 0;
  for (const StepProgram& program : programs) bytes = std::max(bytes, program.storage_bytes);
  return bytes;
}

// What a step writes. Of rows of a table nobody knows which they will be: they are taken for the
// first one again and again, and so for one block, which wears it most.
std::vector<StorageWrite> writes_of(const std::vector<EmittedForm>& forms,
                                    const std::vector<StepProgram>& programs,
                                    std::int64_t pages_begin) {
  std::vector<StorageWrite> writes;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    for (const StepInstruction& instruction : programs[k].instructions) {
      if (const auto* const page = std::get_if<PageWrite>(&instruction.work))
        writes.push_back({.offset_bytes = pages_begin + page->storage.offset_bytes,
                          .size_bytes = page->storage.size_bytes,
                          .times = forms[k].times});
      if (const auto* const rows = std::get_if<StoredRowUpdate>(&instruction.work))
        writes.push_back({.offset_bytes = pages_begin + rows->table.offset_bytes,
                          .size_bytes = rows->row_bytes,
                          .times = forms[k].times * (rows->gradient.size_bytes / rows->row_bytes)});
    }
  }
  return writes;
}

Failure check_passage(std::int64_t bytes, std::int64_t block_bytes) {
  if (bytes >= block_bytes && bytes > 0) return std::nullopt;
  return bad_input(fmt::format(
      "between two steps {} bytes of the arena are free, and checkpoints pass through them in "
      "blocks of {}: give more RAM, or smaller blocks of storage",
      bytes, block_bytes));
}

}  // namespace

Result<EmittedProject> emit_project(const EmitRequest& request) {
  if (Failure failure = check_forms(request)) return *failure;
  if (Failure failure = check_prediction(request)) return *failure;
  const std::int64_t block_bytes = std::max(request.board.storage_block_bytes, kAlignmentBytes);
  const Result<std::vector<StepProgram>> programs = board_programs(request.forms, block_bytes);
  if (!programs.ok()) return programs.error();
  EmittedProject project{.kept = kept_values(request.forms, *programs)};
  Result<StorageMap> map = storage_map(project.kept, pages_bytes(*programs), block_bytes,
                                       std::max(request.board.storage_erase_bytes, block_bytes));
  if (!map.ok()) return map.error();
  project.storage = *map;
  project.fingerprint = fingerprint_of(request, project.kept);

  const std::int64_t passage_begin = residents_end(*programs);
  if (Failure failure = check_passage(request.arena_bytes - passage_begin, block_bytes))
    return *failure;
  const bool overlapped = std::any_of(
      programs->begin(), programs->end(),
      [](const StepProgram& program) { return program.time_mode == TimeMode::Overlapped; });
  project.overlapped = overlapped;
  FormParts parts{
      .tables = StepTables(coded_arenas(request), block_bytes, request.calls_hook, overlapped),
      .overlapped = overlapped};
  for (std::size_t k = 0; k < request.forms.size(); ++k)
    if (Failure failure =
            add_form(request.forms[k], (*programs)[k], project.storage.pages_begin(), parts))
      return *failure;
  Result<ValueTexts> values = value_texts(request, project, *programs, parts);
  if (!values.ok()) return values.error();
  project.rom_bytes = parts.rom.bytes();
  project.wear = storage_wear(writes_of(request.forms, *programs, project.storage.pages_begin()),
                              project.storage, request.board.wear, request.daily_use);
  project.files = project_files(request, project, parts,
                                {.values = *std::move(values), .passage_begin = passage_begin});
  project.actions = std::move(parts.actions);
  return project;
}

}  // namespace poet
