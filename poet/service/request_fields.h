#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "poet/ask/option_table.h"
#include "poet/ask/plan_request.h"
#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet {

// One row per member of a question in JSON: parsing, the form in which requests are compared, the
// command line that asks the same, and the OpenAPI document are made from these rows. Those of
// questions are the rows of question_options(). A model is a name of the zoo, or "sha256:" and 64
// hexadecimal digits: a file that was uploaded. It never names a path.
struct RequestField {
  std::string name = {};
  FieldType type = FieldType::Text;
  std::string_view what = {};              // one sentence, without a full stop
  std::vector<std::string> words = {};     // and nothing else is right; empty: anything
  bool about_size = false;                 // as in a JsonField
  const QuestionOption* option = nullptr;  // none: read elsewhere
  bool is_list = false;                    // its value may be a list of values
};
const std::vector<RequestField>& request_fields();
const RequestField* find_field(std::string_view name);

// A sentence that names options of the command line, with the names of the fields in their place.
std::string in_field_words(std::string_view sentence);

// The first of them; empty where there is none.
std::string_view field_named_in(std::string_view sentence);

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
  PlanRequest asked = {};
  std::optional<FieldFault> fault = {};
};
ReadFields read_fields(const FieldTexts& texts);

// Every field, in the order of the table: the same for requests that ask the same.
JsonOut fields_to_json(const PlanRequest& asked);

// "poet solve --model ..." with what differs from the defaults.
std::string command_of(const PlanRequest& asked);
// "poet export c --model ...": of a project of the same training.
std::string project_command_of(const PlanRequest& asked);

bool names_upload(std::string_view model);          // "sha256:" and 64 hexadecimal digits
Result<bool> read_switch(const std::string& text);  // "true", "false", "1", "0"
bool is_hex_digest(std::string_view text);          // 64 small hexadecimal digits

}  // namespace poet
