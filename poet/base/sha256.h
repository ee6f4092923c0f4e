#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace poet {

// SHA-256 (FIPS 180-4) of bytes that come piece by piece: tells whether contents are the same.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  // Of everything that was added: 64 hexadecimal digits. Nothing can be added afterwards.
  std::string digest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of a text.
std::string sha256_of(std::string_view text);

}  // namespace poet
