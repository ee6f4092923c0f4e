#include "poet/boards/chip_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/boards/firmware_texts.h"

namespace poet {
namespace {

constexpr std::string_view kCortexM0 = "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft";
constexpr std::string_view kCortexM3 = "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft";
constexpr std::string_view kCortexM4 = "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard";
constexpr std::string_view kCortexM7 = "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard";
constexpr std::string_view kCortexM33 =
    "-mcpu=cortex-m33 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard";
// Debian has a C library for it, and the compiler is to be told so.
constexpr std::string_view kRiscv = "--specs=picolibc.specs -march=rv32imc -mabi=ilp32";

constexpr std::int64_t kCardBlock = 512;
constexpr std::int64_t kFlashSector = 4096;
// A block to change a part of it, and what is known of the card.
constexpr std::int64_t kCardData = kCardBlock + 128;
constexpr std::int64_t kFlashData = kFlashSector + 128;
// Where a transfer that is under way has come to. Kept of every plan's RAM: which one it will be is
// not known when the budget is.
constexpr std::int64_t kChannelData = 32;

// What all have, then what those have that talk to a card over SPI, over Arm's port, or four wires.
std::vector<std::string_view> files_with(std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> files = {
      "ports/port.h",      "ports/blocks.h",          "ports/blocks.c",
      "ports/registers.h", "ports/train_from_card.h", "ports/train_from_card.c"};
  files.insert(files.end(), more);
  return files;
}

std::vector<std::string_view> spi_files(std::string_view source) {
  return files_with({"ports/sd_card.h", "ports/sd_spi.h", "ports/sd_spi.c", source});
}

std::vector<std::string_view> pl022_files(std::initializer_list<std::string_view> sources) {
  std::vector<std::string_view> files = files_with(
      {"ports/sd_card.h", "ports/sd_spi.h", "ports/sd_spi.c", "ports/pl022.h", "ports/pl022.c"});
  files.insert(files.end(), sources);
  return files;
}

std::vector<std::string_view> stm32_files(std::string_view source) {
  return files_with(
      {"ports/sd_card.h", "ports/stm32_sd.h", "ports/stm32_sd.c", "ports/stm32_start.h", source});
}

std::vector<std::string_view> stm32_channel_files() {
  return {"ports/stm32_channel.h", "ports/stm32_channel.c"};
}

std::string lines_of(const std::vector<std::string>& sources) {
  std::string lines;
  for (const std::string& source : sources)
    lines += fmt::format("{}  {}", lines.empty() ? "" : " \\\n", source);
  return lines;
}

std::string_view text_of(std::string_view name) {
  for (const FirmwareText& text : firmware_text_table())
    if (text.name == name) return text.text;
  POET_CHECK(false);
  return {};
}

constexpr std::int64_t kSector = 512;

std::string path_of(std::string_view file) {
  return fmt::format("poet/boards/{}", file);
}

bool has_channel(const ChipPort& port, const PortedProject& project) {
  return project.overlapped && !port.channel_files.empty();
}

std::vector<std::string_view> files_for(const ChipPort& port, const PortedProject& project) {
  std::vector<std::string_view> files = port.files;
  if (has_channel(port, project))
    files.insert(files.end(), port.channel_files.begin(), port.channel_files.end());
  return files;
}

std::string port_makefile(const ChipPort& port, const PortedProject& project) {
  const std::int64_t examples_begin = (project.storage_bytes + kSector - 1) / kSector * kSector;
  return filled_firmware(text_of("ports/port.mk.in"),
                         {{"PORT", std::string(port.name)},
                          {"TITLE", std::string(port.title)},
                          {"COMPILER", std::string(port.compiler)},
                          {"CORE_FLAGS", std::string(port.core_flags)},
                          {"CHANNEL", has_channel(port, project) ? " -DPOET_PORT_CHANNEL" : ""},
                          {"EXAMPLES_BEGIN", fmt::format("{}", examples_begin)},
                          {"PORT_SOURCES", lines_of(port_sources(port, project))}});
}

}  // namespace

const std::vector<ChipPort>& port_table() {
  static const std::vector<ChipPort> table = {
      {.name = "nrf52840-sd",
       .title = "Nordic nRF52840, an SD card on SPIM0 by EasyDMA",
       .chip = "Nordic nRF52840",
       .platform = "m4",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM4,
       .files = spi_files("ports/nrf52840_sd.c"),
       .ram_bytes = 256 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData},
      {.name = "nrf52840-qspi",
       .title = "Nordic nRF52840, flash on QSPI, erased by sectors of 4 KiB",
       .chip = "Nordic nRF52840",
       .platform = "m4",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM4,
       .files = files_with({"ports/nrf52840_qspi.c"}),
       .ram_bytes = 256 << 10,
       .block_bytes = kFlashSector,
       .data_bytes = kFlashData},
      // Of its 192 KiB, 64 are a memory of their own that the arena does not continue into.
      {.name = "stm32f4-sdio",
       .title = "STMicroelectronics STM32F405 and F407, an SD card on four wires at SDIO",
       .chip = "STMicroelectronics STM32F405",
       .platform = "m4",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM4,
       .files = stm32_files("ports/stm32f4_sdio.c"),
       .channel_files = stm32_channel_files(),
       .ram_bytes = 128 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData + kChannelData},
      {.name = "stm32f7-sdmmc",
       .title = "STMicroelectronics STM32F746 and F756, an SD card on four wires at SDMMC1",
       .chip = "STMicroelectronics STM32F746",
       .platform = "m4",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM7,
       .files = stm32_files("ports/stm32f7_sdmmc.c"),
       .channel_files = stm32_channel_files(),
       .ram_bytes = 320 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData + kChannelData},
      {.name = "rp2040-sd",
       .title = "Raspberry Pi RP2040, an SD card on SPI0",
       .chip = "Raspberry Pi RP2040",
       .platform = "m0",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM0,
       .files = pl022_files({"ports/rp2_start.h", "ports/rp2040_sd.c"}),
       .ram_bytes = 264 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData},
      {.name = "rp2350-sd",
       .title = "Raspberry Pi RP2350 with its Arm cores, an SD card on SPI0",
       .chip = "Raspberry Pi RP2350",
       .platform = "m4",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM33,
       .files = pl022_files({"ports/rp2_start.h", "ports/rp2350_sd.c"}),
       .ram_bytes = 520 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData},
      // Of its 400 KiB, 16 are the cache of its flash.
      {.name = "esp32c3-sd",
       .title = "Espressif ESP32-C3 (RISC-V) without an operating system, an SD card on SPI2",
       .chip = "Espressif ESP32-C3",
       .platform = "m0",
       .compiler = "riscv64-unknown-elf-",
       .core_flags = kRiscv,
       .files = spi_files("ports/esp32c3_sd.c"),
       .ram_bytes = 384 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData},
      {.name = "lm3s6965-sd",
       .title = "Texas Instruments LM3S6965, an SD card on SSI0: QEMU emulates it",
       .chip = "Texas Instruments LM3S6965",
       .platform = "m0",
       .compiler = "arm-none-eabi-",
       .core_flags = kCortexM3,
       .files = pl022_files({"ports/lm3s6965_sd.c"}),
       .ram_bytes = 64 << 10,
       .block_bytes = kCardBlock,
       .data_bytes = kCardData},
  };
  return table;
}

Result<ChipPort> find_port(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ChipPort& port : port_table()) {
    if (port.name == name) return port;
    names.push_back(port.name);
  }
  const std::string near = suggestion(name, names);
  return Error{ErrorCode::NotFound,
               fmt::format("there is no port {}{}", in_quotes(name),
                           near.empty() ? "; use " + alternatives(names) : near),
               {}};
}

std::vector<std::string> port_sources(const ChipPort& port, const PortedProject& project) {
  std::vector<std::string> sources;
  for (const std::string_view file : files_for(port, project))
    if (file.ends_with(".c")) sources.push_back(path_of(file));
  return sources;
}

std::vector<EmittedFile> port_files(const ChipPort& port, const PortedProject& project) {
  std::vector<EmittedFile> files = {{kPortMakefile, port_makefile(port, project)}};
  for (const std::string_view file : files_for(port, project))
    files.push_back({path_of(file), std::string(text_of(file))});
  return files;
}

std::string channel_header(const ChipPort& port) {
  for (const std::string_view file : port.channel_files)
    if (file.ends_with(".h")) return path_of(file);
  return {};
}

}  // namespace poet
