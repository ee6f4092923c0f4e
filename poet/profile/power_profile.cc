#include "poet/profile/power_profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/cost/measured_costs.h"
#include "poet/deliver/announced_project.h"
#include "poet/device/boards.h"
#include "poet/device/device_file.h"
#include "poet/device/device_text.h"
#include "poet/measure/power_fit.h"

namespace poet {
namespace {

// A fit that misses more of what was measured is warned of.
constexpr double kLargeResidual = 0.05;

// What is known of the step before the log is looked at.
struct ExpectedStep {
  std::vector<PowerTerm> terms = {};
  std::vector<LoggedAction> actions = {};
};

std::set<std::int64_t> sizes_of(const AnnouncedProject& project, std::string_view what) {
  std::set<std::int64_t> sizes;
  for (const AnnouncedAction& action : project.step)
    if (action.what == what) sizes.insert(action.bytes);
  return sizes;
}

// Gathers the unknowns of a step, each once.
class StepTerms {
 public:
  StepTerms(const AnnouncedProject& project, const std::optional<MeasuredCosts>& costs,
            const std::optional<Device>& device)
      : costs_(costs),
        device_(device),
        read_sizes_(sizes_of(project, "read")),
        write_sizes_(sizes_of(project, "write")) {}

  // `left_out`: what is neither an operation of a cost table nor a transfer, and no unknown.
  ExpectedStep take(const AnnouncedProject& project, const std::set<std::string>& left_out) {
    for (const AnnouncedAction& action : project.step) {
      LoggedAction logged;
      for (const auto& [kind, count] : parts_of(action)) {
        const std::string name = name_of_term(kind, action);
        if (kind == TermKind::Other && left_out.contains(name)) continue;
        PowerTerm& term = term_of(kind, name, logged, count);
        term.uses += count;
        term.firsts += action.again ? 0 : 1;
        logged.expected_s += count * term.expected_s;
      }
      step_.actions.push_back(std::move(logged));
    }
    return std::move(step_);
  }

 private:
  std::vector<std::pair<TermKind, double>> parts_of(const AnnouncedAction& action) const {
    const auto bytes = static_cast<double>(action.bytes);
    if (action.what.empty()) return {};
    if (action.what == "compute") return {{TermKind::Operation, 1}};
    if (action.what == "read") {
      if (read_sizes_.size() > 1) return {{TermKind::ByteRead, bytes}, {TermKind::Read, 1}};
      return {{TermKind::ByteRead, bytes}};
    }
    if (action.what == "write") {
      if (write_sizes_.size() > 1) return {{TermKind::ByteWritten, bytes}, {TermKind::Write, 1}};
      return {{TermKind::ByteWritten, bytes}};
    }
    return {{TermKind::Other, 1}};
  }

  static std::string name_of_term(TermKind kind, const AnnouncedAction& action) {
    if (kind == TermKind::Operation) return action.key;
    if (kind == TermKind::Other) return action.what + " " + action.name;
    return std::string(name_of(kTermKinds, kind));
  }

  double expected_s(TermKind kind, const std::string& name) const {
    if (kind == TermKind::Operation) {
      const MeasuredOperation* const cost =
          costs_ ? find_cost(*costs_, name, kReferenceKernels) : nullptr;
      return cost == nullptr ? 0 : cost->seconds;
    }
    if (!device_) return 0;
    const DeviceStorage& storage = device_->storage;
    if (kind == TermKind::ByteRead) return byte_s(storage.read, read_sizes_);
    if (kind == TermKind::Read) return storage.read.latency_s;
    if (kind == TermKind::ByteWritten) return byte_s(storage.write, write_sizes_);
    if (kind == TermKind::Write) return storage.write.latency_s;
    return 0;
  }

  // Where transfers are of one size, a byte has its part of the latency.
  static double byte_s(const StorageLink& link, const std::set<std::int64_t>& sizes) {
    const double own_s = 1 / link.rate_bytes_per_s;
    return sizes.size() == 1
               ? own_s +
                     link.latency_s / static_cast<double>(std::max<std::int64_t>(1, *sizes.begin()))
               : own_s;
  }

