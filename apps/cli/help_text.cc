#include "apps/cli/help_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "apps/cli/environment.h"
#include "poet/solve/linear_backend.h"

#ifndef POET_VERSION
#error "the build defines POET_VERSION"
#endif

namespace poet::cli {
namespace {

constexpr std::size_t kIndent = 34;
constexpr std::size_t kWidth = 100;

// Words filled into lines of kWidth that begin at column kIndent; the first line continues one that
// already holds `begun` characters.
std::string filled(const std::string& text, std::size_t begun) {
  std::string out =
      begun < kIndent ? std::string(kIndent - begun, ' ') : "\n" + std::string(kIndent, ' ');
  std::size_t column = kIndent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t width = end - begin;
    if (column > kIndent && column + 1 + width > kWidth) {
      out += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    }
    if (column > kIndent) {
      out += ' ';
      ++column;
    }
    out += text.substr(begin, width);
    column += width;
    begin = end + 1;
  }
  return out + "\n";
}

std::string option_line(const OptionRow& row) {
  const std::string left = fmt::format("  {}{}{}", fmt::join(names_of(row), ", "),
                                       row.value.empty() ? "" : " ", row.value);
  const std::string words =
      row.only_words ? fmt::format(" ({})", fmt::join(row.words, ", ")) : std::string();
  return left + filled(row.help + words, left.size());
}

std::string options_text(const std::vector<OptionRow>& rows) {
  std::string text;
  std::string group;
  for (const OptionRow& row : rows) {
    if (row.group != group) text += "\n" + row.group + "\n";
    group = row.group;
    text += option_line(row);
  }
  return text;
}

}  // namespace

std::string overview_text() {
  std::string text =
      "poet plans the training of a neural network in the memory that a device has: what to "
      "compute "
      "again\nand what to move to storage, with a proof of how good the plan is.\n\n"
      "Usage: poet COMMAND [options]\n\nCommands\n";
  for (const Command& command : command_table())
    text += fmt::format("  {:<12}{}\n", command.name, command.what);
  return text +
         "\n'poet help COMMAND' shows a command's options and examples; 'poet --version' shows the "
         "version.\n\n"
         "Example\n  poet solve --model resnet18_cifar --platform m4 --ram-budget 737719 "
         "--runtime-budget 1.5\n";
}

std::string help_text(const Command& command) {
  std::string text =
      fmt::format("poet {}: {}\n\nUsage: poet {}{}{}\n", command.name, command.what, command.name,
                  command.arguments.empty() ? "" : " ", command.arguments);
  text += options_text(command.options());
  text += "\nExamples\n";
  for (const Example& example : command.examples)
    text += fmt::format("  {}\n      {}\n", example.line, example.what);
  return text;
}

std::string version_text() {
  std::string text = "poet " POET_VERSION "\n";
  for (const BackendEntry& entry : backend_table()) {
    const auto backend = entry.open(library_directories());
    text += fmt::format(
        "  {:<8}{}\n", entry.name,
        backend.ok() ? (*backend)->version() : "not available: " + backend.error().message);
  }
  return text;
}

}  // namespace poet::cli
