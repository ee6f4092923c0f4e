#include "poet/boards/board_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "poet/base/check.h"
#include "poet/boards/chip_port.h"
#include "poet/boards/firmware_texts.h"

namespace poet {
namespace {

constexpr std::string_view kFolder = "poet/boards/firmware/";
constexpr std::int64_t kSmallestCardBytes = 1 << 20;

bool is_clock(std::string_view name) {
  return name.starts_with("clock_");
}

// Whether the board's program has this file.
bool is_of(const EmulatedBoard& board, std::string_view name) {
  if (name.ends_with(".in") || name.starts_with("ports/")) return false;
  if (name == "card_file.c") return board.port.empty();
  if (name == "card_port.c") return !board.port.empty();
  return !is_clock(name) || name == board.clock;
}

std::string source_lines(const EmulatedBoard& board) {
  std::string lines;
  for (const FirmwareText& text : firmware_text_table())
    if (is_of(board, text.name) && text.name.ends_with(".c"))
      lines += fmt::format("{}  {}{}", lines.empty() ? "" : " \\\n", kFolder, text.name);
  if (!board.port.empty())
    for (const std::string& source : port_sources(*find_port(board.port), {}))
      lines += fmt::format(" \\\n  {}", source);
  return lines;
}

std::string further_regions(const EmulatedBoard& board) {
  std::string lines;
  for (const BoardMemory& memory : board.further)
    lines += fmt::format("  {} (rw) : ORIGIN = {:#010x}, LENGTH = {}\n", memory.name,
                         memory.address, memory.size_bytes);
  return lines;
}

// Of the arenas in them, which nothing fills (poet/emit/arena_texts.h).
std::string further_sections(const EmulatedBoard& board) {
  std::string text;
  for (const BoardMemory& memory : board.further)
    text += fmt::format("  .{0} (NOLOAD) : ALIGN(8) {{ *(.bss.poet_arena_{0}) }} > {0}\n\n",
                        memory.name);
  return text;
}

std::vector<FirmwareWord> words_of(const EmulatedBoard& board, std::int64_t storage_bytes) {
  return {{"BOARD", std::string(board.name)},
          {"TITLE", std::string(board.title)},
          {"MACHINE", std::string(board.machine)},
          {"CORE_FLAGS", std::string(board.core_flags)},
          {"SHIFT", fmt::format("{}", kInstructionShift)},
          {"RAM_BYTES", fmt::format("{}", board.ram_bytes)},
          {"FLASH_BYTES", fmt::format("{}", board.flash_bytes)},
          {"STACK_BYTES", fmt::format("{}", board.stack_bytes)},
          {"CARD_BYTES", fmt::format("{}", card_bytes(board, storage_bytes))},
          {"DRIVE", board.port.empty() ? "" : std::string(kCardDrive) + " "},
          {"FURTHER_REGIONS", further_regions(board)},
          {"FURTHER_SECTIONS", further_sections(board)},
          {"FIRMWARE", source_lines(board)}};
}

}  // namespace

std::vector<EmittedFile> board_files(const EmulatedBoard& board, std::int64_t storage_bytes) {
  const std::vector<FirmwareWord> words = words_of(board, storage_bytes);
  std::vector<EmittedFile> files;
  for (const FirmwareText& text : firmware_text_table()) {
    if (text.name.ends_with(".in") && !text.name.starts_with("ports/")) {
      const std::string_view name = text.name.substr(0, text.name.size() - 3);
      files.push_back({std::string(name), filled_firmware(text.text, words)});
    } else if (is_of(board, text.name)) {
      files.push_back({fmt::format("{}{}", kFolder, text.name), std::string(text.text)});
    }
  }
  if (board.port.empty()) return files;
  for (EmittedFile& file : port_files(*find_port(board.port), {.storage_bytes = storage_bytes}))
    if (file.path != kPortMakefile) files.push_back(std::move(file));
  return files;
}

std::int64_t card_bytes(const EmulatedBoard& board, std::int64_t storage_bytes) {
  if (board.port.empty()) return storage_bytes;
  return std::max(
      kSmallestCardBytes,
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(storage_bytes))));
}

std::string program_path(const EmulatedBoard& board) {
  return fmt::format("build/{}/train.elf", board.name);
}

std::string map_path(const EmulatedBoard& board) {
  return fmt::format("build/{}/train.map", board.name);
}

}  // namespace poet
