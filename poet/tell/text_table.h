#pragma once

#include <string>
#include <vector>

namespace poet {

enum class Align { Left, Right };

// Rows of equally many cells under a heading, each column as wide as its widest cell.
struct TextTable {
  struct Column {
    std::string name;
    Align align = Align::Right;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string to_text(const TextTable& table);

// Comma-separated values (RFC 4180): a cell with a comma, a quote or a line break is quoted.
class CsvText {
 public:
  explicit CsvText(const std::vector<std::string>& heading) { add(heading); }

  void add(const std::vector<std::string>& cells);
  const std::string& text() const { return text_; }

 private:
  std::string text_ = {};
};

}  // namespace poet
