#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/home.h"
#include "poet/base/json.h"
#include "poet/base/json_reader.h"
#include "poet/base/named.h"
#include "poet/base/time_mode.h"

namespace poet::exact {

// A position in a list, as ids are.
template <typename Whole>
constexpr std::int32_t id_of(Whole position) {
  return static_cast<std::int32_t>(position);
}

// A problem as its file states it (docs/formats/problem.md): the checker's own reading, which
// shares nothing with the one that solvers use. Ids are positions in the lists.
struct Tensor {
  std::string name = {};
  std::int64_t size_bytes = 0;
  Home home = Home::Made;
  bool may_be_resident = false;
  std::optional<std::int32_t> view_of = {};
  std::optional<std::int32_t> updates = {};
  double page_in_j = 0;
  double page_out_j = 0;
  double page_in_s = 0;
  double page_out_s = 0;
};

struct InPlace {
  std::int32_t input = 0;
  std::int32_t output = 0;
};

struct Operation {
  std::string name = {};
  std::vector<std::int32_t> inputs = {};
  std::vector<std::int32_t> outputs = {};
  std::int64_t workspace_bytes = 0;
  std::int64_t written_bytes = 0;
  double compute_j = 0;
  double compute_s = 0;
  bool once = false;
  bool view = false;
  std::optional<InPlace> in_place = {};
};

enum class Objective { Energy, Time };
inline constexpr Named<Objective> kObjectives[] = {{"energy", Objective::Energy},
                                                   {"time", Objective::Time}};

struct Uncertainty {
  double ratio = 0;
  std::optional<std::int64_t> deviations = {};
  std::optional<double> deadline_s = {};
};

struct Problem {
  std::string name = {};
  std::int64_t ram_budget_bytes = 0;
  std::optional<double> deadline_s = {};
  std::optional<Uncertainty> uncertainty = {};
  std::optional<std::int64_t> storage_capacity_bytes = {};
  std::optional<std::int64_t> write_budget_bytes = {};
  double idle_w = 0;
  TimeMode time_mode = TimeMode::Blocking;
  Objective objective = Objective::Energy;
  bool paging_allowed = true;
  bool rematerialisation_allowed = true;
  std::vector<Tensor> tensors = {};
  std::vector<Operation> operations = {};

  std::int32_t root_of(std::int32_t tensor) const {
    return tensors[tensor].view_of.value_or(tensor);
  }
};

// Refuses, with its place, what is not of the form of a problem or breaks a rule of well-formed
// ones (docs/model/problem.md §1.8).
Problem read_problem(const JsonValue& value, JsonReader& reader);

// The longest step that keeps the deadline (docs/model/numbers.md §4.2): one multiplication of
// doubles, the same wherever it is done.
double latest_end_s(double deadline_s);

}  // namespace poet::exact
