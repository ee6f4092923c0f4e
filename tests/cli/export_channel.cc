// Trains an emitted project with --port stm32f4-sdio whose transfers are beside the processor, from
// a card, a host and a DMA stream that are simulated by their registers, by the project's own
// driver, channel and program for a first try.
//
//   export_channel PORT.IMAGE EXAMPLES STEPS SPOILT
//
// spoils so many blocks on their way from the card, and writes how many words DMA moved, and the
// SHA-256 of the parameters.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "simulated_dma.h"
#include "simulated_sdio.h"

extern "C" {
#include "poet/boards/ports/stm32_channel.h"
#include "poet/boards/ports/stm32_sd.h"
#include "poet/boards/ports/train_from_card.h"
#include "poet_train.h"
#include "sha256.h"
}

namespace {

// Around what moves first: the arena lies within.
constexpr std::uintptr_t kReach = std::uintptr_t{1} << 27;
constexpr std::size_t kCardBytes = 16 << 20;

poet::SimulatedSdio sim;
poet::SimulatedDma dma(sim);
poet_sdio_card card;
int spoilt = 0;

bool is_dma(std::uint32_t address) {
  return address == poet::SimulatedDma::kClocks ||
         (address >= poet::SimulatedDma::kBase && address < poet::SimulatedDma::kEnd);
}

// Where the chip has it: aligned as it is here.
std::uint32_t place_of(const void* memory) {
  const auto place = reinterpret_cast<std::uintptr_t>(memory);
  static const std::uintptr_t begin = place / 64 * 64 - kReach;
  dma.memory = {reinterpret_cast<std::uint8_t*>(begin), 2 * kReach};
  return dma.memory_begins + static_cast<std::uint32_t>(place - begin);
}

void add(void* user, const void* bytes, std::uint32_t size) {
  sha256_add(static_cast<sha256*>(user), bytes, size);
}

bool read_card(const char* path) {
  std::ifstream file(path, std::ios::binary);
  sim.card.memory.assign(std::istreambuf_iterator<char>(file), {});
  const bool is_good = file && !sim.card.memory.empty() && sim.card.memory.size() < kCardBytes;
  sim.card.memory.resize(kCardBytes);
  return is_good;
}

}  // namespace

extern "C" std::uint32_t poet_read_register(std::uint32_t address) {
  if (address == 0xE000ED14) return 0;  // no cache
  return is_dma(address) ? dma.read(address) : sim.read(address);
}
extern "C" void poet_write_register(std::uint32_t address, std::uint32_t value) {
  if (is_dma(address))
    dma.write(address, value);
  else
    sim.write(address, value);
}
extern "C" std::uint32_t poet_bus_address(const void* memory) {
  return place_of(memory);
}
extern "C" poet_sdio_card* poet_port_card(void) {
  return &card;
}
extern "C" poet_port_status poet_port_problem(void) {
  return card.blocks.problem;
}
extern "C" poet_port_status poet_port_open(poet_storage* storage) {
  const poet_port_status status =
      poet_sdio_storage(&card, poet::SimulatedSdio::kBase, 48'000'000, storage);
  sim.spoilt_reads = spoilt;
  return status;
}

int main(int count, char** words) {
  if (count != 5 || !read_card(words[1])) return 2;
  sim.serve = [] { dma.serve(); };
  spoilt = std::atoi(words[4]);
  const poet_card_training training = {static_cast<std::uint32_t>(std::atoi(words[2])),
                                       static_cast<std::uint32_t>(std::atoi(words[3])), 1u,
                                       nullptr};
  const poet_status status = poet_train_from_card(&training);
  for (const std::string& complaint : dma.complaints) std::printf("%s\n", complaint.c_str());
  if (status != POET_OK || !dma.complaints.empty()) {
    std::printf("status %d, the card's %d\n", static_cast<int>(status), poet_port_problem());
    return 1;
  }
  sha256 hash;
  char digits[65];
  sha256_begin(&hash);
  if (poet_parameters(add, &hash) != POET_OK) return 1;
  sha256_end(&hash, digits);
  std::printf("%lld words, parameters %s\n", static_cast<long long>(dma.words), digits);
  return 0;
}
