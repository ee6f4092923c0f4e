#include "poet/service/request_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "poet/api/solver_names.h"
#include "poet/base/byte_text.h"
#include "poet/base/json_out.h"
#include "poet/base/message_text.h"
#include "poet/base/number_text.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/overlap/planner.h"

namespace poet {
namespace {

constexpr std::int64_t kLargestExtent = 1'000'000;
constexpr std::int64_t kMostThreads = 1024;

using Write = std::function<JsonOut(const AskedPlan&)>;

template <typename T, typename Target>
Failure keep(Result<T> value, Target& target) {
  if (!value.ok()) return value.error();
  target = static_cast<Target>(*std::move(value));
  return std::nullopt;
}

template <typename T, typename Target>
Failure keep(Result<T> value, std::optional<Target>& target) {
  if (!value.ok()) return value.error();
  target = static_cast<Target>(*std::move(value));
  return std::nullopt;
}

template <typename Row>
std::vector<std::string> names_in(const std::vector<Row>& table) {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

template <typename T, std::size_t N>
std::vector<std::string> words_in(const Named<T> (&table)[N]) {
  std::vector<std::string> words;
  for (const Named<T>& row : table) words.emplace_back(row.name);
  return words;
}

Failure read_name(const std::string& text, std::string& target) {
  constexpr std::size_t kLongest = 200;
  if (text.empty() || text.size() > kLongest)
    return bad_input(
        fmt::format("expected a name of up to {} letters, found {}", kLongest, in_quotes(text)));
  target = text;
  return std::nullopt;
}

Failure keep_switch(const std::string& text, bool& target) {
  const Result<bool> read = read_switch(text);
  if (!read.ok()) return read.error();
  target = *read;
  return std::nullopt;
}

// Batches of 2 and 2.0 are one.
Result<std::int64_t> read_count(const std::string& text, std::int64_t most) {
  return read_whole(text.ends_with(".0") ? text.substr(0, text.size() - 2) : text, 1, most);
}

Failure read_dimensions(const std::string& list, std::map<std::string, std::int64_t>& dimensions) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t sign = part.rfind('=');
    if (sign == std::string::npos || sign == 0)
      return bad_input(fmt::format("{} is not NAME=N, such as sequence=128", in_quotes(part)));
    if (Failure failure = keep(read_count(part.substr(sign + 1), kLargestExtent),
                               dimensions[part.substr(0, sign)]))
      return failure;
  }
  return std::nullopt;
}

JsonOut write_dimensions(const AskedPlan& asked) {
  std::vector<std::string> parts;
  for (const auto& [name, extent] : asked.plan.dimensions)
    parts.push_back(fmt::format("{}={}", name, extent));
  return parts.empty() ? JsonOut(nullptr) : JsonOut(fmt::format("{}", fmt::join(parts, ",")));
}

// "30%way", in digits that read back to the same part.
std::string way_text(double ratio) {
  const std::string plain = fmt::format("{:.12g}%way", ratio * 100);
  const Result<RamBudget> again = parse_ram_budget(plain);
  const bool same = again.ok() && std::get<RamOnTheWay>(*again).ratio == ratio;
  return same ? plain : fmt::format("{}e0%way", ratio);
}

JsonOut write_ram_budget(const AskedPlan& asked) {
  const std::optional<RamBudget>& budget = asked.plan.ram_budget;
  if (!budget) return nullptr;
  if (const RamBytes* const fixed = std::get_if<RamBytes>(&*budget)) return fixed->bytes;
  if (const RamOfPlainPeak* const part = std::get_if<RamOfPlainPeak>(&*budget))
    return fmt::format("{}x", part->ratio);
  return way_text(std::get<RamOnTheWay>(*budget).ratio);
}

JsonOut write_deadline(const AskedPlan& asked) {
  const std::optional<Deadline>& deadline = asked.plan.deadline;
  if (!deadline) return nullptr;
  if (const DeadlineSeconds* const fixed = std::get_if<DeadlineSeconds>(&*deadline))
    return fmt::format("{}s", fixed->seconds);
  return fmt::format("{}x", std::get<DeadlineRatio>(*deadline).ratio);
}

// Rows for members of PlanRequest.

template <typename Member>
Write writes(Member PlanRequest::*member) {
  return [member](const AskedPlan& asked) { return JsonOut(asked.plan.*member); };
}

template <typename T>
Write writes_if_said(std::optional<T> PlanRequest::*member) {
  return [member](const AskedPlan& asked) { return or_null(asked.plan.*member); };
}

RequestField extent_row(std::string_view name, std::string_view what,
                        std::optional<std::int64_t> NetworkOptions::*member) {
  return {
      .name = name,
      .type = FieldType::Whole,
      .what = what,
      .about_size = true,
      .read =
          [member](AskedPlan& asked, const std::string& text) {
            return keep(read_count(text, kLargestExtent), asked.plan.network.*member);
          },
      .write = [member](const AskedPlan& asked) { return or_null(asked.plan.network.*member); }};
}

RequestField switch_row(std::string_view name, std::string_view what, bool PlanRequest::*member) {
  return {
      .name = name,
      .type = FieldType::Switch,
      .what = what,
      .read = [member](AskedPlan& asked,
                       const std::string& text) { return keep_switch(text, asked.plan.*member); },
      .write = writes(member)};
}

template <typename T, std::size_t N>
RequestField training_row(std::string_view name, std::string_view what, const Named<T> (&table)[N],
                          T TrainingOptions::*member) {
  return {.name = name,
          .what = what,
          .words = words_in(table),
          .about_size = true,
          .read =
              [&table, member](AskedPlan& asked, const std::string& text) {
                asked.plan.training.*member = *value_of(table, text);
                return Failure();
              },
          .write =
              [&table, member](const AskedPlan& asked) {
                return JsonOut(name_of(table, asked.plan.training.*member));
              }};
}

template <typename T, std::size_t N>
RequestField choice_row(std::string_view name, std::string_view what, const Named<T> (&table)[N],
                        std::optional<T> PlanRequest::*member) {
  return {.name = name,
          .what = what,
          .words = words_in(table),
          .read =
              [&table, member](AskedPlan& asked, const std::string& text) {
                asked.plan.*member = *value_of(table, text);
                return Failure();
              },
          .write =
              [&table, member](const AskedPlan& asked) {
                return asked.plan.*member ? JsonOut(name_of(table, *(asked.plan.*member)))
                                          : JsonOut(nullptr);
              }};
}

std::vector<RequestField> size_rows() {
  return {
      {.name = "model",
       .what = "a name or id of GET /v1/models",
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_name(text, asked.plan.model); },
       .write = writes(&PlanRequest::model)},
      {.name = "platform",
       .what = "a name of GET /v1/devices",
       .words = names_in(builtin_device_table()),
       .about_size = true,
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_name(text, asked.plan.platform); },
       .write = writes(&PlanRequest::platform)},
      {.name = "graph",
       .what = "the training graph: real, by true differentiation, or released, that of the "
               "released code; default: real where there is one",
       .words = {"real", "released"},
       .about_size = true,
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_name(text, asked.plan.graph); },
       .write = writes(&PlanRequest::graph)},
      {.name = "batch_size",
       .type = FieldType::Whole,
       .what = "samples per step; default 1",
       .about_size = true,
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_count(text, kMaxReleasedBatchSize), asked.plan.batch_size);
           },
       .write = writes(&PlanRequest::batch_size)},
      extent_row("image_size", "height and width of pictures; default: the network's own",
                 &NetworkOptions::image_size),
      extent_row("sequence_length", "tokens of a sample; default: the network's own",
                 &NetworkOptions::sequence_length),
      extent_row("classes", "that are told apart; default: the network's own",
                 &NetworkOptions::classes),
      {.name = "dimensions",
       .what = "extents that an ONNX file leaves open: sequence=128,channels=3",
       .about_size = true,
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_dimensions(text, asked.plan.dimensions); },
       .write = write_dimensions},
      {.name = "mem_power_scale",
       .type = FieldType::Number,
       .what = "factor on the energy of transfers; default 1",
       .about_size = true,
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_number(text, Zero::Allowed), asked.plan.memory_power_scale);
           },
       .write = writes(&PlanRequest::memory_power_scale)},
      {.name = "train",
       .what =
           "the parameters that are trained: all, encoder, last:N, bias, norm, regex:PATTERN or "
           "except:PATTERN",
       .about_size = true,
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_name(text, asked.plan.training.train); },
       .write = [](const AskedPlan& asked) { return JsonOut(asked.plan.training.train); }},
      training_row("parameters", "where trained parameters are between steps; default planned",
                   kParameterPlaces, &TrainingOptions::parameters),
      training_row("frozen", "where those that are not trained are; default rom", kFrozenPlaces,
                   &TrainingOptions::frozen),
      training_row(
          "updates",
          "how weights are updated: separate (the whole gradient, then the update), sliced "
          "(some rows of it at a time, which takes less RAM), or auto (sliced where the "
          "RAM budget holds no others); default auto",
          kUpdates, &TrainingOptions::updates),
      training_row("optimiser", "default sgd", kOptimisers, &TrainingOptions::optimiser),
      training_row("loss", "default cross-entropy", kLosses, &TrainingOptions::loss),
  };
}

