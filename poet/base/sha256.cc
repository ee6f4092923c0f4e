#include "poet/base/sha256.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>

#include "poet/base/check.h"

namespace poet {

struct Sha256::State {
  EVP_MD_CTX* context = nullptr;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  state_->context = EVP_MD_CTX_new();
  POET_CHECK(state_->context != nullptr);
  POET_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() {
  EVP_MD_CTX_free(state_->context);
}

void Sha256::add(std::span<const std::byte> bytes) {
  POET_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

void Sha256::add(std::string_view text) {
  add(std::as_bytes(std::span(text)));
}

std::string Sha256::digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int count = 0;
  POET_CHECK(EVP_DigestFinal_ex(state_->context, bytes.data(), &count) == 1);
  std::string digits;
  for (unsigned int i = 0; i < count; ++i) digits += fmt::format("{:02x}", bytes[i]);
  return digits;
}

std::string sha256_of(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.digest();
}

}  // namespace poet
