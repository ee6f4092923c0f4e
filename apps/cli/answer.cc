#include "apps/cli/answer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/text_file.h"
#include "poet/tell/report_json.h"

namespace poet::cli {

void tell(std::string_view text) {
  static_cast<void>(!std::fwrite(text.data(), 1, text.size(), stderr));
  std::fflush(stderr);
  std::clearerr(stderr);
}

namespace {

enum class Breaks { All, OfLists };

// The code points beyond ASCII that steer a terminal: more controls (some terminals obey them),
// marks and brackets that turn the direction of what is read, and breaks of lines and paragraphs.
bool steers(std::uint32_t code) {
  return (code >= 0x80 && code <= 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Each character beyond ASCII that steers, through `replace`. All of them have two or three bytes
// in UTF-8; what is not UTF-8 has none.
template <typename Replace>
std::string with_steering_replaced(std::string_view text, Replace replace) {
  const auto low_bits = [&](std::size_t i) -> std::uint32_t {
    const auto byte = static_cast<unsigned char>(i < text.size() ? text[i] : 0);
    return (byte & 0xC0) == 0x80 ? byte & 0x3FU : 0x10000U;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    std::uint32_t code = bytes == 3 ? lead & 0x0FU : lead & 0x1FU;
    for (std::size_t k = 1; k < bytes; ++k) code = code << 6 | low_bits(i + k);
    const bool is_replaced = bytes > 1 && steers(code);
    out += is_replaced ? replace(code) : std::string(1, text[i]);
    i += is_replaced ? bytes : 1;
  }
  return out;
}

// Names come out of files that anyone wrote: what would steer a terminal is shown as '?'. Of a
// message only the lines of lists are kept, which are indented, so that no name can look like a
// message of its own.
std::string without_controls(const std::string& given, Breaks kept_breaks) {
  std::string text = with_steering_replaced(given, [](std::uint32_t) { return std::string("?"); });
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char code = static_cast<unsigned char>(text[i]);
    if (code >= ' ' && code != 0x7F) continue;
    const bool all = kept_breaks == Breaks::All;
    const bool is_kept =
        text[i] == '\n' ? all || text.compare(i + 1, 2, "  ") == 0 : all && text[i] == '\t';
    if (!is_kept) text[i] = '?';
  }
  return text;
}

std::optional<int> answers = STDOUT_FILENO;
int why_no_answers = 0;       // of errno
bool is_anybody_told = true;  // who closes both streams wants no words

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void keep_standard_output() {
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  answers = kept < 0 ? std::nullopt : std::optional(kept);
  why_no_answers = kept < 0 ? errno : 0;
  is_anybody_told = fcntl(STDERR_FILENO, F_GETFD) >= 0;
  const int nowhere = kept < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
}

std::optional<int> answer_file() {
  return answers;
}

Output output_of(const std::vector<std::string>& arguments) {
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  return json ? Output::Json : Output::Text;
}

int print_text(const std::string& given, int code) {
  const std::string text = without_controls(given, Breaks::All);
  if (answers ? write_all(*answers, text) : !is_anybody_told) return code;
  tell(fmt::format("poet: cannot write to standard output: {}\n",
                   answers                   ? std::strerror(errno)
                   : why_no_answers == EBADF ? "it is closed"
                                             : std::strerror(why_no_answers)));
  return kExitBadInput;
}

int print_json(const JsonOut& json, int code) {
  // They can only stand in strings, and keep their meaning when they are written by their numbers.
  return print_text(
      with_steering_replaced(json_text(json),
                             [](std::uint32_t letter) { return fmt::format("\\u{:04x}", letter); }),
      code);
}

int refuse(const Error& error, Output output) {
  tell(fmt::format("poet: {}\n", without_controls(to_string(error), Breaks::OfLists)));
  if (output == Output::Json) return print_json(error_to_json(error), kExitBadInput);
  return kExitBadInput;
}

void warn(const std::string& message) {
  tell(fmt::format("poet: warning: {}\n", without_controls(message, Breaks::OfLists)));
}

void WrittenFiles::write(const std::optional<std::string>& path, const std::string& text) {
  if (!path || failure_) return;
  failure_ = write_text_file(*path, text);
  if (!failure_) paths_.push_back(*path);
}

int WrittenFiles::print(JsonOut& json, std::string text, Output output, int code) const {
  json["files"] = paths_;
  if (!paths_.empty()) text += "\n";
  for (const std::string& path : paths_) text += fmt::format("  wrote {}\n", path);
  const int printed = output == Output::Json ? print_json(json, code) : print_text(text, code);
  return failure_ ? refuse(*failure_, Output::Text) : printed;
}

}  // namespace poet::cli