std::vector<RequestField> limit_rows() {
  return {
      {.name = "ram_budget",
       .what = "bytes, 512KiB, 60% or 0.6x of the plain peak, 30%way from the largest working set "
               "to the plain peak; default: the device's RAM",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(parse_ram_budget(text), asked.plan.ram_budget);
           },
       .write = write_ram_budget},
      {.name = "runtime_budget",
       .what = "1.5 or 1.5x the time of computing everything once, or 200ms, 3s; default: none",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(parse_deadline(text), asked.plan.deadline);
           },
       .write = write_deadline},
      {.name = "write_budget",
       .what = "what a step may write to storage: 64KiB; default: no limit",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(parse_bytes(text), asked.plan.write_budget_bytes);
           },
       .write = writes_if_said(&PlanRequest::write_budget_bytes)},
      {.name = "storage_block",
       .what = "what storage is read and written in; default: the device's",
       .about_size = true,
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_block(text), asked.plan.storage_block_bytes);
           },
       .write = writes_if_said(&PlanRequest::storage_block_bytes)},
      choice_row("io",
                 "how transfers take time; default: as on the device, free with a released graph",
                 kTimeModes, &PlanRequest::io),
      switch_row("paging", "move tensors to storage and back; default true", &PlanRequest::paging),
      switch_row("remat", "compute tensors again; default true", &PlanRequest::rematerialisation),
      choice_row("objective", "what to make least; default energy", kObjectives,
                 &PlanRequest::objective),
  };
}

