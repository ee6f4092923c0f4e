#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/exit_code.h"
#include "poet/base/json_out.h"
#include "poet/base/result.h"

namespace poet::cli {

// Writes to standard error. What cannot be told is not worth ending anything for: a closed or full
// standard error is no error of the request.
void tell(std::string_view text);

enum class Output { Text, Json };

// Json when --json is among the arguments: errors in these must be told in the form that was asked
// for.
Output output_of(const std::vector<std::string>& arguments);

// Keeps standard output for answers, before anything else is done: what libraries print there (Cgl
// does) would stand in the middle of JSON, and goes nowhere.
void keep_standard_output();
// Where answers go since then, for a process that answers in this one's place; nothing where
// standard output was closed, and nobody wants an answer.
std::optional<int> answer_file();

// Prints on standard output; a reader that is gone or a full disk is an error like any other.
int print_text(const std::string& text, int code);
int print_json(const JsonOut& json, int code);

// "poet: message" on standard error, and with Json the error as an object on standard output.
int refuse(const Error& error, Output output);

// "poet: warning: message" on standard error.
void warn(const std::string& message);

// The files that go with an answer. After one that could not be written no more are.
class WrittenFiles {
 public:
  // Nothing where there is no path.
  void write(const std::optional<std::string>& path, const std::string& text);
  // Prints the answer, which names them, and then what could not be written.
  int print(JsonOut& json, std::string text, Output output, int code) const;

 private:
  std::vector<std::string> paths_ = {};
  Failure failure_ = {};
};

}  // namespace poet::cli
