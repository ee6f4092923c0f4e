#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "poet/measure/power_rows.h"

// Logs of boards whose joules are known, as a naive oracle: a sample is the mean power of the time
// since the one before, with noise, and the channels as they are at its end.
namespace poet {

struct TrueTerm {
  double seconds = 0;  // of one use
  double joules = 0;   // above idle
};

struct LoggedBoard {
  std::vector<LoggedAction> step = {};
  std::vector<TrueTerm> terms = {};
  int steps = 8;
  double idle_w = 0.002;
  double supply_v = 3;
  double pause_s = 0.15;
  double lead_s = 0.1337;  // so that no edge lies at a sample
  double between_s = 2e-6;
  double sample_s = 1e-5;
  double noise_w = 0;  // standard deviation of a sample
  int pins = 1;
  bool lowest_is_last = false;
  double start_s = 0;
};

inline double duration_s(const LoggedBoard& board, const LoggedAction& action) {
  double seconds = action.terms.empty() ? board.between_s : 0;
  for (const TermUse& use : action.terms)
    seconds += use.count * board.terms[static_cast<std::size_t>(use.term)].seconds;
  return seconds;
}

inline double action_j(const LoggedBoard& board, const LoggedAction& action) {
  double joules = 0;
  for (const TermUse& use : action.terms)
    joules += use.count * board.terms[static_cast<std::size_t>(use.term)].joules;
  return joules;
}

// A stretch of time with one power and one state of the channels.
struct LoggedSpan {
  double end_s = 0;
  double power_w = 0;
  int count = 0;  // of announcements
};

inline std::vector<LoggedSpan> spans_of(const LoggedBoard& board) {
  std::vector<LoggedSpan> spans = {{board.lead_s, board.idle_w, 0}};
  int count = 0;
  for (int step = 0; step < board.steps; ++step) {
    for (const LoggedAction& action : board.step) {
      const bool is_last = &action == &board.step.back();
      const double seconds =
          is_last ? board.pause_s * (1 + 0.013 * step) : duration_s(board, action);
      const double power_w = is_last ? 0 : action_j(board, action) / seconds;
      spans.push_back({spans.back().end_s + seconds, board.idle_w + power_w, ++count});
    }
  }
  return spans;
}

inline void write_power_log(const LoggedBoard& board, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << "Timestamp(ms),Current(uA),D0,D1,D2,D3,D4,D5,D6,D7\r\n";
  const std::vector<LoggedSpan> spans = spans_of(board);
  std::mt19937_64 draws(7);
  std::size_t now = 0;
  const auto samples = static_cast<std::int64_t>(spans.back().end_s / board.sample_s);
  char line[128];
  for (std::int64_t k = 0; k < samples; ++k) {
    const double begin_s = static_cast<double>(k) * board.sample_s;
    const double end_s = begin_s + board.sample_s;
    double joules = 0;
    double from_s = begin_s;
    while (spans[now].end_s < end_s && now + 1 < spans.size()) {
      joules += (spans[now].end_s - from_s) * spans[now].power_w;
      from_s = spans[now++].end_s;
    }
    joules += (end_s - from_s) * spans[now].power_w;
    // Twelve uniform draws are as good as normal here, and the same on every machine.
    double noise = -6;
    for (int draw = 0; draw < 12; ++draw) noise += static_cast<double>(draws() >> 11) * 0x1p-53;
    const double current_ua =
        (joules / board.sample_s + noise * board.noise_w) / board.supply_v * 1e6;
    int size =
        std::snprintf(line, sizeof line, "%.5f,%.4f", (board.start_s + end_s) * 1e3, current_ua);
    for (int column = 0; column < kPowerLogPins; ++column) {
      const int pin = board.lowest_is_last ? kPowerLogPins - 1 - column : column;
      line[size++] = ',';
      line[size++] = pin < board.pins && (spans[now].count >> pin & 1) != 0 ? '1' : '0';
    }
    file.write(line, size) << "\r\n";
  }
}

}  // namespace poet
