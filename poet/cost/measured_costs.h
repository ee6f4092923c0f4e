#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/cost/cost_table.h"
#include "poet/device/device.h"
#include "poet/graph/graph.h"

namespace poet {

// What C functions a cost was measured with. Others may come: a fast library.
inline constexpr std::string_view kReferenceKernels = "reference";

// What brings examples is no kernel.
inline constexpr std::string_view kExamples = "examples";

// One execution of an operation as a machine took it.
struct MeasuredOperation {
  std::string key = {};               // operation_key()
  std::string kernels = {};           // kReferenceKernels
  double seconds = 0;                 // the median of the samples
  double spread_s = 0;                // their third quartile less their first
  std::optional<double> joules = {};  // above idle, by an energy counter; none: not measured
  std::int64_t samples = 0;
  std::int64_t executions = 0;  // in all samples
  std::int64_t uses = 0;        // in the step of the network that was profiled

  bool operator==(const MeasuredOperation&) const = default;
};

// What operations cost on one machine (docs/formats/costs.md). No two rows have the same key and
// kernels.
struct MeasuredCosts {
  std::string machine = {};   // for people
  std::string measured = {};  // when, and how often: for people
  bool complete = true;       // false: the profile was stopped before its end
  // Above idle, while the processor computes: the energy of operations without joules of their own.
  double active_power_w = 0;
  std::string power_source = {};  // never empty: "assumed: ..." or where it comes from
  std::vector<MeasuredOperation> operations = {};
  // Bringing the examples of a step, by example_key(); its own kernels are kExamples.
  std::vector<MeasuredOperation> examples = {};

  bool operator==(const MeasuredCosts&) const = default;
};

// Null where there is none.
const MeasuredOperation* find_cost(const MeasuredCosts& costs, std::string_view key,
                                   std::string_view kernels);

// What to do with an operation that was not measured.
enum class MissingCosts { Refused, Formula };

inline constexpr Named<MissingCosts> kMissingCosts[] = {{"refuse", MissingCosts::Refused},
                                                        {"formula", MissingCosts::Formula}};

struct MeasuredChoice {
  std::string kernels = std::string(kReferenceKernels);
  MissingCosts missing = MissingCosts::Refused;
};

// What a graph costs: operations as measured, transfers by the device's storage, and inputs as long
// as bringing their examples was measured to take. Views cost nothing. Refuses a graph with
// operations that were not measured, and lists them, unless the choice takes formula_costs() for
// those; the table's source counts both. Refuses what formula_costs() refuses.
Result<CostTable> measured_costs(const Graph& graph, const Device& device,
                                 const MeasuredCosts& measured, const MeasuredChoice& choice,
                                 double memory_power_scale);

// The JSON text of docs/formats/costs.md, one operation a line.
std::string measured_costs_text(const MeasuredCosts& costs);

// Reads such a text; `file` is the name that errors show. Refuses, with line and column: text that
// is not JSON, unknown and missing fields, values of the wrong type, numbers that are negative or
// not finite, and a key that stands there twice with the same kernels.
Result<MeasuredCosts> parse_measured_costs(std::string_view text, const std::string& file);

}  // namespace poet
