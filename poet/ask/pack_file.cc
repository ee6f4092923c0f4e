#include "poet/ask/pack_file.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "poet/ask/stop_warning.h"
#include "poet/base/text_file.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

Failure refuse_alignment(std::int64_t alignment) {
  if (alignment >= 1 && alignment <= kLargestAlignmentBytes && (alignment & (alignment - 1)) == 0)
    return std::nullopt;
  return bad_input(
      fmt::format("an alignment is a power of two of at most 1 GiB, found {}", alignment));
}

using Progress = std::function<void(const PackProgress&)>;

Result<PackAnswer> pack_table(const PackRequest& request, const std::string& text, const Stop& stop,
                              const Progress& progress) {
  const Result<PackingTable> table = parse_packing_table(text, request.path);
  if (!table.ok()) return table.error();
  const PackReport report = pack(table->blocks, {.alignment = request.alignment_bytes,
                                                 .capacity = request.capacity_bytes,
                                                 .max_nodes = request.max_nodes,
                                                 .seed = request.seed,
                                                 .stop = stop,
                                                 .progress = progress});
  return PackAnswer{.request = request,
                    .buffers = static_cast<std::int64_t>(table->blocks.size()),
                    .height_bytes = report.packing.height,
                    .lower_bound_bytes = report.lower_bound,
                    .nodes = report.nodes,
                    .packed_text = packing_table_text(*table, report.packing.offsets)};
}

Result<PackAnswer> pack_plan(const PackRequest& request, const std::string& text, const Stop& stop,
                             const Progress& progress) {
  const Result<LaidOutPlan> read = parse_laid_out_plan(text, request.path);
  if (!read.ok()) return read.error();
  const Plan& plan = read->plan;
  PackAnswer answer{.request = request,
                    .buffers = static_cast<std::int64_t>(plan.buffers.size()),
                    .ram_budget_bytes = plan.problem.ram_budget_bytes,
                    .peak_ram_bytes = replay(plan.problem, plan.schedule).peak_ram_bytes};
  const auto counted = [&](const PackProgress& now) {
    answer.nodes = now.nodes;
    if (progress) progress(now);
  };
  Result<Layout> layout = make_layout(plan, {.alignment_bytes = request.alignment_bytes,
                                             .capacity_bytes = request.capacity_bytes,
                                             .max_nodes = request.max_nodes,
                                             .stop = stop,
                                             .progress = counted});
  if (!layout.ok()) return layout.error();
  POET_CHECK(!check_layout(plan, *layout));
  answer.height_bytes = layout->arena_bytes;
  answer.lower_bound_bytes = layout->arena_lower_bound_bytes;
  answer.packed_text = laid_out_plan_text(plan, *layout);
  answer.layout = *std::move(layout);
  return answer;
}

}  // namespace

Result<PackAnswer> pack_file(const PackRequest& request, const Stop& stop,
                             const std::function<void(const PackProgress&)>& progress) {
  if (const Failure refused = refuse_alignment(request.alignment_bytes)) return *refused;
  const double begin_s = stop.now_s();
  PackRequest one = request;
  if (!one.text) {
    Result<std::string> text = read_text_file(one.path);
    if (!text.ok()) return text.error();
    one.text = *std::move(text);
  }
  const std::string text = *std::exchange(one.text, std::nullopt);
  Result<PackAnswer> answer = one.path.ends_with(".json") ? pack_plan(one, text, stop, progress)
                                                          : pack_table(one, text, stop, progress);
  if (!answer.ok()) return answer;
  answer->pack_s = stop.now_s() - begin_s;
  if (!answer->proved())
    if (std::optional<std::string> warning = stop_warning(stop))
      answer->warnings.push_back(*std::move(warning));
  return answer;
}

}  // namespace poet
