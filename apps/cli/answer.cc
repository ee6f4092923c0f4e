#include "apps/cli/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "poet/api/report_json.h"
#include "poet/base/json_out.h"

namespace poet::cli {
namespace {

// Names come out of files that anyone wrote: what would steer a terminal is shown as '?'.
std::string without_controls(std::string text, bool keep_lines) {
  for (char& letter : text) {
    const unsigned char code = static_cast<unsigned char>(letter);
    const bool kept = keep_lines && (letter == '\n' || letter == '\t');
    if ((code < ' ' || code == 0x7F) && !kept) letter = '?';
  }
  return text;
}

}  // namespace

Output output_of(const std::vector<std::string>& arguments) {
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  return json ? Output::Json : Output::Text;
}

int print_text(const std::string& given, int code) {
  const std::string text = without_controls(given, true);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return code;
  fmt::print(stderr, "poet: cannot write to standard output: {}\n", std::strerror(errno));
  return kExitBadInput;
}

int print_json(const JsonOut& json, int code) {
  return print_text(json_text(json), code);
}

int refuse(const Error& error, Output output) {
  fmt::print(stderr, "poet: {}\n", without_controls(to_string(error), false));
  if (output == Output::Json) return print_json(error_to_json(error), kExitBadInput);
  return kExitBadInput;
}

void warn(const std::string& message) {
  fmt::print(stderr, "poet: warning: {}\n", without_controls(message, false));
}

}  // namespace poet::cli
