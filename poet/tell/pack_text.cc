#include "poet/tell/pack_text.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"

namespace poet {
namespace {

std::string verdict(const PackAnswer& answer) {
  if (!answer.request.capacity_bytes)
    return answer.proved() ? "as low as it can be, proved"
                           : "the lowest that was found, not proved lowest";
  const std::string capacity = bytes_text(*answer.request.capacity_bytes);
  if (answer.fits()) return fmt::format("fits into {}", capacity);
  return answer.proved()
             ? fmt::format("does not fit into {}, proved", capacity)
             : fmt::format("no packing into {} was found, and none is excluded", capacity);
}

// What lies idle at the fullest moment, because the gaps between buffers cannot be used.
std::string fragmentation(const PackAnswer& answer) {
  const std::int64_t idle = answer.height_bytes - answer.peak_ram_bytes;
  return fmt::format("{}, {:.2f} % of the arena", bytes_text(idle),
                     answer.height_bytes == 0 ? 0.0
                                              : 100 * static_cast<double>(idle) /
                                                    static_cast<double>(answer.height_bytes));
}

}  // namespace

std::string pack_text(const PackAnswer& answer) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"height", grouped_digits(answer.height_bytes) + " bytes"},
      {"lower bound", grouped_digits(answer.lower_bound_bytes) + " bytes"}};
  if (answer.layout) {
    rows[0].first = "arena";
    rows.push_back({"RAM budget", grouped_digits(answer.ram_budget_bytes) + " bytes"});
    rows.push_back({"in use at most", grouped_digits(answer.peak_ram_bytes) + " bytes"});
    rows.push_back({"fragmentation", fragmentation(answer)});
    rows.push_back({"storage", grouped_digits(answer.layout->storage_bytes) + " bytes"});
  }
  std::string text = fmt::format("{}: {}\n{}, after {}, {}\n\n", answer.request.path,
                                 counted(answer.buffers, "buffer"), verdict(answer),
                                 time_figure(answer.pack_s), counted(answer.nodes, "node"));
  for (const auto& [name, value] : rows) text += fmt::format("  {:<16}{}\n", name, value);
  return text;
}

JsonOut pack_to_json(const PackAnswer& answer) {
  JsonOut out = JsonOut::object();
  out["file"] = answer.request.path;
  out["buffers"] = answer.buffers;
  out["capacity_bytes"] = or_null(answer.request.capacity_bytes);
  out["alignment_bytes"] = answer.request.alignment_bytes;
  out["height_bytes"] = answer.height_bytes;
  out["lower_bound_bytes"] = answer.lower_bound_bytes;
  out["fits"] = answer.fits();
  out["proved"] = answer.proved();
  out["nodes"] = answer.nodes;
  out["pack_s"] = answer.pack_s;
  if (answer.layout) {
    out["ram_budget_bytes"] = answer.ram_budget_bytes;
    out["peak_ram_bytes"] = answer.peak_ram_bytes;
    out["storage_bytes"] = answer.layout->storage_bytes;
  }
  out["warnings"] = answer.warnings;
  return out;
}

}  // namespace poet
