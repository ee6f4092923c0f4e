#include "poet/emit/transfer_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "poet/emit/c_text.h"
#include "poet/emit/project_texts.h"

namespace poet {
namespace {

// Of 16 bytes each. A step that would have more of them under way waits for the first.
constexpr std::int64_t kMostQueued = 16;

// A power of two, so that its places go on counting where numbers begin again.
std::int64_t queue_of(const FormParts& parts) {
  const std::int64_t under_way = std::clamp<std::int64_t>(parts.most_under_way, 1, kMostQueued);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(under_way)));
}

}  // namespace

std::string if_overlapped(const FormParts& parts, std::string text) {
  return parts.overlapped ? std::move(text) : std::string();
}

std::string of_transfers(const FormParts& parts, std::string_view name) {
  return if_overlapped(
      parts, filled_in(project_text(name).text, {{"QUEUE", fmt::format("{}", queue_of(parts))}}));
}

std::string transfers_include(const FormParts& parts) {
  return if_overlapped(parts, "#include \"poet/runtime/transfers.h\"\n");
}

std::string transfers_state(const FormParts& parts) {
  return if_overlapped(
      parts, fmt::format("\nstatic poet_transfer queue[{0}];\n"
                         "static poet_transfers transfers = {{.queue = queue, .size = {0}u}};\n",
                         queue_of(parts)));
}

std::string drain_text(const FormParts& parts) {
  return if_overlapped(parts, "  poet_transfers_drain(&transfers);\n");
}

std::string transfers_init(const FormParts& parts, std::size_t indent) {
  return if_overlapped(parts, std::string(indent, ' ') + ".transfers = &transfers,\n");
}

}  // namespace poet
