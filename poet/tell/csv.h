#pragma once

#include <string>
#include <vector>

namespace poet {

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
