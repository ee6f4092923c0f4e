// Whose registers a driver reads and writes in a test, and where memory lies for that chip.
#pragma once

#include <cstdint>
#include <functional>

namespace poet {

struct SimulatedRegisters {
  std::function<std::uint32_t(std::uint32_t address)> read;
  std::function<void(std::uint32_t address, std::uint32_t value)> write;
  std::function<std::uint32_t(const void* memory)> bus_address;
};

// Of the test that runs.
inline SimulatedRegisters simulated_registers;

}  // namespace poet
