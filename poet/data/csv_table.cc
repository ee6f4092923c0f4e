#include "poet/data/csv_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/base/csv_line.h"
#include "poet/base/message_text.h"
#include "poet/base/sha256.h"
#include "poet/base/text_file.h"
#include "poet/data/array_dataset.h"

namespace poet {
namespace {

constexpr const char* kTableEnding = ".table";
constexpr std::size_t kBufferedNumbers = 16'384;
// No row of numbers comes near this.
constexpr std::int64_t kLargestLineBytes = kLargestTextFileBytes;

// Letters that are no number in any notation: not nan, inf, 1e999 or 0x1p3, which are refused like
// others further down.
bool is_name(std::string_view field) {
  const std::string text(field);
  const bool has_letters = std::any_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter >= 0x80 || std::isalpha(letter) != 0;
  });
  char* end = nullptr;
  static_cast<void>(std::strtod(text.c_str(), &end));
  return has_letters && end != text.c_str() + text.size();
}

// Inputs go to the file as they come, targets behind all of them.
class TableWriter {
 public:
  TableWriter(const std::string& path, const CsvColumns& columns, FileWriter& writer)
      : path_(path),
        writer_(writer),
        inputs_(value_count(columns.input.type.shape)),
        targets_(columns.target ? value_count(columns.target->type.shape) : 0),
        has_classes_(columns.target && columns.target->type.element == ElementType::Int64) {}

  Failure add(std::string_view line) {
    ++line_;
    if (line_ == 1) line = without_byte_order_mark(line);
    if (csv_field(line).empty()) return std::nullopt;
    const std::vector<std::string_view> fields = csv_fields(line);
    if (std::exchange(is_first_, false) && has_name(fields)) return std::nullopt;
    const auto wanted = inputs_ + targets_;
    const auto there = std::ssize(fields);
    if (there < wanted || (targets_ > 0 && there > wanted))
      return refuse(fmt::format("the line has {}, and the network wants {}",
                                counted(there, "column"), wanted_text()));
    for (std::int64_t k = 0; k < wanted; ++k)
      if (Failure failure = add_field(fields[static_cast<std::size_t>(k)], k < inputs_))
        return failure;
    return buffer_.size() < kBufferedNumbers ? std::nullopt : flush();
  }

  Failure finish() {
    if (Failure failure = flush()) return failure;
    if (Failure failure = writer_.append(std::as_bytes(std::span(target_numbers_)))) return failure;
    return writer_.append(std::as_bytes(std::span(target_classes_)));
  }

 private:
  static bool has_name(const std::vector<std::string_view>& fields) {
    return std::any_of(fields.begin(), fields.end(), is_name);
  }

  std::string wanted_text() const {
    if (targets_ == 0) return fmt::format("{} or more: its input", inputs_);
    return fmt::format("{}: {} of its input, and {} of its target", inputs_ + targets_, inputs_,
                       targets_);
  }

  Failure refuse(std::string message) const {
    return bad_input(std::move(message), {path_, static_cast<int>(line_), 0});
  }

  Failure add_field(std::string_view field, bool is_input) {
    const std::optional<double> number = csv_number(field);
    if (!number) return refuse(fmt::format("{} is not a finite number", in_quotes(field)));
    if (is_input || !has_classes_) {
      (is_input ? buffer_ : target_numbers_).push_back(static_cast<float>(*number));
      return std::nullopt;
    }
    constexpr double kMostClasses = 1e9;
    if (*number < 0 || *number > kMostClasses || *number != std::floor(*number))
      return refuse(
          fmt::format("{} is not the number of a class: they count from 0", in_quotes(field)));
    target_classes_.push_back(static_cast<std::int64_t>(*number));
    return std::nullopt;
  }

  Failure flush() {
    const Failure failure = writer_.append(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
    return failure;
  }

  const std::string& path_;
  FileWriter& writer_;
  std::int64_t inputs_;
  std::int64_t targets_;
  bool has_classes_;
  std::int64_t line_ = 0;
  bool is_first_ = true;
  std::vector<float> buffer_ = {};
  std::vector<float> target_numbers_ = {};
  std::vector<std::int64_t> target_classes_ = {};
};

Result<std::string> digest_of_table(const std::string& path, const CsvColumns& columns) {
  if (Failure failure = require_regular_file(path)) return *failure;
  Sha256 hash;
  hash.add(fmt::format("poet table 1 {} {}\n", to_text(columns.input.type),
                       columns.target ? to_text(columns.target->type) : "none"));
  if (Failure failure = read_file_in_pieces(path, [&hash](std::string_view piece) {
        hash.add(piece);
        return Failure();
      }))
    return *failure;
  return hash.digest();
}

// Rows of one part of the examples, which lie there one after the other.
Result<ArrayPart> rows_of(const KeptFile& file, std::int64_t offset_bytes, std::int64_t rows,
                          const ExamplePart& part, const std::string& path) {
  NumberArray array{.name = quoted_path(path), .shape = part.type.shape};
  array.shape.insert(array.shape.begin(), rows);
  const bool is_class = part.type.element == ElementType::Int64;
  array.values = {.file = file.file,
                  .offset_bytes = offset_bytes,
                  .number = is_class ? StoredNumber::Int64 : StoredNumber::Float32};
  return array_part(part.name, std::move(array), {});
}

}  // namespace

Result<std::unique_ptr<Dataset>> open_csv(const std::string& path, const CsvColumns& columns,
                                          const KeptPlace& place) {
  const Result<std::string> digest = digest_of_table(path, columns);
  if (!digest.ok()) return digest.error();
  const Result<KeptFile> file =
      kept_file(place, *digest, kTableEnding, [&](FileWriter& writer) -> Failure {
        TableWriter table(path, columns, writer);
        if (Failure failure =
                for_each_line(path, kLargestLineBytes,
                              [&table](std::string_view line) { return table.add(line); }))
          return failure;
        return table.finish();
      });
  if (!file.ok()) return file.error();
  const std::int64_t input_bytes = size_bytes(columns.input.type);
  const std::int64_t target_bytes = columns.target ? size_bytes(columns.target->type) : 0;
  const std::int64_t rows = file->size_bytes / (input_bytes + target_bytes);
  if (rows == 0) return bad_input(fmt::format("{} has no line of numbers", quoted_path(path)));
  std::vector<ArrayPart> parts;
  Result<ArrayPart> input = rows_of(*file, 0, rows, columns.input, path);
  if (!input.ok()) return input.error();
  parts.push_back(*std::move(input));
  if (columns.target) {
    Result<ArrayPart> target = rows_of(*file, rows * input_bytes, rows, *columns.target, path);
    if (!target.ok()) return target.error();
    parts.push_back(*std::move(target));
  }
  return array_dataset(std::move(parts));
}

}  // namespace poet
