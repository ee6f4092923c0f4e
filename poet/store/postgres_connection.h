#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/base/result.h"
#include "poet/store/postgres_library.h"

namespace poet {

// A value that a question to the database carries.
struct PostgresValue {
  std::optional<std::string> text = {};  // none: NULL
  bool is_bytes = false;

  PostgresValue(std::string value) : text(std::move(value)) {}          // NOLINT: implicit
  PostgresValue(const char* value) : text(value) {}                     // NOLINT: implicit
  PostgresValue(std::int64_t number) : text(std::to_string(number)) {}  // NOLINT: implicit
  PostgresValue(const std::optional<std::int64_t>& number) {            // NOLINT: implicit
    if (number) text = std::to_string(*number);
  }
  static PostgresValue seconds(double seconds);
  static PostgresValue bytes(std::string bytes);
};

// What a question was answered.
class PostgresRows {
 public:
  PostgresRows(const PostgresLibrary& library, pg_result* result)
      : library_(&library), result_(result, library.clear) {}

  int count() const { return library_->rows(result_.get()); }
  std::string text(int row, int column) const;
  std::int64_t number(int row, int column) const;
  std::optional<std::int64_t> maybe(int row, int column) const;
  bool is_true(int row, int column) const { return text(row, column) == "t"; }

 private:
  const PostgresLibrary* library_;
  std::unique_ptr<pg_result, void (*)(pg_result*)> result_;
};

// A connection to a database, for one thread at a time.
class PostgresConnection {
 public:
  // `uri`: "postgresql://...", as libpq reads it. It is tried for some seconds.
  static Result<std::unique_ptr<PostgresConnection>> open(const std::string& uri);

  // Text: as the database writes values for people. Bytes: every column is text or bytes.
  enum class Answers { Text, Bytes };
  // An Error of code Io: it may be answered another time; another code: the database refuses it.
  Result<PostgresRows> ask(const char* question, const std::vector<PostgresValue>& values = {},
                           Answers answers = Answers::Text);
  // A question that answers nothing.
  Failure tell(const char* command, const std::vector<PostgresValue>& values = {});
  // Ends a step as if it had not begun, and goes on to tell of what failed in it.
  void roll_back();
  // Several commands, one after the other.
  Failure run_script(const char* script);

  // Whether it can be used no more.
  bool is_lost() const;
  // Whether what failed last may well succeed on another try: the connection was lost, or somebody
  // else was in the way.
  bool may_be_tried_again() const { return try_again_; }

  // What others told the channels that this connection listens to, waiting for the first of it up
  // to `limit_s`, or until the file `wake` can be read.
  Result<std::vector<std::string>> hear(double limit_s, int wake);

 private:
  PostgresConnection(const PostgresLibrary& library, pg_conn* connection)
      : library_(&library), connection_(connection, library.finish) {}
  Result<PostgresRows> taken(pg_result* result);
  Error error(std::string why);

  const PostgresLibrary* library_;
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
  bool try_again_ = false;
  bool is_broken_ = false;
};

// For a step whose loss costs nobody anything, such as that of a lease or of progress: it need not
// be on the disk first.
Failure without_waiting_for_the_disk(PostgresConnection& connection);

// A text with what `uri` says of passwords replaced by three stars.
std::string without_password(std::string text, std::string_view uri);

}  // namespace poet
