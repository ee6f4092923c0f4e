#include "poet/tell/profile_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/profile/power_profile.h"
#include "poet/report/figure_text.h"
#include "poet/tell/text_table.h"

namespace poet {
namespace {

constexpr std::size_t kMostRows = 20;

double step_s(const MeasuredOperation& operation) {
  return operation.seconds * static_cast<double>(operation.uses);
}

std::vector<MeasuredOperation> most_expensive_first(const MeasuredCosts& costs) {
  std::vector<MeasuredOperation> operations = costs.operations;
  std::stable_sort(
      operations.begin(), operations.end(),
      [](const MeasuredOperation& a, const MeasuredOperation& b) { return step_s(a) > step_s(b); });
  return operations;
}

std::string table_text(const ProfileReport& report) {
  TextTable table{{{"of the step"}, {"times"}, {"each"}, {"spread"}, {"operation", Align::Left}},
                  {}};
  const std::vector<MeasuredOperation> operations = most_expensive_first(report.costs);
  for (std::size_t i = 0; i < std::min(operations.size(), kMostRows); ++i) {
    const MeasuredOperation& one = operations[i];
    const double part = report.timed_s > 0 ? step_s(one) / report.timed_s : 0;
    const double spread = one.seconds > 0 ? one.spread_s / one.seconds : 0;
    table.rows.push_back({percent_figure(part), count_figure(one.uses), time_figure(one.seconds),
                          percent_figure(spread), one.key});
  }
  std::string text = to_text(table);
  if (operations.size() > kMostRows)
    text += fmt::format("and {} more\n", operations.size() - kMostRows);
  return text;
}

std::string profile_line(std::string_view what, const std::string& figure,
                         const std::string& rest) {
  return fmt::format("  {:<12}{:<18}{}\n", what, figure, rest);
}

std::string device_lines(const ProfileReport& report) {
  if (!report.device) return "";
  const Device& device = *report.device;
  const auto link = [](const StorageLink& one) {
    return fmt::format("after {}", time_figure(one.latency_s));
  };
  const auto rate = [](double bytes_per_s) {
    return fmt::format("{:.4g} GB/s", bytes_per_s / 1e9);
  };
  return profile_line("RAM", rate(device.ram_bytes_per_s.value_or(0)), "copying") +
         profile_line("reading", rate(device.storage.read.rate_bytes_per_s),
                      link(device.storage.read)) +
         profile_line("writing", rate(device.storage.write.rate_bytes_per_s),
                      link(device.storage.write));
}

// "36.21 uJ", "71.5 nJ": of a byte and of an operation alike.
std::string small_figure(double value, std::string_view unit) {
  struct Prefix {
    double size;
    std::string_view text;
  };
  constexpr Prefix kPrefixes[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
  for (const Prefix& prefix : kPrefixes)
    if (value >= prefix.size)
      return fmt::format("{:.4g} {}{}", value / prefix.size, prefix.text, unit);
  return fmt::format("{:.3g} {}", value, unit);
}

std::string error_figure(const TermFigure& figure) {
  if (!figure.error) return "";
  return figure.value > 0 ? percent_figure(*figure.error / figure.value) : "";
}

std::vector<const PowerTerm*> most_joules_first(const PowerLogReport& power) {
  std::vector<const PowerTerm*> terms;
  for (const PowerTerm& term : power.terms) terms.push_back(&term);
  std::stable_sort(terms.begin(), terms.end(), [](const PowerTerm* a, const PowerTerm* b) {
    return a->uses * a->fit.joules.value > b->uses * b->fit.joules.value;
  });
  return terms;
}

std::string note_of(const TermFit& fit) {
  if (fit.together == 0) return "";
  return fmt::format("{}{}", fit.divided ? "divided " : "not told apart ", fit.together);
}

std::string term_table(const PowerLogReport& power) {
  TextTable table{{{"of the step"},
                   {"times"},
                   {"joules of one"},
                   {"+-"},
                   {"time of one"},
                   {"+-"},
                   {"apart", Align::Left},
                   {"what", Align::Left}},
                  {}};
  const std::vector<const PowerTerm*> terms = most_joules_first(power);
  const double step_j = power.rows.step_j();
  for (std::size_t k = 0; k < std::min(terms.size(), kMostRows); ++k) {
    const PowerTerm& term = *terms[k];
    const TermFit& fit = term.fit;
    const bool known = fit.is_known();
    const double part = step_j > 0 ? term.uses * fit.joules.value / step_j : 0;
    table.rows.push_back(
        {known ? percent_figure(part) : "?", count_figure(static_cast<std::int64_t>(term.uses)),
         known ? small_figure(fit.joules.value, "J") : "?", known ? error_figure(fit.joules) : "",
         known ? small_figure(fit.seconds.value, "s") : "?", known ? error_figure(fit.seconds) : "",
         note_of(fit), one_line(term.name)});
  }
  std::string text = to_text(table);
  if (terms.size() > kMostRows) text += fmt::format("and {} more\n", terms.size() - kMostRows);
  return text;
}

std::string power_log_text(const ProfileReport& report) {
  const PowerLogReport& power = *report.power;
  std::string text =
      fmt::format("{} on a board, {}\n\n{}\n", one_line(report.request.network.model),
                  report.costs.measured, term_table(power));
  text += profile_line(
      "step", time_figure(power.rows.step_s()),
      fmt::format("{} above idle, the mean of {}", small_figure(power.rows.step_j(), "J"),
                  counted(power.rows.all_steps(), "step")));
  text +=
      profile_line("idle", small_figure(std::max(0.0, power.rows.idle_w), "W"), "between steps");
  text += profile_line("missed", percent_figure(power.fit.joules_residual_ratio),
                       fmt::format("of the joules and {} of the seconds, by {} rows; most at {}",
                                   percent_figure(power.fit.seconds_residual_ratio),
                                   count_figure(std::ssize(power.rows.rows)), power.worst));
  if (power.rows.stretch > 0)
    text += profile_line("time", fmt::format("{:.4g} times", power.rows.stretch),
                         "what was expected of a step");
  return text + profile_line("power", fmt::format("{:.4g} W", report.costs.active_power_w),
                             "above idle, while it computes");
}

JsonOut power_to_json(const PowerLogReport& power) {
  JsonOut terms = JsonOut::array();
  for (const PowerTerm& term : power.terms) {
    const TermFit& fit = term.fit;
    const auto figure = [&fit](double value) {
      return fit.is_known() ? JsonOut(value) : JsonOut(nullptr);
    };
    terms.push_back({{"kind", name_of(kTermKinds, term.kind)},
                     {"name", term.name},
                     {"uses", term.uses},
                     {"joules", figure(fit.joules.value)},
                     {"joules_error", or_null(fit.joules.error)},
                     {"seconds", figure(fit.seconds.value)},
                     {"seconds_error", or_null(fit.seconds.error)},
                     {"together", fit.together},
                     {"divided", fit.divided}});
  }
  return {{"log", power.log},
          {"aligned_by", name_of(kLogAlignments, power.rows.how)},
          {"steps", power.rows.all_steps()},
          {"left_out", power.rows.left_out},
          {"sample_s", power.rows.sample_s},
          {"idle_w", power.rows.idle_w},
          {"step_s", power.rows.step_s()},
          {"step_j", power.rows.step_j()},
          {"stretch", power.rows.stretch > 0 ? JsonOut(power.rows.stretch) : JsonOut(nullptr)},
          {"rows", power.rows.rows.size()},
          {"joules_residual_ratio", power.fit.joules_residual_ratio},
          {"seconds_residual_ratio", power.fit.seconds_residual_ratio},
          {"worst", power.worst},
          {"worst_row_j", power.fit.worst_row_j},
          {"converged", power.fit.converged},
          {"terms", terms}};
}

}  // namespace

std::string profile_text(const ProfileReport& report) {
  if (report.power) return power_log_text(report);
  std::string text = fmt::format(
      "{} on {}\n{} different operations of {}, timed with {} kernels\n\n{}\n",
      one_line(report.request.network.model), one_line(report.costs.machine),
      count_figure(std::ssize(report.costs.operations)), count_figure(report.operations),
      kernel_set_name(report.request.network.kernels), table_text(report));
  text += profile_line("step", time_figure(report.timed_s), "the sum of the medians");
  if (report.pass_s)
    text += profile_line(
        "whole pass", time_figure(report.pass_s->median),
        fmt::format("{:.3f} of that sum; quartiles {} and {}",
                    report.pass_s->median / report.timed_s, time_figure(report.pass_s->first),
                    time_figure(report.pass_s->third)));
  if (report.timed_s > 0)
    text += profile_line("computing",
                         fmt::format("{:.4g} MFLOP/s",
                                     static_cast<double>(report.timed_flop) / report.timed_s / 1e6),
                         fmt::format("{:.4g} MFLOP", static_cast<double>(report.timed_flop) / 1e6));
  text += device_lines(report);
  return text + profile_line("power", fmt::format("{:.4g} W", report.costs.active_power_w),
                             report.costs.power_source);
}

JsonOut profile_to_json(const ProfileReport& report) {
  const auto transfers = [](const std::vector<TransferTime>& times) {
    JsonOut list = JsonOut::array();
    for (const TransferTime& time : times)
      list.push_back({{"size_bytes", time.size_bytes}, {"seconds", time.seconds}});
    return list;
  };
  JsonOut out = {{"format", "poet-profile"}, {"version", 1}};
  out["model"] = report.request.network.model;
  out["batch_size"] = report.request.network.batch_size;
  out["machine"] = report.costs.machine;
  out["measured"] = report.costs.measured;
  out["kernels"] = kernel_set_name(report.request.network.kernels);
  out["complete"] = report.costs.complete;
  out["operation_count"] = report.operations;
  out["different_count"] = report.different;
  out["timed_count"] = report.costs.operations.size();
  out["step_s"] = report.timed_s;
  out["pass_s"] = nullptr;
  if (report.pass_s)
    out["pass_s"] = {{"first", report.pass_s->first},
                     {"median", report.pass_s->median},
                     {"third", report.pass_s->third}};
  out["step_j"] = report.timed_j;
  out["step_flop"] = report.timed_flop;
  out["active_power_w"] = report.costs.active_power_w;
  out["power_source"] = report.costs.power_source;
  out["device"] = report.device ? JsonOut(report.device->name) : JsonOut(nullptr);
  out["reads"] = report.storage ? transfers(report.storage->reads) : JsonOut(nullptr);
  out["writes"] = report.storage ? transfers(report.storage->writes) : JsonOut(nullptr);
  if (report.power) out["power_log"] = power_to_json(*report.power);
  out["warnings"] = report.warnings;
  return out;
}

}  // namespace poet
