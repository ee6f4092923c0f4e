#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/emit/emit_project.h"

namespace poet {

// How a card or flash is driven on one chip: a file of C against the registers of its manual, with
// what it shares with others (docs/decisions/0067-ports.md).
struct ChipPort {
  std::string_view name;        // "rp2040-sd"
  std::string_view title;       // one line for people
  std::string_view chip;        // "Raspberry Pi RP2040"
  std::string_view platform;    // the device whose figures its plans go by
  std::string_view compiler;    // what the names of its tools begin with: "arm-none-eabi-"
  std::string_view core_flags;  // of that compiler
  // Of poet/boards/ports, without "poet/boards/"; headers among them.
  std::vector<std::string_view> files;
  // What it has for plans with transfers beside the processor; empty: nothing.
  std::vector<std::string_view> channel_files = {};
  std::int64_t ram_bytes = 0;    // of the chip, that a program may use as one
  std::int64_t block_bytes = 0;  // what its storage is written in
  std::int64_t data_bytes = 0;   // of RAM that it keeps for itself
};

// One row per port, in the order in which help shows them.
const std::vector<ChipPort>& port_table();

// Refuses unknown names with a suggestion.
Result<ChipPort> find_port(std::string_view name);

// What of a project its port goes by.
struct PortedProject {
  std::int64_t storage_bytes = 0;
  bool overlapped = false;  // transfers are beside the processor
};

// Its C files, and port.mk, with which the project's makefile compiles all of it for the chip.
std::vector<EmittedFile> port_files(const ChipPort& port, const PortedProject& project);

// Those of its files that are compiled, by their paths in a project.
std::vector<std::string> port_sources(const ChipPort& port, const PortedProject& project);

// The header with poet_port_channel(), as a project includes it; empty: it has none.
std::string channel_header(const ChipPort& port);

inline constexpr const char* kPortMakefile = "port.mk";

}  // namespace poet
