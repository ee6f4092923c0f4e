// The card of a sketch, a folder on a PC. Counts of bytes have 16 bits where Arduino's library has
// them so.
#pragma once

#include <cstdint>
#include <cstdio>

constexpr std::uint8_t O_READ = 1;
constexpr std::uint8_t O_WRITE = 2;

class File {
 public:
  File() = default;
  explicit File(std::FILE* file) : file_(file) {}
  explicit operator bool() const { return file_ != nullptr; }
  bool seek(std::uint32_t offset) {
    return offset <= size() && std::fseek(file_, static_cast<long>(offset), SEEK_SET) == 0;
  }
  int read(void* into, std::uint16_t bytes) {
    return static_cast<int>(std::fread(into, 1, bytes, file_));
  }
  std::size_t write(const std::uint8_t* from, std::size_t bytes) {
    return std::fwrite(from, 1, bytes, file_);
  }
  void flush() { std::fflush(file_); }
  std::uint32_t size() {
    const long at = std::ftell(file_);
    std::fseek(file_, 0, SEEK_END);
    const long end = std::ftell(file_);
    std::fseek(file_, at, SEEK_SET);
    return static_cast<std::uint32_t>(end);
  }

 private:
  std::FILE* file_ = nullptr;
};

struct Card {
  bool begin(int) { return true; }
  File open(const char* name, std::uint8_t mode = O_READ) {
    return File(std::fopen(name, mode == O_READ ? "rb" : "r+b"));
  }
};
inline Card SD;
