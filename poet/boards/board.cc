#include "poet/boards/board.h"

#include <fmt/format.h>

#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/boards/chip_port.h"

namespace poet {

const std::vector<EmulatedBoard>& board_table() {
  static const std::vector<EmulatedBoard> table = {
      {.name = "qemu-m4",
       .title = "Cortex-M4F with the 256 KiB of RAM and 1 MiB of flash of a Nordic nRF52840",
       .platform = "m4",
       .machine = "mps2-an386",
       .core_flags = "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard",
       .clock = "clock_cmsdk.c",
       .ram_bytes = 256 << 10,
       .flash_bytes = 1 << 20,
       .stack_bytes = 8 << 10,
       .timer_hz = 25e6,
       .core_hz = 64e6},
      {.name = "qemu-m0",
       .title = "code for a Cortex-M0 without floating point, in the 32 KiB of RAM and 256 KiB of "
                "flash of a Microchip SAMD21",
       .platform = "m0",
       .machine = "mps2-an385",
       .core_flags = "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft",
       .clock = "clock_cmsdk.c",
       .ram_bytes = 32 << 10,
       .flash_bytes = 256 << 10,
       .stack_bytes = 7 << 10,
       .timer_hz = 25e6,
       .core_hz = 48e6},
      {.name = "qemu-microbit",
       .title = "BBC micro:bit: a Nordic nRF51822, Cortex-M0 with 16 KiB of RAM and 256 KiB of "
                "flash",
       .platform = "m0",
       .machine = "microbit",
       .core_flags = "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft",
       .clock = "clock_nrf51.c",
       .ram_bytes = 16 << 10,
       .flash_bytes = 256 << 10,
       .stack_bytes = 5 << 10,
       .timer_hz = 16e6,
       .core_hz = 16e6},
      {.name = "qemu-m0plus",
       .title = "code for a Cortex-M0+ without floating point, in the 264 KiB of RAM and 2 MiB of "
                "flash of a Raspberry Pi Pico (RP2040)",
       .platform = "m0",
       .machine = "mps2-an385",
       .core_flags = "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft",
       .clock = "clock_cmsdk.c",
       .ram_bytes = 264 << 10,
       .flash_bytes = 2 << 20,
       .stack_bytes = 8 << 10,
       .timer_hz = 25e6,
       .core_hz = 125e6},
      {.name = "qemu-m7",
       .title = "Cortex-M7 with floating point, in the 320 KiB of RAM and 1 MiB of flash of an "
                "STMicroelectronics STM32F746",
       .platform = "m4",
       .machine = "mps2-an500",
       .core_flags = "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard",
       .clock = "clock_cmsdk.c",
       .ram_bytes = 320 << 10,
       .flash_bytes = 1 << 20,
       .stack_bytes = 8 << 10,
       .timer_hz = 25e6,
       .core_hz = 216e6},
      {.name = "qemu-psram",
       .title = "code for a Cortex-M7 with floating point, in the 512 KiB of RAM, 8 MiB of PSRAM "
                "and 4 MiB of flash of an Espressif ESP32-S3-WROOM-1-N4R8",
       .platform = "esp32s3",
       .machine = "mps2-an500",
       .core_flags = "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard",
       .clock = "clock_cmsdk.c",
       .ram_bytes = 512 << 10,
       .flash_bytes = 4 << 20,
       .stack_bytes = 8 << 10,
       .further = {{.name = "psram", .address = 0x60000000, .size_bytes = 8 << 20}},
       .timer_hz = 25e6,
       .core_hz = 240e6},
      {.name = "qemu-stm32f405",
       .title =
           "Netduino Plus 2: an STMicroelectronics STM32F405, Cortex-M4F with 128 KiB of RAM and "
           "1 MiB of flash",
       .platform = "m4",
       .machine = "netduinoplus2",
       .core_flags = "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard",
       .clock = "clock_stm32.c",
       .ram_bytes = 128 << 10,
       .flash_bytes = 1 << 20,
       .stack_bytes = 8 << 10,
       .timer_hz = 25e6,
       .core_hz = 168e6},
      {.name = "qemu-lm3s6965",
       .title =
           "Texas Instruments LM3S6965 evaluation board: Cortex-M3 with 64 KiB of RAM, 256 KiB of "
           "flash, and an SD card over SPI",
       .platform = "m0",
       .machine = "lm3s6965evb",
       .core_flags = "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft",
       .clock = "clock_systick.c",
       .port = "lm3s6965-sd",
       .ram_bytes = 64 << 10,
       .flash_bytes = 256 << 10,
       .stack_bytes = 7 << 10,
       .timer_hz = 50e6,
       .core_hz = 50e6},
  };
  return table;
}

Result<EmulatedBoard> find_board(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EmulatedBoard& board : board_table()) {
    if (board.name == name) return board;
    names.push_back(board.name);
  }
  const std::string near = suggestion(name, names);
  return Error{ErrorCode::NotFound,
               fmt::format("there is no board {}{}", in_quotes(name),
                           near.empty() ? "; use " + alternatives(names) : near),
               {}};
}

std::int64_t arena_budget_bytes(const EmulatedBoard& board) {
  const std::int64_t port_bytes = board.port.empty() ? 0 : find_port(board.port)->data_bytes;
  return board.ram_bytes - board.stack_bytes - kFirmwareDataBytes - port_bytes;
}

double instructions_of(const EmulatedBoard& board, std::int64_t ticks) {
  constexpr double kInstruction_s = 1e-9 * (1 << kInstructionShift);
  return static_cast<double>(ticks) / (board.timer_hz * kInstruction_s);
}

}  // namespace poet
