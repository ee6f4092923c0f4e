#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/constant_texts.h"
#include "poet/emit/emit_request.h"
#include "poet/emit/step_tables.h"
#include "poet/lower/step_program.h"

namespace poet {

// An action of emitted C that does something: what poet_trace() counts.
struct EmittedAction {
  std::string form = {};
  std::string what = {};                      // "compute", "read", "write", "input", "rows"
  std::string name = {};                      // of the operation, or of the tensor that moves
  std::optional<OperationId> operation = {};  // in the form's graph; none for transfers
  std::int64_t bytes = 0;                     // that move
  bool again = false;                         // not the operation's first execution
  // Of what is computed: operation_key(), and the work.
  std::string key = {};
  std::int64_t flop = 0;
};

// Where a step begins to change what outlives it.
struct FirstChange {
  std::int64_t form = 0;
  std::int64_t action = 0;
};

// What the text of all forms makes use of.
struct FormParts {
  StepTables tables;
  ShapeTexts shapes = {};
  RomText rom = {};
  std::set<std::string> functions = {};  // of poet/runtime
  std::vector<EmittedAction> actions = {};
  std::optional<FirstChange> change = {};
  std::int64_t forms = 0;           // that were added
  bool overlapped = false;          // some form's transfers are beside the processor
  std::int64_t most_under_way = 0;  // transfers at one time, as far as waits tell
  // How inputs are asked for.
  bool whole_inputs = false;
  bool inputs_in_pieces = false;
};

// Adds a form of the step to the tables, which follow its program with its slots behind
// `pages_begin` in storage, and what it uses to the rest of `parts`. In blocking time every
// transfer is done when it comes. In overlapped time it is issued, and waited for before what the
// program says must wait, before the step asks anything else of its storage or for examples, which
// may lie there too, and at the end.
Failure add_form(const EmittedForm& form, const StepProgram& program, std::int64_t pages_begin,
                 FormParts& parts);

}  // namespace poet
