#include "poet/report/markup.h"

#include <fmt/format.h>

#include <optional>

#include "poet/report/figure_text.h"

namespace poet {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Nothing of a byte with which no character begins.
std::optional<std::size_t> continuation_bytes(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead <= 0xDF) return 1;
  if (lead >= 0xE0 && lead <= 0xEF) return 2;
  if (lead >= 0xF0 && lead <= 0xF4) return 3;
  return std::nullopt;
}

// Overlong forms, surrogates and what lies beyond U+10FFFF differ in their second byte.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

// The character that begins at `begin`, as its bytes in `text`; empty when it is not UTF-8.
std::string_view character_at(std::string_view text, std::size_t begin) {
  const auto lead = static_cast<unsigned char>(text[begin]);
  const std::optional<std::size_t> more = continuation_bytes(lead);
  if (!more || begin + *more >= text.size()) return {};
  for (std::size_t at = begin + 1; at <= begin + *more; ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) return {};
  if (*more > 0 && !second_byte_fits(lead, static_cast<unsigned char>(text[begin + 1]))) return {};
  return text.substr(begin, *more + 1);
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool is_forbidden_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

// Each character of `text` through `write`, which gets an empty piece for what is not UTF-8.
template <typename Write>
void for_each_character(std::string_view text, Write write) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view piece = character_at(text, at);
    write(piece);
    at += piece.empty() ? 1 : piece.size();
  }
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::string_view piece) {
    if (piece.empty() || (piece.size() == 1 && is_forbidden_control(piece[0])))
      out += kReplacement;
    else if (const std::string_view name = entity(piece[0]); !name.empty())
      out += name;
    else
      out += piece;
  });
  return out;
}

std::string script_string(std::string_view text) {
  std::string out = "\"";
  for_each_character(text, [&](std::string_view piece) {
    if (piece.empty())
      out += kReplacement;
    else if (piece.size() == 1 && (static_cast<unsigned char>(piece[0]) < 0x20 ||
                                   std::string_view("\"\\<>&").find(piece[0]) != std::string::npos))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(piece[0]));
    else
      out += piece;
  });
  return out + "\"";
}

std::string coordinate(double value) {
  return short_number(value, 2);
}

}  // namespace poet
