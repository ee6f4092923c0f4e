#include "apps/cli/train_display.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "apps/cli/answer.h"
#include "poet/base/message_text.h"
#include "poet/tell/train_text.h"
#include "poet/train/process_memory.h"

namespace poet::cli {
namespace {

// How long a line stays before the next, by style.
constexpr double kTerminalPause_s = 0.1;
constexpr double kLinesPause_s = 5;

Error cannot_log(const std::string& path) {
  return {ErrorCode::Io, fmt::format("cannot write the log {}", in_quotes(path)), {}};
}

// A log that is there is gone on with. What is no log is not touched.
Failure cut_unfinished_line(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream log(path, std::ios::binary);
  std::string line;
  if (std::getline(log, line) && !line.starts_with("{\"step\":"))
    return bad_input(fmt::format(
        "{} is there already and is not the log of a training; name another file for --log",
        in_quotes(path)));
  std::uintmax_t whole_bytes = 0;
  for (; log; std::getline(log, line))
    if (!log.eof()) whole_bytes += line.size() + 1;
  if (whole_bytes == std::filesystem::file_size(path, error) || error) return std::nullopt;
  std::filesystem::resize_file(path, whole_bytes, error);
  if (error) return cannot_log(path);
  return std::nullopt;
}

}  // namespace

TrainDisplay::TrainDisplay(ProgressStyle style, std::function<double()> now_s)
    : style_(style), now_s_(std::move(now_s)) {}

TrainDisplay::~TrainDisplay() {
  if (line_open_) tell("\n");
  if (log_ != nullptr) std::fclose(log_);
}

Failure TrainDisplay::open_log(const std::string& path) {
  log_path_ = path;
  if (Failure failure = cut_unfinished_line(path)) return failure;
  log_ = std::fopen(path.c_str(), "ae");
  if (log_ == nullptr) return cannot_log(path);
  // Whoever is killed leaves whole lines.
  std::setvbuf(log_, nullptr, _IOLBF, BUFSIZ);
  return std::nullopt;
}

Failure TrainDisplay::close_log() {
  if (log_ == nullptr) return std::nullopt;
  const bool closed = std::fclose(std::exchange(log_, nullptr)) == 0;
  if (closed && !log_failed_) return std::nullopt;
  // Of the line that did not fit a part may be there; that the log is not whole is said either way.
  const Failure ignored = cut_unfinished_line(log_path_);
  (void)ignored;
  return cannot_log(log_path_);
}

void TrainDisplay::log(const std::string& line) {
  if (log_ == nullptr || log_failed_) return;
  const std::string text = line + "\n";
  // A buffer that is written at the end of a line takes it whole, and says only so that it failed.
  log_failed_ =
      std::fwrite(text.data(), 1, text.size(), log_) != text.size() || std::ferror(log_) != 0;
}

void TrainDisplay::show(const std::string& text) {
  if (style_ == ProgressStyle::None) return;
  if (style_ == ProgressStyle::Lines) {
    tell(fmt::format("{}\n", text));
    return;
  }
  tell(fmt::format("\r\x1b[K{}", text));
  line_open_ = true;
}

void TrainDisplay::show_step(const StepLine& line) {
  const double pause_s = style_ == ProgressStyle::Terminal ? kTerminalPause_s : kLinesPause_s;
  const bool due = shown_s_ < 0 || now_s_() - shown_s_ >= pause_s || line.step == line.steps;
  if (style_ == ProgressStyle::None || !due) return;
  shown_s_ = now_s_();
  StepLine shown = line;
  shown.peak_bytes = process_memory().peak_bytes;
  show(progress_line(shown));
}

// A line that stays.
void TrainDisplay::say(const std::string& text) {
  if (line_open_) tell("\n");
  line_open_ = false;
  tell(fmt::format("{}\n", text));
}

TrainEvents TrainDisplay::events() {
  TrainEvents events;
  events.step = [this](const StepLine& line) {
    log(log_line(line));
    show_step(line);
  };
  events.moved = [this](const MoveLine& line) {
    log(log_line(line));
    if (style_ != ProgressStyle::None) say(move_text(line));
  };
  events.replanned = [this](const ReplanLine& line) {
    log(log_line(line));
    if (style_ != ProgressStyle::None) say(replan_text(line));
  };
  events.evaluation = [this](const EvaluationLine& line) {
    log(log_line(line));
    if (style_ != ProgressStyle::None)
      say(fmt::format("step {}: {}", line.step, score_text(line.score)));
  };
  return events;
}

}  // namespace poet::cli
