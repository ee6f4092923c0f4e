#include "poet/store/postgres_connection.h"

#include <fmt/core.h>
#include <poll.h>

#include <array>
#include <charconv>
#include <cmath>

#include "poet/base/message_text.h"

namespace poet {
namespace {

// Of <postgres_ext.h>: which part of an error is wanted.
constexpr int kSqlState = 'C';
constexpr int kMessage = 'M';
constexpr unsigned kBytesType = 17;  // bytea, in every database

// A machine that is gone answers nothing: the connection ends after some seconds, and not with the
// patience of TCP. What stands in the address counts for more.
constexpr std::array<std::pair<const char*, const char*>, 6> kDefaults = {{
    {"connect_timeout", "5"},
    {"keepalives_idle", "5"},
    {"keepalives_interval", "2"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "10000"},
    {"fallback_application_name", "poet"},
}};

void hear_nothing(void*, const char*) {}

// Its words end in a line break, and may have several lines.
std::string in_one_line(std::string text) {
  while (text.ends_with('\n') || text.ends_with('.')) text.pop_back();
  return one_line(text);
}

// Classes 08 (no connection), 40 (undone for another's sake), 53 (no more connections), 57 (ended
// by whoever runs the database), and a lock that somebody held for too long.
bool may_pass(std::string_view state) {
  for (const std::string_view begin : {"08", "40", "53", "57P", "55P03"})
    if (state.starts_with(begin)) return true;
  return false;
}

}  // namespace

PostgresValue PostgresValue::seconds(double seconds) {
  return fmt::format("{:.3f} seconds", seconds);
}

PostgresValue PostgresValue::bytes(std::string bytes) {
  PostgresValue value(std::move(bytes));
  value.is_bytes = true;
  return value;
}

std::string PostgresRows::text(int row, int column) const {
  return {library_->value(result_.get(), row, column),
          static_cast<std::size_t>(library_->length(result_.get(), row, column))};
}

std::int64_t PostgresRows::number(int row, int column) const {
  const std::string digits = text(row, column);
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::optional<std::int64_t> PostgresRows::maybe(int row, int column) const {
  if (library_->is_null(result_.get(), row, column) != 0) return std::nullopt;
  return number(row, column);
}

Error PostgresConnection::error(std::string why) {
  return {
      try_again_ ? ErrorCode::Io : ErrorCode::Unsupported,
      fmt::format("cannot use the database {}: {}",
                  in_quotes(library_->database(connection_.get())), in_one_line(std::move(why))),
      {}};
}

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(const std::string& uri) {
  const Result<const PostgresLibrary*> library = PostgresLibrary::load();
  if (!library.ok()) return library.error();
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : kDefaults) {
    keywords.push_back(keyword);
    values.push_back(value);
  }
  keywords.insert(keywords.end(), {"dbname", "client_encoding", nullptr});
  values.insert(values.end(), {uri.c_str(), "UTF8", nullptr});
  std::unique_ptr<PostgresConnection> made(new PostgresConnection(
      **library,
      (*library)->begin_to_connect(keywords.data(), values.data(), /*expand_dbname=*/1)));
  if (made->connection_ == nullptr) return Error{ErrorCode::Io, "there is not enough memory", {}};
  // A server may say much before the connection stands, and libpq prints it on standard error,
  // where nobody else hears it: so somebody does before the server is asked. Until now it was not
  // waited for, and is no further than being connected to.
  (*library)->set_notice_processor(made->connection_.get(), hear_nothing, nullptr);
  if ((*library)->status(made->connection_.get()) != PostgresLibrary::kConnectionBad)
    (*library)->connect_anew(made->connection_.get());
  if (made->is_lost())
    return Error{
        ErrorCode::Io,
        "cannot reach the database: " +
            in_one_line(without_password((*library)->error_message(made->connection_.get()), uri)),
        {}};
  // What runs is short: who does not answer for long will not answer.
  const Result<PostgresRows> set = made->ask(
      "SELECT set_config('search_path', 'poet', false), set_config('statement_timeout', '60s', "
      "false), set_config('lock_timeout', '20s', false), "
      "set_config('idle_in_transaction_session_timeout', '10s', false)");
  if (!set.ok()) return set.error();
  return made;
}

bool PostgresConnection::is_lost() const {
  return is_broken_ || library_->status(connection_.get()) != PostgresLibrary::kConnectionOk;
}

Result<PostgresRows> PostgresConnection::taken(pg_result* result) {
  PostgresRows rows(*library_, result);
  try_again_ = false;
  const int status = result == nullptr ? -1 : library_->result_status(result);
  if (status == PostgresLibrary::kCommandOk || status == PostgresLibrary::kTuplesOk) return rows;
  const char* const state =
      result == nullptr ? nullptr : library_->result_error_field(result, kSqlState);
  const char* const message =
      result == nullptr ? nullptr : library_->result_error_field(result, kMessage);
  // What the client says and not the database is of the connection, whose state libpq still calls
  // good where it could not write and has not read to the end.
  if (state == nullptr) is_broken_ = true;
  try_again_ = is_lost() || may_pass(state);
  return error(message != nullptr ? message : library_->error_message(connection_.get()));
}

Result<PostgresRows> PostgresConnection::ask(const char* question,
                                             const std::vector<PostgresValue>& values,
                                             Answers answers) {
  std::vector<unsigned> types;
  std::vector<const char*> texts;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const PostgresValue& value : values) {
    types.push_back(value.is_bytes ? kBytesType : 0);
    texts.push_back(value.text ? value.text->c_str() : nullptr);
    lengths.push_back(value.text ? static_cast<int>(value.text->size()) : 0);
    formats.push_back(value.is_bytes ? 1 : 0);
  }
  return taken(library_->exec_params(connection_.get(), question, static_cast<int>(values.size()),
                                     types.data(), texts.data(), lengths.data(), formats.data(),
                                     answers == Answers::Bytes ? 1 : 0));
}

