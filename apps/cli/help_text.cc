#include "apps/cli/help_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "apps/cli/environment.h"
#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
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

// What 'poet help COMMAND TOPIC' calls the groups of options.
struct Topic {
  std::string_view name;
  std::string_view group;
};
constexpr Topic kTopics[] = {
    {"network", "What to plan"},
    {"costs", "Where costs come from (real graphs)"},
    {"kernels", "What executes it (real graphs)"},
    {"training", "How it is trained (real graphs)"},
    {"gains", "What is worth training"},
    {"limits", "What it must fit into"},
    {"levels", "RAM that comes and goes"},
    {"techniques", "What a schedule may do, and what counts"},
    {"search", "How to search"},
    {"methods", "Which methods"},
    {"sweep", "How to sweep"},
    {"output", "What comes out"},
    {"data", "What to learn from"},
    {"steps", "How long, and how fast"},
    {"storage", "Where what does not fit goes"},
    {"checkpoint", "What is kept"},
    {"project", "What is written, and for which board"},
    {"file", "What is written"},
    {"board", "The board, and what stays of it"},
    {"board", "An emulated board, in place of this machine"},
    {"measuring", "How to measure"},
};

std::string_view topic_of(const std::string& group) {
  const auto* const topic = std::find_if(std::begin(kTopics), std::end(kTopics),
                                         [&group](const Topic& one) { return one.group == group; });
  POET_CHECK(topic != std::end(kTopics));
  return topic->name;
}

std::vector<std::string> groups_of(const std::vector<OptionRow>& rows) {
  std::vector<std::string> groups;
  for (const OptionRow& row : rows)
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end())
      groups.push_back(row.group);
  return groups;
}

std::vector<OptionRow> rows_in(const std::vector<OptionRow>& rows, const std::string& group) {
  std::vector<OptionRow> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
               [&group](const OptionRow& row) { return row.group == group; });
  return found;
}

std::string first_text(const Command& command, const std::vector<OptionRow>& rows) {
  std::string text = "\nThe options that people need first\n";
  for (const std::string_view name : command.first) {
    const auto row = std::find_if(rows.begin(), rows.end(), [name](const OptionRow& one) {
      return names_of(one).front() == name;
    });
    POET_CHECK(row != rows.end());
    text += option_line(*row);
  }
  return text;
}

std::string topics_text(const Command& command, const std::vector<OptionRow>& rows) {
  std::string text = "\nAll options, by topic\n";
  for (const std::string& group : groups_of(rows)) {
    const std::string left = fmt::format("  poet help {} {}", command.name, topic_of(group));
    std::string names;
    for (const OptionRow& row : rows_in(rows, group))
      names += (names.empty() ? "" : " ") + names_of(row).front();
    text += left + filled(fmt::format("{}: {}", group, names), left.size());
  }
  const std::string all = fmt::format("  poet help {} --all", command.name);
  return text + all + filled("every option", all.size());
}

std::string usage_text(const Command& command) {
  return fmt::format("poet {}: {}\n\nUsage: poet {}{}{}\n", command.name, command.what,
                     command.name, command.arguments.empty() ? "" : " ", command.arguments);
}

std::string examples_text(const Command& command, std::string_view begin = "") {
  std::string text = "\nExamples\n";
  for (const Example& example : command.examples)
    if (example.line.starts_with(begin))
      text += fmt::format("  {}\n      {}\n", example.line, example.what);
  return text;
}

// Each heading once, wherever the rows of its group stand.
std::string options_text(const std::vector<OptionRow>& rows) {
  std::string text;
  for (const std::string& group : groups_of(rows)) {
    text += "\n" + group + "\n";
    for (const OptionRow& row : rows_in(rows, group)) text += option_line(row);
  }
  return text;
}

std::string word_help_text(const Command& command, const std::string& word) {
  const std::string begin = fmt::format("poet {} {}", command.name, word);
  return begin + "\n" + options_text(command.options_after(word)) +
         examples_text(command, begin + " ");
}

}  // namespace

