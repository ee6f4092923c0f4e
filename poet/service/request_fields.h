#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "poet/api/plan_request.h"
#include "poet/base/json_out_fwd.h"
#include "poet/base/result.h"

namespace poet {

// A plan that was asked for over HTTP. Its model is a name of the zoo, or "sha256:" and 64
// hexadecimal digits: a file that was uploaded. It never names a path.
struct AskedPlan {
  PlanRequest plan = {};
  double time_limit_s = 60;
};

// How a field is described to programs.
enum class FieldType { Text, Whole, Number, Switch };

// One row per field of a request: parsing, the form in which requests are compared, the command
// line that asks the same, and the OpenAPI document are made from these rows.
struct RequestField {
  std::string_view name;
  FieldType type = FieldType::Text;
  std::string_view what;                // one sentence, without a full stop
  std::vector<std::string> words = {};  // and nothing else is right; empty: anything
  // Whether it says how large a step is, rather than what it must fit into and how to search.
  bool about_size = false;
  std::function<Failure(AskedPlan&, const std::string&)> read;
  std::function<JsonOut(const AskedPlan&)> write;  // null: not said
};
const std::vector<RequestField>& request_fields();
const RequestField* find_field(std::string_view name);

// Fields by their names, as texts.
using FieldTexts = std::map<std::string, std::string>;

// The members of a JSON object: numbers as they are written, true and false, lists with commas;
// null is left out. Refuses what is no object of such values.
Result<FieldTexts> fields_in_json(const std::string& text);

// What is wrong with a request, and with which field.
struct FieldFault {
  Error error = {};
  std::string field = {};
};

// Reads the fields of the table, in its order; a name that is not in it is refused with a
// suggestion.
struct ReadFields {
  AskedPlan asked = {};
  std::optional<FieldFault> fault = {};
};
ReadFields read_fields(const FieldTexts& texts);

// Every field, in the order of the table: the same for requests that ask the same.
JsonOut fields_to_json(const AskedPlan& asked);

// "poet solve --model ..." with what differs from the defaults.
std::string command_of(const AskedPlan& asked);

bool names_upload(std::string_view model);          // "sha256:" and 64 hexadecimal digits
Result<bool> read_switch(const std::string& text);  // "true", "false", "1", "0"
bool is_hex_digest(std::string_view text);          // 64 small hexadecimal digits

}  // namespace poet
