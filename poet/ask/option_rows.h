#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "poet/ask/option_reads.h"
#include "poet/ask/option_table.h"
#include "poet/base/json_out.h"
#include "poet/base/names_in.h"
#include "poet/base/number_text.h"

namespace poet {

// The rows of the table, in the order in which help shows them: what step is planned, where its
// costs come from and how it is trained; and what it must fit into, and how to search.
std::vector<QuestionOption> step_options();
std::vector<QuestionOption> search_options();

// What rows are made of.

using Askers = std::vector<QuestionAsker>;
using enum QuestionAsker;

// Who looks for schedules, and of them who does not train; and who speaks of a network on a device,
// with kernels, at sizes.
inline const Askers& searchers() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep, Train};
  return askers;
}
inline const Askers& planners() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep};
  return askers;
}
inline const Askers& on_a_device() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep, Train, Inspect};
  return askers;
}
inline const Askers& with_kernels() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep, Train, Inspect, Profile};
  return askers;
}
inline const Askers& everybody() {
  static const Askers askers = {Solve, Minimum, Compare, Sweep,
                                Train, Inspect, Profile, ExportOnnx};
  return askers;
}

// In each row, `get` gives the member of a request that the option is about.

template <typename Get>
auto text_into(Get get) {
  return [get](PlanRequest& request, const std::string& text) {
    get(request) = text;
    return Failure();
  };
}

template <typename Read, typename Get>
auto value_into(Read read, Get get) {
  return [read, get](PlanRequest& request, const std::string& text) {
    return keep_value(read(text), get(request));
  };
}

template <typename T>
JsonOut json_of(const T& value) {
  return JsonOut(value);
}
template <typename T>
JsonOut json_of(const std::optional<T>& value) {
  return or_null(value);
}

template <typename Get>
auto value_from(Get get) {
  return [get](const PlanRequest& request) { return json_of(get(request)); };
}

inline auto whole(std::int64_t least, std::int64_t most) {
  return [least, most](const std::string& text) { return read_whole(text, least, most); };
}
inline auto whole(std::int64_t least) {
  return [least](const std::string& text) { return read_whole(text, least); };
}
inline auto number(Zero zero) {
  return [zero](const std::string& text) { return read_number(text, zero); };
}

template <typename T, typename Target>
JsonOut word_of(const Named<T>* table, std::size_t rows, const Target& value) {
  for (std::size_t k = 0; k < rows; ++k)
    if (value == table[k].value) return table[k].name;
  return nullptr;  // it was left open
}

// A word of a table of enumerators.
template <typename T, std::size_t N, typename Get>
QuestionOption choice(OptionRow row, const Askers& askers, const Named<T> (&table)[N], Get get,
                      std::optional<JsonField> json) {
  row.words = names_in(table);
  row.only_words = true;
  return {.row = std::move(row),
          .askers = askers,
          .read =
              [&table, get](PlanRequest& request, const std::string& text) {
                get(request) = *value_of(table, text);
                return Failure();
              },
          .json = json,
          .write = [&table,
                    get](const PlanRequest& request) { return word_of(table, N, get(request)); }};
}

}  // namespace poet
