#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "poet/solve/event_choice.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/linear_model.h"
#include "poet/solve/step.h"

namespace poet {

// A 0-1 quantity of the model: a column, or its value where that is known.
struct EventQuantity {
  std::optional<std::int32_t> column = {};
  double constant = 0;  // without a column

  double value(const std::vector<double>& values) const {
    return column ? values[*column] : constant;
  }
};

// An event that makes or reads a chain, and the variables around it.
struct Occurrence {
  std::int32_t event = 0;  // position in the event set
  bool makes = false;
  std::optional<std::int32_t> read = {};  // I: read from storage just before the event
  std::optional<std::int32_t> stay = {};  // a: stays in RAM from here to the next occurrence
};

enum class RowKind {
  Use,            // R[e] <= a_before + I[e,i] (+ r)
  ReadNeedsCopy,  // I[e,i] <= o[i]
  Production,     // a_before + R[e] <= 1
  StayAfterUse,   // a_after <= a_before + I[e,i]
  StayAfterMake,  // a_after <= a_before + R[e]
  Memory,         // of event e
  SharedRuns,     // s[e] <= R[e]
  SharedDies,     // s[e] + a_after[j,e] <= 1
  SharedMoves,    // s[e] + r <= 1, of the input and of the output
  Deadline,
  StorageRoom,
  WriteRoom,
  Cut,  // of later needs
};

// What a row of the linear model says. A row is stated as `scale` times the inequality in bytes,
// seconds or ones.
struct RowTag {
  RowKind kind = RowKind::Use;
  std::int32_t event = 0;  // position in the event set, where the kind has one
  std::int32_t chain = 0;  // where the kind has one
  std::int32_t cut = 0;    // position in the list of cuts
  double scale = 1;
};

enum class ColumnMeaning { Runs, Stays, Read, Stored, Resident, Shared, Budget };

struct ColumnTag {
  ColumnMeaning meaning = ColumnMeaning::Runs;
  std::int32_t event = 0;
  std::int32_t chain = 0;
};

// What the model minimises.
enum class EventObjective {
  Cost,       // of everything beyond one execution of each operation
  RamBudget,  // the RAM that the schedule needs; the step's budget is ignored
};

struct EventModelOptions {
  EventObjective objective = EventObjective::Cost;
  double cost_unit = 1;  // the model states costs in units of this
  // What costs more is stated as this: no better schedule has it (SearchState::most_cost()).
  double most_cost = std::numeric_limits<double>::infinity();
};

// The event model of docs/model/event-model.md §2 over a set of events. Known values are constants,
// rows that cannot bind are left out.
struct EventModel {
  LinearModel linear = {};
  std::vector<RowTag> row_tags = {};
  std::vector<ColumnTag> column_tags = {};
  std::vector<EventQuantity> runs = {};                    // R, per event
  std::vector<std::vector<Occurrence>> occurrences = {};   // per chain, in order
  std::vector<EventQuantity> stored = {};                  // o, per chain
  std::vector<std::optional<std::int32_t>> resident = {};  // r, per chain
  std::vector<std::optional<std::int32_t>> shared = {};    // s, per event
  // Per event: without an s column, whether the sharing is taken whenever the event runs.
  std::vector<bool> always_shared = {};
  std::optional<std::int32_t> budget =
      {};  // the column that EventObjective::RamBudget minimises, in `byte_unit`s
  double byte_unit = 1;
  double constant_cost = 0;  // beyond once_cost and beyond the columns, in cost units
};

EventModel make_event_model(const Step& step, const EventSet& events,
                            const std::vector<LaterNeed>& cuts, const EventModelOptions& options);

// How much the chains waiting at a stage come back in a solution of the model (for violated_cuts).
class ComingsOf {
 public:
  ComingsOf(const Step& step, const EventSet& events, const EventModel& model,
            const std::vector<double>& values);
  Comings at_stage(std::int32_t stage, const StagePressure& pressure) const;

 private:
  // Per chain: stages in which it comes, with the sums so far.
  struct Sums {
    std::vector<std::int32_t> stages = {};
    std::vector<double> made = {};
    std::vector<double> read = {};
  };
  std::vector<Sums> sums_;
  std::vector<double> stored_;
};

// The choice that integer values state; nothing when a value is further than 1e-6 from a whole
// number.
std::optional<EventChoice> choice_of(const Step& step, const EventSet& events,
                                     const EventModel& model, const std::vector<double>& values);

// A full solution of the model for a choice; nothing when the choice has events outside the set.
std::optional<std::vector<double>> values_of(const Step& step, const EventSet& events,
                                             const EventModel& model, const EventChoice& choice);

}  // namespace poet
