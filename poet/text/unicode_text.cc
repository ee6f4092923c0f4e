#include "poet/text/unicode_text.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace poet {
namespace {

const utf8proc_uint8_t* bytes_at(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

// The character that UTF-8 text begins with, and how many bytes it takes; -1 and 1 where there is
// none.
struct Character {
  utf8proc_int32_t code = -1;
  std::size_t bytes = 1;
};

Character first_of(std::string_view text) {
  Character first;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(bytes_at(text), static_cast<utf8proc_ssize_t>(text.size()), &first.code);
  if (bytes > 0) first.bytes = static_cast<std::size_t>(bytes);
  return first;
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

Character last_of(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && continues(text[begin])) --begin;
  return first_of(text.substr(begin));
}

bool is_space(utf8proc_int32_t code) {
  constexpr utf8proc_int32_t kNextLine = 0x85;
  if ((code >= '\t' && code <= '\r') || code == kNextLine) return true;
  const utf8proc_category_t category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool is_word(utf8proc_int32_t code) {
  const utf8proc_category_t category = utf8proc_category(code);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC;
}

int options_of(NormalForm form) {
  switch (form) {
    case NormalForm::Nfc:
      return UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    case NormalForm::Nfd:
      return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
    case NormalForm::Nfkc:
      return UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
    case NormalForm::Nfkd:
      return UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
  }
  return 0;
}

struct Free {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

}  // namespace

std::optional<std::size_t> first_not_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const Character next = first_of(bytes.substr(at));
    if (next.code < 0) return at;
    at += next.bytes;
  }
  return std::nullopt;
}

Result<std::string> normalised(std::string_view text, NormalForm form) {
  if (text.empty()) return std::string();
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(bytes_at(text), static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(options_of(form)));
  const std::unique_ptr<utf8proc_uint8_t, Free> owned(made);
  if (bytes < 0)
    return bad_input(fmt::format("text cannot be brought into the form {}: {}",
                                 name_of(kNormalForms, form), utf8proc_errmsg(bytes)));
  return std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(bytes));
}

std::size_t leading_space_bytes(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character next = first_of(text.substr(bytes));
    if (!is_space(next.code)) break;
    bytes += next.bytes;
  }
  return bytes;
}

std::size_t trailing_space_bytes(std::string_view text) {
  const std::size_t all = text.size();
  while (!text.empty()) {
    const Character last = last_of(text);
    if (!is_space(last.code)) break;
    text.remove_suffix(last.bytes);
  }
  return all - text.size();
}

bool begins_with_word(std::string_view text) {
  return !text.empty() && is_word(first_of(text).code);
}

bool ends_with_word(std::string_view text) {
  return !text.empty() && is_word(last_of(text).code);
}

std::size_t unfinished_bytes(std::string_view bytes) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t count = 1; count <= std::min(kLongest, bytes.size()); ++count) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - count]);
    if (continues(static_cast<char>(byte))) continue;
    const std::size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return count < whole ? count : 0;
  }
  return 0;
}

}  // namespace poet