Failure PostgresConnection::tell(const char* command, const std::vector<PostgresValue>& values) {
  const Result<PostgresRows> rows = ask(command, values);
  return rows.ok() ? Failure() : Failure(rows.error());
}

void PostgresConnection::roll_back() {
  const bool before = try_again_;
  static_cast<void>(tell("ROLLBACK"));
  try_again_ = before || is_lost();
}

Failure PostgresConnection::run_script(const char* script) {
  const Result<PostgresRows> rows = taken(library_->exec(connection_.get(), script));
  return rows.ok() ? Failure() : Failure(rows.error());
}

Result<std::vector<std::string>> PostgresConnection::hear(double limit_s, int wake) {
  std::vector<std::string> heard;
  const auto take_all = [&] {
    while (PostgresNotice* const notice = library_->notifies(connection_.get())) {
      heard.emplace_back(notice->text);
      library_->free_memory(notice);
    }
  };
  take_all();
  if (!heard.empty()) return heard;
  std::array<pollfd, 2> files = {
      {{.fd = library_->socket(connection_.get()), .events = POLLIN, .revents = 0},
       {.fd = wake, .events = POLLIN, .revents = 0}}};
  poll(files.data(), files.size(), static_cast<int>(std::ceil(1000 * limit_s)));
  if (files[0].revents != 0 && library_->consume_input(connection_.get()) == 0) {
    try_again_ = true;
    return error(library_->error_message(connection_.get()));
  }
  take_all();
  return heard;
}

Failure without_waiting_for_the_disk(PostgresConnection& connection) {
  return connection.tell("SELECT set_config('synchronous_commit', 'off', true)");
}

// What libpq says of an address that it cannot read has the address in it, with its password.
std::string without_password(std::string text, std::string_view uri) {
  std::vector<std::string_view> passwords;
  const std::size_t scheme = uri.find("://");
  const std::size_t at = uri.rfind('@', uri.find('?'));
  if (scheme != std::string_view::npos && at != std::string_view::npos && at > scheme) {
    const std::string_view user = uri.substr(scheme + 3, at - scheme - 3);
    if (const std::size_t colon = user.find(':'); colon != std::string_view::npos)
      passwords.push_back(user.substr(colon + 1));
  }
  constexpr std::string_view kParameter = "password=";
  for (std::size_t from = uri.find(kParameter); from != std::string_view::npos;
       from = uri.find(kParameter, from + 1)) {
    const std::string_view rest = uri.substr(from + kParameter.size());
    passwords.push_back(rest.substr(0, rest.find('&')));
  }
  for (const std::string_view password : passwords) {
    if (password.empty()) continue;
    for (std::size_t place = text.find(password); place != std::string::npos;
         place = text.find(password, place + 3))
      text.replace(place, password.size(), "***");
  }
  return text;
}

}  // namespace poet