std::vector<RequestField> search_rows() {
  return {
      {.name = "solver",
       .what = "the library for integer programs; default cbc",
       .words = names_in(solver_name_table()),
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_name(text, asked.plan.solver); },
       .write = writes(&PlanRequest::solver)},
      {.name = "formulation",
       .what = "the model to solve; default event",
       .words = names_in(planner_table()),
       .read = [](AskedPlan& asked,
                  const std::string& text) { return read_name(text, asked.plan.formulation); },
       .write = writes(&PlanRequest::formulation)},
      {.name = "gap",
       .what = "a schedule counts as optimal when at most this part of its overhead is in doubt; "
               "default 1%",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_part(text), asked.plan.solve.gap_ratio);
           },
       .write = [](const AskedPlan& asked) { return JsonOut(asked.plan.solve.gap_ratio); }},
      {.name = "max_nodes",
       .type = FieldType::Whole,
       .what = "nodes of branch and bound after which to stop; default 1000000",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_whole(text, 1), asked.plan.solve.max_nodes);
           },
       .write = [](const AskedPlan& asked) { return JsonOut(asked.plan.solve.max_nodes); }},
      {.name = "solve_threads",
       .type = FieldType::Whole,
       .what = "threads of the solver; default 1",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_whole(text, 1, kMostThreads), asked.plan.solve.threads);
           },
       .write = [](const AskedPlan& asked) { return JsonOut(asked.plan.solve.threads); }},
      {.name = "seed",
       .type = FieldType::Whole,
       .what = "of the solver's random choices; default 1",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_whole(text, 0), asked.plan.solve.seed);
           },
       .write = [](const AskedPlan& asked) { return JsonOut(asked.plan.solve.seed); }},
      {.name = "time_limit_s",
       .type = FieldType::Number,
       .what = "seconds after which the search stops with the best schedule so far; default 60",
       .read =
           [](AskedPlan& asked, const std::string& text) {
             return keep(read_number(text, Zero::Refused), asked.time_limit_s);
           },
       .write = [](const AskedPlan& asked) { return JsonOut(asked.time_limit_s); }},
  };
}

std::vector<RequestField> make_fields() {
  std::vector<RequestField> rows = size_rows();
  for (auto* const part : {limit_rows, search_rows})
    for (RequestField& row : part()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

Result<bool> read_switch(const std::string& text) {
  if (text != "true" && text != "false" && text != "1" && text != "0")
    return bad_input(fmt::format("expected true or false, found {}", in_quotes(text)));
  return text == "true" || text == "1";
}

const std::vector<RequestField>& request_fields() {
  static const std::vector<RequestField> fields = make_fields();
  return fields;
}

const RequestField* find_field(std::string_view name) {
  for (const RequestField& field : request_fields())
    if (field.name == name) return &field;
  return nullptr;
}

}  // namespace poet
