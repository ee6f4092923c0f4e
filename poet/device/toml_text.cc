#include "poet/device/toml_text.h"

#include <cstddef>
#include <optional>

namespace poet {
namespace {

enum class Inside { Nothing, Comment, BasicText, LiteralText };

bool is_ascii(char letter) {
  return static_cast<unsigned char>(letter) < 0x80;
}

constexpr char kNone = '\0';

// Dots in a key: a device file has two at the most, as in ram.size.value. toml++ makes a table of
// each, and takes them apart by recursion: of 50,000 the stack ran over.
constexpr int kMostDots = 8;

bool is_quote(char letter) {
  return letter == '"' || letter == '\'';
}

// Where toml++ expects a key or a value. Elsewhere it takes the mark and what follows for a part of
// a number.
bool may_precede_text(char letter) {
  return letter == kNone || letter == '[' || letter == '=' || letter == '{' || letter == ',';
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// On some machines a char has a sign.
bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < ' ' || letter == '\x7F';
}

// A byte of a UTF-8 character behind its first, which has no column of its own.
bool is_continuation(char letter) {
  return (static_cast<unsigned char>(letter) & 0xC0) == 0x80;
}

bool begins_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '"' ||
         letter == '\'';
}

// Whether a line that starts with '[' goes on as a table's header: "[name" or "[[name".
bool begins_header(std::string_view line) {
  const std::size_t brackets = line.substr(0, 2) == "[[" ? 2 : 1;
  const std::size_t name = line.find_first_not_of(" \t", brackets);
  return name != std::string_view::npos && begins_name(line[name]);
}

// Reads the text from its beginning, one byte at a time.
class Scan {
 public:
  Scan(std::string_view text, const std::string& file) : text_(text), where_{file, 1, 1} {}

  Failure run() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // a byte order mark
    for (; at_ < text_.size(); ++at_) {
      const Failure failure = inside_ == Inside::Nothing ? outside() : within();
      if (failure) return failure;
      advance();
    }
    if (is_text()) return open_text();
    return std::nullopt;
  }

 private:
  bool is_text() const { return inside_ == Inside::BasicText || inside_ == Inside::LiteralText; }
  Error open_text() const {
    return bad_input("a quotation mark is missing: a text ends on its line", opened_);
  }

  // "1e-3": only for a better message than that of a '-' anywhere.
  bool is_exponent_sign() const {
    if (at_ < 2 || at_ + 1 >= text_.size()) return false;
    const bool exponent = text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E';
    return exponent && is_digit(text_[at_ - 2]) && is_digit(text_[at_ + 1]);
  }

  // What stands in the way of giving this byte, outside of texts and comments, to toml++.
  std::optional<std::string> objection() const {
    const char letter = text_[at_];
    const std::string_view three = text_.substr(at_, 3);
    const bool ends_line = letter == '\n' || three.substr(0, 2) == "\r\n";
    if (!is_ascii(letter)) return "a character outside ASCII stands only in texts and comments";
    if (is_control(letter) && letter != '\t' && !ends_line)
      return "a control character (code " + std::to_string(letter) + ")";
    if (letter == '[' && last_ == kNone && !begins_header(text_.substr(at_)))
      return "expected the name of a table after '['";
    const bool second_bracket = header_ && *header_ + 1 == at_;
    if (letter == '[' && last_ != kNone && !second_bracket) return "a device file has no lists";
    if (letter == '.' && !in_value_ && dots_ == kMostDots)
      return "a key of more than " + std::to_string(kMostDots + 1) +
             " names; a device file has three at the most, such as ram.size.value";
    if (letter == '-' && in_value_ && last_ != '=' && !is_exponent_sign())
      return "a '-' inside a value; a device file has no dates";
    if (letter == '{' && last_ != '=') return "a '{' where no value begins";
    if (letter == '=' && in_value_) return "a second '=' behind the same key";
    if (three == "\"\"\"" || three == "'''")
      return "a text in three quotation marks; a text has one and ends on its line";
    if (is_quote(letter) && !may_precede_text(last_))
      return "a quotation mark where no text begins";
    return std::nullopt;
  }

  Failure outside() {
    if (const std::optional<std::string> why = objection()) return bad_input(*why, where_);
    const char letter = text_[at_];
    if (letter == '[' && last_ == kNone) header_ = at_;
    if (letter == '=') in_value_ = true;
    if (letter == ',' || letter == '{') in_value_ = false;
    if (letter == '.') ++dots_;
    if (letter == '=' || letter == ',' || letter == '{') dots_ = 0;
    if (letter == '#') inside_ = Inside::Comment;
    if (letter == '"') inside_ = Inside::BasicText;
    if (letter == '\'') inside_ = Inside::LiteralText;
    if (letter != ' ' && letter != '\t') last_ = letter;
    opened_ = where_;
    return std::nullopt;
  }

  Failure within() {
    const char letter = text_[at_];
    const bool ends_line = letter == '\n' || letter == '\r';
    if (is_text() && ends_line) return open_text();
    if (inside_ == Inside::Comment && letter == '\n') inside_ = Inside::Nothing;
    if (inside_ == Inside::LiteralText && letter == '\'') inside_ = Inside::Nothing;
    if (inside_ == Inside::BasicText && letter == '"' && !escaped_) inside_ = Inside::Nothing;
    escaped_ = inside_ == Inside::BasicText && letter == '\\' && !escaped_;
    return std::nullopt;
  }

  void advance() {
    const char letter = text_[at_];
    if (!is_continuation(letter)) ++where_.column;
    if (letter != '\n') return;
    ++where_.line;
    where_.column = 1;
    last_ = kNone;
    in_value_ = false;
    dots_ = 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SourcePos where_;
  SourcePos opened_;  // where the text or comment that we are in began
  Inside inside_ = Inside::Nothing;
  bool escaped_ = false;               // the last byte was a backslash that counts
  char last_ = kNone;                  // of this line, outside of texts, blanks left out
  bool in_value_ = false;              // behind a '='
  int dots_ = 0;                       // of this key
  std::optional<std::size_t> header_;  // of the last '[' that a line began with; [[ is its next
};

}  // namespace

Failure check_toml_text(std::string_view text, const std::string& file) {
  return Scan(text, file).run();
}

}  // namespace poet
