#include "poet/layout/layout_file.h"

#include <limits>

#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/base/text_file.h"
#include "poet/plan/plan_file.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What a file has for an offset that is not there.
constexpr std::int64_t kNoOffset = -1;
constexpr WholeRange kOffsetOrNone{kNoOffset, std::int64_t{1} << 62};

std::vector<std::optional<std::int64_t>> read_offsets(JsonObject& object, std::string_view key) {
  std::vector<std::optional<std::int64_t>> offsets;
  for (const std::int64_t offset : object.wholes(key, kOffsetOrNone))
    offsets.push_back(offset == kNoOffset ? std::nullopt : std::optional(offset));
  return offsets;
}

std::vector<std::int64_t> offsets_in_file(const std::vector<std::optional<std::int64_t>>& offsets) {
  std::vector<std::int64_t> numbers;
  for (const std::optional<std::int64_t>& offset : offsets)
    numbers.push_back(offset.value_or(kNoOffset));
  return numbers;
}

FurtherArena read_further_arena(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "a further arena", reader);
  FurtherArena arena;
  arena.size_bytes = object.whole("size_bytes", kSizeRange);
  arena.lower_bound_bytes = object.whole("lower_bound_bytes", kSizeRange);
  arena.proved = object.flag("proved");
  object.finish();
  return arena;
}

Layout read_layout(const JsonValue& value, JsonReader& reader) {
  JsonObject object(value, "'layout'", reader);
  Layout layout;
  object.format("poet-layout", 1);
  if (reader.failure()) return layout;
  layout.alignment_bytes = object.whole("alignment_bytes", kSizeRange);
  layout.arena_bytes = object.whole("arena_bytes", kSizeRange);
  layout.arena_lower_bound_bytes = object.whole("arena_lower_bound_bytes", kSizeRange);
  layout.arena_proved = object.flag("arena_proved");
  if (object.has("further_arenas"))
    for (const JsonValue& arena : object.list("further_arenas"))
      layout.further_arenas.push_back(read_further_arena(arena, reader));
  layout.storage_bytes = object.whole("storage_bytes", kSizeRange);
  layout.buffer_offset_bytes = object.wholes("buffer_offset_bytes", kSizeRange);
  layout.workspace_offset_bytes = read_offsets(object, "workspace_offset_bytes");
  layout.slot_offset_bytes = read_offsets(object, "slot_offset_bytes");
  object.finish();
  return layout;
}

std::optional<Layout> read_layout_of(const Plan& plan, const JsonValue& document,
                                     JsonReader& reader) {
  JsonObject object(document, "the plan", reader);
  if (!object.has("layout")) return std::nullopt;
  const JsonValue& member = object.member("layout");
  Layout layout = read_layout(member, reader);
  if (reader.failure()) return std::nullopt;
  if (!breaks_only_limits(replay(plan.problem, plan.schedule)))
    reader.refuse(member, "a plan whose schedule breaks rules has no layout");
  else if (const Failure broken = check_layout(plan, layout))
    reader.refuse(member, "the layout does not hold: " + broken->message);
  return layout;
}

}  // namespace

JsonOut layout_to_json(const Layout& layout) {
  JsonOut out = JsonOut::object();
  out["format"] = "poet-layout";
  out["version"] = 1;
  out["alignment_bytes"] = layout.alignment_bytes;
  out["arena_bytes"] = layout.arena_bytes;
  out["arena_lower_bound_bytes"] = layout.arena_lower_bound_bytes;
  out["arena_proved"] = layout.arena_proved;
  for (const FurtherArena& arena : layout.further_arenas)
    out["further_arenas"].push_back({{"size_bytes", arena.size_bytes},
                                     {"lower_bound_bytes", arena.lower_bound_bytes},
                                     {"proved", arena.proved}});
  out["storage_bytes"] = layout.storage_bytes;
  out["buffer_offset_bytes"] = layout.buffer_offset_bytes;
  out["workspace_offset_bytes"] = offsets_in_file(layout.workspace_offset_bytes);
  out["slot_offset_bytes"] = offsets_in_file(layout.slot_offset_bytes);
  return out;
}

std::string laid_out_plan_text(const Plan& plan, const Layout& layout) {
  JsonOut out = plan_to_json(plan);
  out["layout"] = layout_to_json(layout);
  return json_text(out);
}

Result<LaidOutPlan> parse_laid_out_plan(std::string_view text, const std::string& file) {
  Result<Plan> plan = parse_plan(text, file);
  if (!plan) return plan.error();
  const Result<JsonValue> json = parse_json(text, file);
  if (!json) return json.error();
  JsonReader reader(file);
  LaidOutPlan both;
  both.plan = *std::move(plan);
  both.layout = read_layout_of(both.plan, *json, reader);
  if (reader.failure()) return *reader.failure();
  return both;
}

Failure save_laid_out_plan(const Plan& plan, const Layout& layout, const std::string& path) {
  return write_text_file(path, laid_out_plan_text(plan, layout));
}

}  // namespace poet
