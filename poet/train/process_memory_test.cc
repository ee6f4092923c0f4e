#include "poet/train/process_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace poet {
namespace {

// Calls code of several libraries, and looks at constants of theirs that relocations have changed.
std::string what_libraries_say() {
  try {
    throw std::out_of_range(std::to_string(std::sin(0.5)));
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(ProcessMemory, GivesBackCodeThatComesBackAsItIsUsed) {
  const std::string before = what_libraries_say();
  const ProcessMemory full = process_memory();
  if (full.library_bytes == 0) GTEST_SKIP() << "the system does not say what is in RAM";
  forget_peak_memory();
  const ProcessMemory less = process_memory();
  EXPECT_LT(less.library_bytes, full.library_bytes);
  EXPECT_EQ(what_libraries_say(), before);
}

TEST(ProcessMemory, KnowsThePeakSinceItWasForgotten) {
  constexpr std::size_t kBytes = 64 << 20;
  { const std::vector<char> much(kBytes, 'x'); }
  forget_peak_memory();
  const ProcessMemory before = process_memory();
  if (before.peak_bytes == 0) GTEST_SKIP() << "the system does not say what is in RAM";
  const std::vector<char> little(kBytes / 4, 'x');
  const ProcessMemory after = process_memory();
  EXPECT_GE(after.peak_bytes, before.resident_bytes + std::ssize(little) / 2);
  EXPECT_LT(after.peak_bytes, before.resident_bytes + std::ssize(little) * 2);
}

TEST(ProcessMemory, CountsWhatOfAnArenaIsInRam) {
  const std::vector<std::byte> touched(1 << 20, std::byte{1});
  EXPECT_EQ(resident_bytes({}), 0);
  EXPECT_GE(resident_bytes(touched), 1 << 20);
}

}  // namespace
}  // namespace poet
