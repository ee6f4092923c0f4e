#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "poet/base/result.h"
#include "poet/store/sweep_points.h"

namespace poet {

// The finished points of one sweep, in an SQLite file: what was put is there when the program or
// the machine stops the next moment. One process writes at a time; another is refused.
class PointStore final : public SweepPoints {
 public:
  // Opens the file, or makes it. `question` says what the points are answers to: a file with
  // another question, or of another kind, is refused and left as it was. The path ":memory:" is a
  // store that nobody keeps.
  static Result<PointStore> open(const std::string& path, const std::string& question);

  PointStore(PointStore&&) noexcept;
  PointStore& operator=(PointStore&&) noexcept;
  ~PointStore() override;

  Result<std::optional<std::string>> find(std::int64_t point) const override;
  // Replaces what is there.
  Failure put(std::int64_t point, const std::string& answer);
  Result<std::int64_t> count() const;
  // Whether the file is still where it was opened. What is put into one that was deleted is lost.
  bool in_place() const override;
  std::string place() const override;

  // Nobody else is there.
  Result<std::optional<std::int64_t>> take(const PointRange& range) override;
  Result<std::string> keep(std::int64_t point, const std::string& answer) override;
  Failure give_up(std::int64_t) override { return std::nullopt; }
  Result<Now> look(const PointRange&) override { return Now(); }
  void leave() override { taken_up_to_ = 0; }

 private:
  struct Connection;
  explicit PointStore(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
  std::int64_t taken_up_to_ = 0;  // what is before it has an answer, was taken or was given up
};

}  // namespace poet
