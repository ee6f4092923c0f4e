#include "poet/tell/worth_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "poet/ask/question.h"
#include "poet/ask/status_name.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/report/figure_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

constexpr std::size_t kMostLayers = 10;  // of which a text says the gain
constexpr std::size_t kMostWords = 44;   // of what is trained, in a table

// Names of many layers do not fit into a table; JSON and the last line have them.
std::string shortened(const std::string& train) {
  return train.size() <= kMostWords ? train : train.substr(0, kMostWords - 3) + "...";
}

std::string part_of_gain(double gain, double all) {
  return all > 0 ? percent_figure(gain / all) : short_number(gain, 6);
}

std::string limits_text(const WorthReport& report) {
  std::string text = bytes_text(report.ram_budget_bytes) + " of RAM";
  if (report.question.deadline)
    text += ", " + time_figure(std::get<DeadlineSeconds>(*report.question.deadline).seconds);
  if (report.energy_budget_j) text += ", " + energy_figure(*report.energy_budget_j);
  return text;
}

std::string least_text(const WorthRow& row) {
  if (!row.least_bytes) return "none found";
  return (*row.least_bytes == row.proved_bytes ? "" : "<= ") + count_figure(*row.least_bytes);
}

std::vector<std::string> cells(const WorthReport& report, std::size_t place) {
  const WorthRow& row = report.rows[place];
  return {shortened(row.choice.train),
          fmt::format("{}", fmt::join(row.choice.ways, ", ")),
          count_figure(row.choice.values),
          part_of_gain(row.choice.gain, gain_of_all(report)),
          least_text(row),
          row.energy_j ? energy_figure(*row.energy_j) : "",
          row.time_s ? time_figure(*row.time_s) : "",
          report.best == place ? "best"
          : row.fits           ? "fits"
          : row.energy_j       ? "too much energy"
                               : "no plan"};
}

std::string layers_table(const WorthReport& report) {
  TextTable table{{{"layer", Align::Left}, {"values"}, {"gain"}}, {}};
  const double all = gain_of_all(report);
  for (std::size_t k = 0; k < std::min(report.layers.size(), kMostLayers); ++k) {
    const LayerGain& layer = report.layers[k];
    table.rows.push_back({layer.layer, count_figure(layer.values), part_of_gain(layer.gain, all)});
  }
  std::string text = to_text(table);
  if (report.layers.size() > kMostLayers)
    text += fmt::format("... and {}\n",
                        counted(std::ssize(report.layers) - std::ssize(table.rows), "layer"));
  return text;
}

std::string verdict_text(const WorthReport& report) {
  if (!report.best)
    return fmt::format("Nothing that was looked at can be trained in {}.\n", limits_text(report));
  const TrainingChoice& best = report.rows[*report.best].choice;
  return fmt::format("Worth most in {}: --train {}\n", limits_text(report), best.train) +
         "It is the best of the rows above; other choices were not looked at.\n";
}

std::string adapters_line(const WorthReport& report) {
  const std::optional<LowRankAdapters> adapters = adapters_of(report.question);
  if (!adapters) return "";
  return fmt::format("beside {}: {} values, {} of the gain, in every row; all: these alone\n",
                     adapters_text(*adapters), count_figure(report.adapters.values),
                     part_of_gain(report.adapters.gain, gain_of_all(report)));
}

JsonOut row_to_json(const WorthRow& row) {
  return {{"train", row.choice.train},
          {"ways", row.choice.ways},
          {"trained_count", row.choice.values},
          {"gain", row.choice.gain},
          {"fits", row.fits},
          {"why_not", row.why_not.empty() ? JsonOut(nullptr) : JsonOut(row.why_not)},
          {"status", status_name(row.status)},
          {"energy_j", or_null(row.energy_j)},
          {"time_s", or_null(row.time_s)},
          {"peak_ram_bytes", or_null(row.peak_ram_bytes)},
          {"least_bytes", or_null(row.least_bytes)},
          {"proved_bytes", row.proved_bytes}};
}

}  // namespace

std::string worth_text(const WorthReport& report) {
  const PlanOrigin& origin = report.question.origin;
  std::string text =
      fmt::format("{} on {}, batch size {}, {}\ngain: {}\n\n", origin.model, origin.platform,
                  report.question.batch_size, limits_text(report), report.gains.source);
  text += adapters_line(report);
  text += layers_table(report) + "\n";
  TextTable table{{{"trained", Align::Left},
                   {"way", Align::Left},
                   {"values"},
                   {"gain"},
                   {"least RAM, B"},
                   {"energy"},
                   {"time"},
                   {"", Align::Left}},
                  {}};
  for (std::size_t k = 0; k < report.rows.size(); ++k) table.rows.push_back(cells(report, k));
  return text + to_text(table) + "\n" + verdict_text(report);
}

JsonOut worth_to_json(const WorthReport& report) {
  const PlanOrigin& origin = report.question.origin;
  JsonOut out = {{"format", "poet-worth"}, {"version", 1}};
  out["model"] = origin.model;
  out["platform"] = origin.platform;
  out["batch_size"] = report.question.batch_size;
  out["ram_budget_bytes"] = report.ram_budget_bytes;
  out["deadline_s"] = report.question.deadline
                          ? JsonOut(std::get<DeadlineSeconds>(*report.question.deadline).seconds)
                          : JsonOut(nullptr);
  out["energy_budget_j"] = or_null(report.energy_budget_j);
  out["gain_source"] = report.gains.source;
  out["gain_of_all"] = gain_of_all(report);
  const std::optional<LowRankAdapters> adapters = adapters_of(report.question);
  out["adapters"] = adapters ? JsonOut(adapters_text(*adapters)) : JsonOut(nullptr);
  out["adapters_gain"] = report.adapters.gain;
  out["layers"] = JsonOut::array();
  for (const LayerGain& layer : report.layers)
    out["layers"].push_back(
        {{"layer", layer.layer}, {"value_count", layer.values}, {"gain", layer.gain}});
  out["choices"] = JsonOut::array();
  for (const WorthRow& row : report.rows) out["choices"].push_back(row_to_json(row));
  out["best"] = report.best ? JsonOut(report.rows[*report.best].choice.train) : JsonOut(nullptr);
  out["ended_by_clock"] = report.ended_by_clock;
  out["warnings"] = report.warnings;
  return out;
}

}  // namespace poet