  PowerTerm& term_of(TermKind kind, const std::string& name, LoggedAction& logged, double count) {
    const auto [found, is_new] = numbers_.emplace(std::pair(kind, name), step_.terms.size());
    if (is_new)
      step_.terms.push_back({.kind = kind, .name = name, .expected_s = expected_s(kind, name)});
    logged.terms.push_back({static_cast<std::int32_t>(found->second), count});
    return step_.terms[found->second];
  }

  const std::optional<MeasuredCosts>& costs_;
  const std::optional<Device>& device_;
  std::set<std::int64_t> read_sizes_;
  std::set<std::int64_t> write_sizes_;
  std::map<std::pair<TermKind, std::string>, std::size_t> numbers_ = {};
  ExpectedStep step_ = {};
};

Result<std::optional<MeasuredCosts>> read_costs(const std::optional<std::string>& path) {
  if (!path) return std::optional<MeasuredCosts>();
  const Result<std::string> text = read_text_file(*path);
  if (!text.ok()) return text.error();
  Result<MeasuredCosts> costs = parse_measured_costs(*text, *path);
  if (!costs.ok()) return costs.error();
  return std::optional(*std::move(costs));
}

// The project knows the name of its device, and not its figures: none where these are not at hand.
Result<std::optional<Device>> expected_device(const PowerLogRequest& request,
                                              const AnnouncedProject& project) {
  Result<Device> device = load_device(request.platform.value_or(project.device));
  if (device.ok()) return std::optional(*std::move(device));
  if (request.platform) return device.error();
  if (request.device_name.empty() && request.how == LogAlignment::Pins)
    return std::optional<Device>();
  return bad_input(
      fmt::format("the project was planned for {}, whose figures are not at hand: "
                  "--platform names its file",
                  in_quotes(project.device)));
}

// Without channels, only counted durations say what happens when.
Failure check_durations(const PowerLogRequest& request, const ExpectedStep& step) {
  if (request.how == LogAlignment::Pins) return std::nullopt;
  if (!request.costs_path)
    return bad_input(
        "--align durations needs what each operation is expected to take: --costs names the file "
        "that 'poet profile --board' counted");
  std::int64_t missing = 0;
  const PowerTerm* first = nullptr;
  for (const PowerTerm& term : step.terms) {
    if (term.kind != TermKind::Operation || term.expected_s > 0) continue;
    if (missing++ == 0) first = &term;
  }
  if (missing == 0) return std::nullopt;
  return bad_input(
      fmt::format("{} different operations of the project are not among the costs, first {}",
                  missing, one_line(first->name)),
      {*request.costs_path});
}

std::set<std::string> names_of_others(const ExpectedStep& step, bool all) {
  std::set<std::string> names;
  for (const PowerTerm& term : step.terms)
    if (term.kind == TermKind::Other && (all || term.fit.together != 0)) names.insert(term.name);
  return names;
}

// What draws alike: the core, and the storage in either direction.
int family_of(TermKind kind) {
  switch (kind) {
    case TermKind::ByteRead:
    case TermKind::Read:
      return 1;
    case TermKind::ByteWritten:
    case TermKind::Write:
      return 2;
    default:
      return 0;
  }
}

void fit_terms(const PowerRows& rows, ExpectedStep& step, PowerFit& fit) {
  std::vector<ExpectedTerm> expected;
  for (const PowerTerm& term : step.terms)
    expected.push_back({.seconds = term.expected_s, .family = family_of(term.kind)});
  fit = fit_power(step.actions, rows, expected);
  for (std::size_t t = 0; t < step.terms.size(); ++t) {
    step.terms[t].fit = fit.terms[t];
    if (rows.how == LogAlignment::Pins) continue;
    // Noise is the least of what is uncertain where edges are assumed, and the same in all parts.
    step.terms[t].fit.seconds.error.reset();
    step.terms[t].fit.joules.error.reset();
  }
}

double used(const PowerTerm& term, TermFigure TermFit::*figure) {
  return term.uses * (term.fit.*figure).value;
}

double sum_of(const std::vector<PowerTerm>& terms, std::initializer_list<TermKind> kinds,
              TermFigure TermFit::*figure) {
  double sum = 0;
  for (const PowerTerm& term : terms)
    if (std::find(kinds.begin(), kinds.end(), term.kind) != kinds.end() && term.fit.is_known())
      sum += used(term, figure);
  return sum;
}

std::string log_words(const PowerLogRequest& request, const PowerRows& rows) {
  return fmt::format("measured on {}: {} steps in {}, {:.3g} us between samples, aligned by {}",
                     request.date, rows.all_steps(), one_line(request.log_path),
                     rows.sample_s * 1e6, name_of(kLogAlignments, rows.how));
}

MeasuredCosts costs_of_log(const PowerLogRequest& request, const AnnouncedProject& project,
                           const PowerLogReport& power) {
  const std::string words = log_words(request, power.rows);
  MeasuredCosts costs{.machine = fmt::format("a board that runs {}", one_line(project.model)),
                      .measured = words,
                      .power_source = words + "; joules of operations by their seconds"};
  const double seconds = sum_of(power.terms, {TermKind::Operation}, &TermFit::seconds);
  if (seconds > 0)
    costs.active_power_w = sum_of(power.terms, {TermKind::Operation}, &TermFit::joules) / seconds;
  const std::int64_t steps = power.rows.all_steps();
  for (const PowerTerm& term : power.terms) {
    if (term.kind != TermKind::Operation) continue;
    if (!term.fit.is_known()) {
      costs.complete = false;
      continue;
    }
    costs.operations.push_back({.key = term.name,
                                .kernels = std::string(kReferenceKernels),
                                .seconds = term.fit.seconds.value,
                                .spread_s = term.fit.seconds.error.value_or(0),
                                .joules = term.fit.joules.value,
                                .samples = steps,
                                .executions = steps * static_cast<std::int64_t>(term.uses),
                                .uses = term.firsts});
  }
  return costs;
}

void add_totals(const AnnouncedProject& project, ProfileReport& report) {
  for (const AnnouncedAction& action : project.step) {
    if (action.key.empty() || action.again) continue;
    ++report.operations;
    if (find_cost(report.costs, action.key, kReferenceKernels) != nullptr)
      report.timed_flop += action.flop;
  }
  for (const MeasuredOperation& operation : report.costs.operations) {
    report.timed_s += operation.seconds * static_cast<double>(operation.uses);
    report.timed_j += *operation.joules * static_cast<double>(operation.uses);
  }
  for (const PowerTerm& term : report.power->terms)
    report.different += term.kind == TermKind::Operation ? 1 : 0;
}

const PowerTerm* find_term(const std::vector<PowerTerm>& terms, TermKind kind) {
  for (const PowerTerm& term : terms)
    if (term.kind == kind) return &term;
  return nullptr;
}

struct LinkTerms {
  std::string way = {};  // "read"
  TermKind byte = {};
  TermKind transfer = {};
};

// One direction of the storage, as far as the log says it.
void set_measured_link(const PowerLogReport& power, const LinkTerms& link,
                       const std::string& source, Device& device,
                       std::vector<std::string>& derivation) {
  const PowerTerm* const byte = find_term(power.terms, link.byte);
  const PowerTerm* const transfer = find_term(power.terms, link.transfer);
  const double seconds = sum_of(power.terms, {link.byte, link.transfer}, &TermFit::seconds);
  if (byte == nullptr || !byte->fit.is_known() || !(seconds > 0) ||
      (transfer != nullptr && !transfer->fit.is_known())) {
    derivation.push_back(fmt::format(
        "storage.{0}_*  not known from the log: as the device {1} has it", link.way, device.name));
    return;
  }
  const double joules = sum_of(power.terms, {link.byte, link.transfer}, &TermFit::joules);
  const std::string key = "storage." + link.way;
  set_figure(device, key + "_power", fmt::format("{:.6g} W", joules / seconds),
             source + "; joules of these transfers by their seconds");
  derivation.push_back(fmt::format("{}_power  {:.6g} J / {:.6g} s = {:.6g} W", key, joules, seconds,
                                   joules / seconds));
  if (power.rows.how != LogAlignment::Pins || !(byte->fit.seconds.value > 0)) return;
  const double latency_s = transfer == nullptr ? 0 : transfer->fit.seconds.value;
  set_figure(device, key + "_rate", fmt::format("{:.6g} B/s", 1 / byte->fit.seconds.value),
             source + "; the reciprocal of the seconds of a byte");
  set_figure(
      device, key + "_latency", fmt::format("{:.6g} s", latency_s),
      source + (transfer == nullptr ? "; all transfers were of one size, so that the rate has it"
                                    : "; the seconds of a transfer without its bytes"));
  derivation.push_back(fmt::format("{}_rate  1 / {:.6g} s = {:.6g} B/s", key,
                                   byte->fit.seconds.value, 1 / byte->fit.seconds.value));
}

Result<Device> device_of_log(const PowerLogRequest& request, const ProfileReport& report,
                             Device device, std::vector<std::string>& derivation) {
  const PowerLogReport& power = *report.power;
  const std::string source = log_words(request, power.rows);
  const double flop_per_s = static_cast<double>(report.timed_flop) / report.timed_s;
  derivation = {
      "How these figures were derived (" + source + "):",
      "",
      fmt::format("idle              {:.6g} W, between steps", power.rows.idle_w),
      fmt::format("a step            {:.6g} s, {:.6g} J above idle", power.rows.step_s(),
                  power.rows.step_j()),
      fmt::format("computing         {:.6g} s, {:.6g} J, {} FLOP, each operation once",
                  report.timed_s, report.timed_j, report.timed_flop),
      fmt::format("compute.rate      {} / {:.6g} s = {:.6g} FLOP/s", report.timed_flop,
                  report.timed_s, flop_per_s),
      fmt::format("compute.efficiency  {} / {:.6g} J = {:.6g} FLOP/J", report.timed_flop,
                  report.timed_j, static_cast<double>(report.timed_flop) / report.timed_j)};
  set_figure(device, "compute.rate", fmt::format("{:.6g} FLOP/s", flop_per_s), source);
  set_figure(device, "compute.efficiency",
             fmt::format("{:.6g} FLOP/J", static_cast<double>(report.timed_flop) / report.timed_j),
             source);
  set_measured_link(power, {"read", TermKind::ByteRead, TermKind::Read}, source, device,
                    derivation);
  set_measured_link(power, {"write", TermKind::ByteWritten, TermKind::Write}, source, device,
                    derivation);
  set_figure(device, "power.idle", fmt::format("{:.6g} W", std::max(0.0, power.rows.idle_w)),
             source + "; between steps");
  derivation.push_back(
      fmt::format("What the log does not say is as the device {} has it.", device.name));
  device.title += fmt::format(", as a log of {} says", request.date);
  device.name = request.device_name;
  return parse_device(device_text(device), "the measured device");
}

std::string row_words(const AnnouncedProject& project, const PowerRow& row) {
  const auto name = [&](std::int64_t k) {
    const AnnouncedAction& action = project.step[static_cast<std::size_t>(k)];
    return action.what == "compute" ? action.name : action.what + " " + action.name;
  };
  if (row.end - row.begin == 1) return fmt::format("action {} ({})", row.begin, name(row.begin));
  return fmt::format("actions {} to {} (from {})", row.begin, row.end - 1, name(row.begin));
}

// Each set of terms that the log does not tell apart, in one sentence.
void add_sets(const PowerLogReport& power, std::vector<std::string>& warnings) {
  std::map<std::int32_t, std::vector<const PowerTerm*>> sets;
  for (const PowerTerm& term : power.terms)
    if (term.fit.together != 0) sets[term.fit.together].push_back(&term);
  for (const auto& [set, terms] : sets) {
    constexpr std::size_t kMostNames = 3;
    std::string names;
    for (std::size_t k = 0; k < std::min(terms.size(), kMostNames); ++k)
      names += (k == 0 ? "" : "; ") + one_line(terms[k]->name);
    if (terms.size() > kMostNames) names += fmt::format("; and {} more", terms.size() - kMostNames);
    warnings.push_back(fmt::format(
        "the log does not tell {} apart: {}: {}",
        terms.size() == 1 ? "one from all others" : fmt::format("{} of them", terms.size()),
        terms.front()->fit.divided
            ? "what they take together is divided by what was expected of each"
            : "they are left out, unless --costs says what was expected of each",
        names));
  }
}

void add_power_warnings(const std::set<std::string>& left_out, ProfileReport& report) {
  const PowerLogReport& power = *report.power;
  std::vector<std::string>& warnings = report.warnings;
  if (power.rows.left_out > 0)
    warnings.push_back(
        fmt::format("{} more times the board was at work for too short, too long or "
                    "with a hole in the log: these are left out",
                    power.rows.left_out));
  if (power.rows.all_steps() == 1)
    warnings.push_back("the log has one step: how far off its figures are cannot be said");
  if (power.rows.how == LogAlignment::Durations)
    warnings.push_back(
        "nothing in the log says where an action ends: what was expected does, and where that is "
        "wrong, joules of neighbours are exchanged");
  for (const std::string& name : left_out)
    warnings.push_back(
        fmt::format("{} is too short or unknown to be seen: its joules are among those of its "
                    "neighbours",
                    one_line(name)));
  add_sets(power, warnings);
  if (!power.fit.converged)
    warnings.push_back("the fit did not come to its end: some terms are hardly told apart");
  if (power.fit.joules_residual_ratio > kLargeResidual)
    warnings.push_back(fmt::format("the fit misses {:.2g} % of the joules, most at {}",
                                   100 * power.fit.joules_residual_ratio, power.worst));
}

Result<PowerRows> align(const PowerLogRequest& request, const std::vector<LoggedAction>& actions) {
  return request.how == LogAlignment::Pins
             ? align_by_pins(request.log_path, actions, request.align)
             : align_by_durations(request.log_path, actions, request.align);
}

}  // namespace

Result<ProfileReport> profile_power_log(const PowerLogRequest& request) {
  const Result<AnnouncedProject> project = read_announced_project(request.project_folder);
  if (!project.ok()) return project.error();
  const Result<std::optional<MeasuredCosts>> costs = read_costs(request.costs_path);
  if (!costs.ok()) return costs.error();
  const Result<std::optional<Device>> device = expected_device(request, *project);
  if (!device.ok()) return device.error();
  ExpectedStep step = StepTerms(*project, *costs, *device).take(*project, {});
  if (Failure failure = check_durations(request, step)) return *failure;
  Result<PowerRows> rows = align(request, step.actions);
  if (!rows.ok()) return rows.error();

  ProfileReport report;
  report.request.network.model = project->model;
  report.power = PowerLogReport{.log = request.log_path, .rows = *std::move(rows)};
  PowerLogReport& power = *report.power;
  fit_terms(power.rows, step, power.fit);
  // Nothing is expected of what brings examples: where it hides behind others, they have it.
  const std::set<std::string> left_out =
      names_of_others(step, request.how == LogAlignment::Durations);
  if (!left_out.empty()) {
    step = StepTerms(*project, *costs, *device).take(*project, left_out);
    fit_terms(power.rows, step, power.fit);
  }
  power.terms = std::move(step.terms);
  power.worst = row_words(*project, power.rows.rows[static_cast<std::size_t>(power.fit.worst_row)]);
  report.costs = costs_of_log(request, *project, power);
  add_totals(*project, report);
  if (!request.device_name.empty()) {
    if (!(report.timed_s > 0) || !(report.timed_j > 0) || report.timed_flop == 0)
      return bad_input(
          "the log says nothing of a single operation, and so not how fast the board "
          "computes",
          {request.log_path});
    Result<Device> measured = device_of_log(request, report, **device, report.derivation);
    if (!measured.ok()) return measured.error();
    report.device = *std::move(measured);
  }
  add_power_warnings(left_out, report);
  return report;
}

}  // namespace poet