std::string overview_text() {
  std::string text =
      "poet plans the training of a neural network in the memory that a device has: what to "
      "compute "
      "again\nand what to move to storage, with a proof of how good the plan is.\n\n"
      "Usage: poet COMMAND [options]\n\nCommands\n";
  for (const Command& command : command_table())
    text += fmt::format("  {:<14}{}\n", command.name, command.what);
  return text +
         "\n'poet help COMMAND' shows what a command needs and examples, with --all every option;\n"
         "'poet help weights' says what --weights and --adapter-weights take;\n'poet --version' "
         "shows the version.\n\n"
         "Example\n  poet solve --model resnet18_cifar --platform m4 --ram-budget 737719 "
         "--runtime-budget 1.5\n";
}

std::string help_text(const Command& command) {
  if (command.first.empty()) return full_help_text(command);
  const std::vector<OptionRow> rows = command.options();
  return usage_text(command) + first_text(command, rows) + topics_text(command, rows) +
         examples_text(command);
}

std::string full_help_text(const Command& command) {
  return usage_text(command) + options_text(command.options()) + examples_text(command);
}

Result<std::string> topic_help_text(const Command& command, const std::string& topic) {
  if (command.options_after != nullptr &&
      std::find(command.words.begin(), command.words.end(), topic) != command.words.end())
    return word_help_text(command, topic);
  const std::vector<OptionRow> rows = command.options();
  std::vector<std::string_view> topics;
  if (command.options_after != nullptr) topics.assign(command.words.begin(), command.words.end());
  std::string text;
  if (!command.first.empty())
    for (const std::string& group : groups_of(rows)) {
      topics.push_back(topic_of(group));
      if (topics.back() == topic) text += options_text(rows_in(rows, group));
    }
  if (!text.empty()) return fmt::format("poet {}\n{}", command.name, text);
  if (topics.empty())
    return bad_input(fmt::format("the help of {} has no topics; 'poet help {}' shows all of it",
                                 command.name, command.name));
  const std::string near = suggestion(topic, topics);
  return bad_input(fmt::format("the help of {} has no topic {}{}", command.name, in_quotes(topic),
                               near.empty() ? "; use " + alternatives(topics) : near));
}

std::string version_number() {
  return POET_VERSION;
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

std::string weights_help_text() {
  return R"(poet help weights: what --weights and --adapter-weights take

--weights PATH: values that others published, to begin with in place of initial ones
  FOLDER              as Hugging Face has it: model.safetensors, or model.safetensors.index.json and
                      the files that it lists; a config.json must be the network's
  FILE.safetensors    F32, F16, BF16 or F64, or blocks as 'poet quantise' writes them
  FILE.gguf           GGUF of version 2 or 3 for networks of Llama, Qwen2.5, Gemma 3, SmolLM2 and
                      GPT-2: F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K
  FOLDER of GPTQ      with quantize_config.json, or what it says in config.json: 4 or 8 bits
  Names are those that each network is published by; an ONNX file's are those of its initialisers.
  What lies in blocks of 8 or 4 bits stays as it is: adapters are trained beside it.

--adapter-weights FOLDER: adapters of low rank (LoRA), in place of --adapter
  as PEFT keeps them: adapter_config.json, which says rank and alpha, and
  adapter_model.safetensors, which says by its names beside which weights they are.
  Give the weights that they were learnt beside, too, by --weights.

What is refused, in one sentence with the file
  what is cut off, or not as its format has it; other types of values than these
  names and shapes that are not the network's, all at once; --weights-missing initial begins with
  initial values there
  a configuration of another network
  values that are infinite or not numbers, with their tensor and place, before anything is computed;
  --allow-non-finite goes on with them
  adapters whose configuration names the weights that they were learnt beside, without --weights;
  and whatever it asks for beyond W + (alpha / rank) B A

Examples
  poet train --model llama-tiny --sequence-length 16 --weights tiny-llama --adapter lora:rank=4 --batch-size 2 --steps 2
      a folder, whose weights stay, and adapters that are trained
  poet predict --model llama-tiny --sequence-length 16 --weights tiny-llama.gguf --examples 2 --batch-size 2
      a file of llama.cpp's
  poet eval --model llama-tiny --sequence-length 16 --weights tiny-llama --adapter-weights tiny-lora --examples 2 --batch-size 2
      adapters beside the weights that they were learnt beside
  poet export safetensors --model llama-tiny --weights tiny-llama --adapter-weights tiny-lora --merge --out merged-llama
      both in one, in a folder for --weights
)";
}

}  // namespace poet::cli
