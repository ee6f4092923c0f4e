#include "apps/cli/manual.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "apps/cli/environment.h"
#include "apps/cli/exit_code.h"
#include "apps/cli/help_text.h"

#ifndef POET_RELEASE_DATE
#error "the build defines POET_RELEASE_DATE"
#endif

namespace poet::cli {
namespace {

constexpr std::size_t kLineLetters = 78;

std::string_view roff_letter(char letter) {
  switch (letter) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '"':
      return "\\(dq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return {};
  }
}

// A line that begins with a dot or a quote would be a request; a quote is escaped anyway.
std::string as_line(std::string line) {
  if (line.starts_with('.')) line.insert(0, "\\&");
  return line + "\n";
}

// Neither broken words nor wide gaps: names of options are looked for.
std::string head(const std::string& name, std::string_view what) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return fmt::format(".TH {} 1 {} \"poet {}\" \"POET\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
                     roff_text(title), POET_RELEASE_DATE, version_number(), roff_text(name),
                     roff_text(what));
}

// The words of a command, so that they stay what they are when a line is filled.
std::string bold_line(std::string_view text) {
  return ".B " + roff_text(text) + "\n";
}

std::string item(const std::string& left, std::string_view what) {
  return ".TP\n" + left + roff_lines(what);
}

std::string option_item(const OptionRow& row) {
  std::string left;
  for (const std::string& name : names_of(row))
    left += fmt::format("{}\\fB{}\\fR", left.empty() ? "" : ", ", roff_text(name));
  if (!row.value.empty()) left += fmt::format(" \\fI{}\\fR", roff_text(row.value));
  const std::string words =
      row.only_words ? fmt::format(" ({})", fmt::join(row.words, ", ")) : std::string();
  return item(left + "\n", row.help + words);
}

std::string options_section(const Command& command) {
  std::string text = ".SH OPTIONS\n";
  std::string group;
  for (const OptionRow& row : command.options()) {
    if (row.group != group) text += ".SS " + roff_text(row.group) + "\n";
    group = row.group;
    text += option_item(row);
  }
  return text + item("\\fB\\-\\-help\\fR\n", "show options and examples");
}

std::string examples_section(const std::vector<Example>& examples) {
  std::string text = ".SH EXAMPLES\n";
  for (const Example& example : examples) text += item(bold_line(example.line), example.what);
  return text;
}

std::string exit_section() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitMeaning& row : kExitMeanings)
    text += item(fmt::format("{}\n", row.code), row.what);
  return text;
}

std::string environment_section() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable& row : environment_table())
    text += item(bold_line(row.name), row.what);
  return text;
}

std::string page_name(const Command& command) {
  return fmt::format("poet-{}", command.name);
}

std::string commands_section() {
  std::string text = ".SH COMMANDS\n";
  for (const Command& command : command_table())
    text += item(fmt::format(".BR {} (1)\n", roff_text(page_name(command))), command.what);
  return text;
}

std::string program_text() {
  return head("poet", "plan the training of neural networks in the memory that a device has") +
         ".SH SYNOPSIS\n.B poet\n.I COMMAND\n[options]\n.br\n.B poet \\-\\-version\n"
         ".SH DESCRIPTION\n" +
         roff_lines(
             "poet plans the training of a neural network in the memory that a device has: what to "
             "compute again and what to move to storage, with a proof of how good the plan is.") +
         ".PP\n" +
         roff_lines(
             "'poet help COMMAND' shows what a command needs and examples, with --all every "
             "option; 'poet --version' shows the version and which solver libraries answer.") +
         commands_section() + exit_section() + environment_section() +
         examples_section(find_command("solve")->examples);
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const std::string_view escaped = roff_letter(letter);
    if (escaped.empty())
      out += letter;
    else
      out += escaped;
  }
  return out;
}

std::string roff_lines(std::string_view text) {
  std::string out;
  std::string line;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = roff_text(text.substr(begin, end - begin));
    begin = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > kLineLetters) {
      out += as_line(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + as_line(std::move(line));
}

std::string manual_text(const Command& command) {
  return head(page_name(command), command.what) + ".SH SYNOPSIS\n" +
         bold_line(fmt::format("poet {}", command.name)) +
         (command.arguments.empty() ? "" : as_line(roff_text(command.arguments))) +
         ".SH DESCRIPTION\n" +
         roff_lines(fmt::format("'poet {}': {}.", command.name, command.what)) +
         options_section(command) + examples_section(command.examples) + exit_section() +
         environment_section() + ".SH SEE ALSO\n.BR poet (1)\n";
}

std::vector<ManualPage> manual_pages() {
  std::vector<ManualPage> pages = {{"poet.1", program_text()}};
  for (const Command& command : command_table())
    pages.push_back({page_name(command) + ".1", manual_text(command)});
  return pages;
}

}  // namespace poet::cli
