#include "poet/text/byte_alphabet.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace poet {
namespace {

constexpr int kByteValues = 256;
constexpr int kLetters = 0x144;  // none is beyond U+0143
constexpr int kNoByte = -1;

constexpr bool is_printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<int, kByteValues> letter = {};
  std::array<int, kLetters> byte = {};
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.byte.fill(kNoByte);
  int next = kByteValues;
  for (int byte = 0; byte < kByteValues; ++byte) {
    const int letter = is_printable(byte) ? byte : next++;
    alphabet.letter[static_cast<std::size_t>(byte)] = letter;
    alphabet.byte[static_cast<std::size_t>(letter)] = byte;
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

std::string letter_of_byte(unsigned char byte) {
  const int letter = kAlphabet.letter[byte];
  if (letter < 0x80) return {static_cast<char>(letter)};
  return {static_cast<char>(0xC0 | letter >> 6), static_cast<char>(0x80 | (letter & 0x3F))};
}

std::optional<std::string> bytes_of_letters(std::string_view letters) {
  std::string bytes;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    int letter = static_cast<unsigned char>(letters[i]);
    if (letter >= 0x80) {
      // All letters beyond ASCII take two bytes in UTF-8.
      if ((letter & 0xE0) != 0xC0 || i + 1 == letters.size()) return std::nullopt;
      letter = (letter & 0x1F) << 6 | (static_cast<unsigned char>(letters[++i]) & 0x3F);
    }
    if (letter >= kLetters) return std::nullopt;
    const int byte = kAlphabet.byte[static_cast<std::size_t>(letter)];
    if (byte == kNoByte) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace poet
