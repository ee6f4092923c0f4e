#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/ask/option_row.h"
#include "poet/ask/plan_request.h"
#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet {

// Who asks questions by these options. Python asks as the command does.
enum class QuestionAsker { Solve, Minimum, Compare, Sweep, Train, Inspect, Profile, ExportOnnx };

// How a member of a JSON object is described to programs.
enum class FieldType { Text, Whole, Number, Switch };

// What an option is in a question that is written as JSON: its member has the option's first name,
// without dashes in front and with '_' for those within.
struct JsonField {
  FieldType type = FieldType::Text;
  std::string_view what = {};  // one sentence, without a full stop
  // Whether it says how large a step is, rather than what it must fit into and how to search.
  bool about_size = false;
  bool is_name = false;     // that is looked up later: of a sensible length
  bool only_words = false;  // nothing but the row's words is right, also where the row has more
};

// One option of a question: the command line, the service and Python read it by this row, and help,
// manual pages, completion and the OpenAPI document are made from it.
struct QuestionOption {
  OptionRow row = {};                      // its own `read` is empty
  std::vector<QuestionAsker> askers = {};  // that have it
  std::function<Failure(PlanRequest&, const std::string&)> read = {};
  std::optional<JsonField> json = {};  // none: not for the service
  // What read() reads back; null: not said. With `json` only.
  std::function<JsonOut(const PlanRequest&)> write = {};
};

// Every option that says what is planned, what it must fit into, and how to search.
const std::vector<QuestionOption>& question_options();

// The rows of those that an asker has, writing to `request`, which must outlive them.
std::vector<OptionRow> rows_for(QuestionAsker asker, PlanRequest& request);

// "runtime_budget"
std::string json_name(const OptionRow& row);

// The names of all networks, each once, and of the built-in devices.
std::vector<std::string> model_names();
std::vector<std::string> platform_names();

}  // namespace poet
