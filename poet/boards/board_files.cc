#include "poet/boards/board_files.h"

#include <fmt/format.h>

#include <utility>

#include "poet/base/check.h"
#include "poet/boards/firmware_texts.h"

namespace poet {
namespace {

constexpr std::string_view kFolder = "poet/boards/firmware/";

using Word = std::pair<std::string_view, std::string>;

std::string filled(std::string_view text, const std::vector<Word>& words) {
  std::string out(text);
  for (const auto& [name, value] : words) {
    const std::string mark = fmt::format("@{}@", name);
    for (std::size_t at = out.find(mark); at != std::string::npos;
         at = out.find(mark, at + value.size()))
      out.replace(at, mark.size(), value);
  }
  return out;
}

bool is_clock(std::string_view name) {
  return name.starts_with("clock_");
}

// Whether the board's program has this file.
bool is_of(const EmulatedBoard& board, std::string_view name) {
  return !name.ends_with(".in") && (!is_clock(name) || name == board.clock);
}

std::string source_lines(const EmulatedBoard& board) {
  std::string lines;
  for (const FirmwareText& text : firmware_text_table())
    if (is_of(board, text.name) && text.name.ends_with(".c"))
      lines += fmt::format("{}  {}{}", lines.empty() ? "" : " \\\n", kFolder, text.name);
  return lines;
}

std::vector<Word> words_of(const EmulatedBoard& board, std::int64_t storage_bytes) {
  return {{"BOARD", std::string(board.name)},
          {"TITLE", std::string(board.title)},
          {"MACHINE", std::string(board.machine)},
          {"CORE_FLAGS", std::string(board.core_flags)},
          {"SHIFT", fmt::format("{}", kInstructionShift)},
          {"RAM_BYTES", fmt::format("{}", board.ram_bytes)},
          {"FLASH_BYTES", fmt::format("{}", board.flash_bytes)},
          {"STACK_BYTES", fmt::format("{}", board.stack_bytes)},
          {"STORAGE_BYTES", fmt::format("{}", storage_bytes)},
          {"FIRMWARE", source_lines(board)}};
}

}  // namespace

std::vector<EmittedFile> board_files(const EmulatedBoard& board, std::int64_t storage_bytes) {
  const std::vector<Word> words = words_of(board, storage_bytes);
  std::vector<EmittedFile> files;
  for (const FirmwareText& text : firmware_text_table()) {
    if (text.name.ends_with(".in")) {
      const std::string_view name = text.name.substr(0, text.name.size() - 3);
      files.push_back({std::string(name), filled(text.text, words)});
    } else if (is_of(board, text.name)) {
      files.push_back({fmt::format("{}{}", kFolder, text.name), std::string(text.text)});
    }
  }
  return files;
}

std::string program_path(const EmulatedBoard& board) {
  return fmt::format("build/{}/train.elf", board.name);
}

std::string map_path(const EmulatedBoard& board) {
  return fmt::format("build/{}/train.map", board.name);
}

}  // namespace poet
