#include "apps/cli/completion.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "apps/cli/command.h"

namespace poet::cli {
namespace {

constexpr std::string_view kGlobalOptions = "--help --version";

std::string command_names() {
  std::string names;
  for (const Command& command : command_table())
    names += (names.empty() ? "" : " ") + std::string(command.name);
  return names;
}

// A text inside single quotes of a shell.
std::string in_shell_quotes(std::string_view text) {
  std::string out = "'";
  for (const char letter : text)
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

// Where files or folders may stand, bash is told so by a word of its own.
std::string_view bash_kind(Completes completes) {
  switch (completes) {
    case Completes::Files:
      return "files";
    case Completes::Directories:
      return "folders";
    case Completes::Nothing:
      break;
  }
  return "";
}

std::string bash_values(const Command& command) {
  std::string text;
  for (const OptionRow& row : command.options())
    if (!row.value.empty())
      text += fmt::format("        {}) words={} kind={} ;;\n", fmt::join(names_of(row), "|"),
                          in_shell_quotes(fmt::format("{}", fmt::join(row.words, " "))),
                          in_shell_quotes(bash_kind(row.completes)));
  return text;
}

std::string bash_command(const Command& command) {
  std::string options = "--help";
  for (const OptionRow& row : command.options())
    options += fmt::format(" {}", fmt::join(names_of(row), " "));
  return fmt::format(
      "    {})\n      words={} kind={}\n      [[ $word == -* ]] && words={}\n      case $before "
      "in\n{}      esac ;;\n",
      command.name, in_shell_quotes(fmt::format("{}", fmt::join(command.words, " "))),
      in_shell_quotes(bash_kind(command.completes)), in_shell_quotes(options),
      bash_values(command) + "        *) ;;\n");
}

// zsh takes ':' and brackets in descriptions for its own.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == ':' || letter == '[' || letter == ']' || letter == '\\') out += '\\';
    out += letter;
  }
  return out;
}

// What help says of a switch is true of its first name; the second says not to.
std::string help_of(const OptionRow& row, const std::string& name) {
  if (!row.value.empty() || name == names_of(row).front()) return row.help;
  return "do not " + row.help.substr(0, row.help.find(';'));
}

std::string zsh_action(const std::vector<std::string>& words, Completes completes) {
  if (!words.empty() && completes == Completes::Nothing)
    return fmt::format("({})", fmt::join(words, " "));
  if (!words.empty()) return fmt::format("{{_values value {}; _files}}", fmt::join(words, " "));
  if (completes == Completes::Files) return "_files";
  return completes == Completes::Directories ? "_files -/" : " ";
}

std::string zsh_command(const Command& command) {
  std::string text = fmt::format("    {})\n      _arguments \\\n", command.name);
  for (const OptionRow& row : command.options())
    for (const std::string& name : names_of(row)) {
      const std::string value =
          row.value.empty()
              ? ""
              : fmt::format(":{}:{}", zsh_text(row.value), zsh_action(row.words, row.completes));
      text += fmt::format(
          "        {} \\\n",
          in_shell_quotes(fmt::format("{}[{}]{}", name, zsh_text(help_of(row, name)), value)));
    }
  if (!command.words.empty() || command.completes != Completes::Nothing)
    text += fmt::format(
        "        {} \\\n",
        in_shell_quotes(fmt::format("1:what:{}", zsh_action(command.words, command.completes))));
  return text + "        '--help[show options and examples]' ;;\n";
}

std::string fish_option(const Command& command, const OptionRow& row, const std::string& name) {
  std::string text = fmt::format("complete -c poet -n '__fish_seen_subcommand_from {}' -l {} -d {}",
                                 command.name, name.substr(2), in_shell_quotes(help_of(row, name)));
  if (row.value.empty()) return text + "\n";
  text += row.completes == Completes::Nothing ? " -x" : " -r -F";
  if (!row.words.empty())
    text += " -a " + in_shell_quotes(fmt::format("{}", fmt::join(row.words, " ")));
  return text + "\n";
}

}  // namespace

std::string bash_completion() {
  std::string text =
      "# bash completion for poet: source it, or save it as\n"
      "# ~/.local/share/bash-completion/completions/poet\n"
      "_poet() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= kind=\n"
      "  # bash takes the '=' of --option=value for a word of its own\n"
      "  [[ $word == '=' ]] && word=\n"
      "  [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    words=" +
      in_shell_quotes(command_names() + " " + std::string(kGlobalOptions)) +
      "\n  else case ${COMP_WORDS[1]} in\n";
  for (const Command& command : command_table()) text += bash_command(command);
  return text +
         "    *) ;;\n"
         "  esac; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  # with this, folders get a '/' and no blank; outside of a completion there is none\n"
         "  [[ $kind ]] && compopt -o filenames 2>/dev/null\n"
         "  if [[ $word != -* && $kind == files ]]; then\n"
         "    COMPREPLY+=($(compgen -f -- \"$word\"))\n"
         "  elif [[ $word != -* && $kind == folders ]]; then\n"
         "    COMPREPLY+=($(compgen -d -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _poet poet\n";
}

std::string zsh_completion() {
  std::string text =
      "#compdef poet\n"
      "# zsh completion for poet: save it as _poet in a folder of $fpath\n"
      "_poet() {\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a commands=(\n";
  for (const Command& command : command_table())
    text += fmt::format(
        "      {}\n",
        in_shell_quotes(fmt::format("{}:{}", command.name, zsh_text(std::string(command.what)))));
  text +=
      "    )\n    _describe command commands\n    return\n  fi\n  local command=${words[2]}\n"
      "  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const Command& command : command_table()) text += zsh_command(command);
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _poet ]]; then _poet \"$@\"; else compdef _poet poet; "
         "fi\n";
}

std::string fish_completion() {
  std::string text =
      "# fish completion for poet: save it as ~/.config/fish/completions/poet.fish\n"
      "complete -c poet -f\n";
  for (const Command& command : command_table())
    text += fmt::format("complete -c poet -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        in_shell_quotes(command.what));
  for (const Command& command : command_table()) {
    for (const OptionRow& row : command.options())
      for (const std::string& name : names_of(row)) text += fish_option(command, row, name);
    if (!command.words.empty())
      text +=
          fmt::format("complete -c poet -n '__fish_seen_subcommand_from {}' -a {}\n", command.name,
                      in_shell_quotes(fmt::format("{}", fmt::join(command.words, " "))));
    if (command.completes == Completes::Files)
      text +=
          fmt::format("complete -c poet -n '__fish_seen_subcommand_from {}' -F\n", command.name);
  }
  return text;
}

}  // namespace poet::cli
