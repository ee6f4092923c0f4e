// Plays the solution of a window model: a choice, perhaps in too much RAM (docs/model/windows.md
// §2.1).
#include "poet/solve/window_player.h"

#include <algorithm>

namespace poet {
namespace {

// Plays the windows through, stage by stage.
class WindowPlayer {
 public:
  WindowPlayer(const Step& step, const WindowModel& model, const std::vector<double>& values)
      : step_(step), model_(model), values_(values) {
    for (std::size_t c = 0; c < step.chains.size(); ++c) {
      choice_.stored.push_back(is_one(model.stored[c]));
      choice_.resident.push_back(is_one(model.resident[c]));
    }
    to_be_read_.assign(step.chains.size(), false);
  }

  EventChoice play() {
    for (std::int32_t w = 0; w < model_.windows(); ++w) play_window(w);
    return std::move(choice_);
  }

 private:
  bool is_one(const std::optional<std::int32_t>& column) const {
    return column && values_[*column] > 0.5;
  }

  void play_window(std::int32_t w) {
    const std::int32_t first = w == 0 ? -1 : model_.keys.stages[w - 1];
    const bool is_last = w + 1 == model_.windows();
    const std::int32_t last = is_last ? step_.stages() - 1 : model_.keys.stages[w];
    here_.assign(step_.chains.size(), false);
    for (std::size_t n = 0; n < step_.chains.size(); ++n) {
      const auto c = static_cast<std::int32_t>(n);
      here_[c] =
          is_resident(step_, choice_, c) || (is_one(model_.present[w][c]) && !to_be_read_[c]);
    }
    if (first >= 0) {
      for (const std::int32_t c : step_.operations[first].inputs) here_[c] = true;
      for (const std::int32_t c : step_.operations[first].outputs) here_[c] = true;
    }
    if (last == first + 1) drop_what_comes_again(w);
    for (std::int32_t t = first + 1; t <= last; ++t) play_stage(t, w, !is_last && t == last);
  }

  // What is in RAM at the beginning of a window of one stage, and comes in it all the same, makes
  // room in between.
  void drop_what_comes_again(std::int32_t w) {
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      const std::optional<std::int32_t>& producer = step_.chains[c].producer;
      if (is_one(model_.read[w][c]) || (producer && is_one(model_.made[w][*producer])))
        here_[c] = is_resident(step_, choice_, static_cast<std::int32_t>(c));
    }
  }

  void play_stage(std::int32_t t, std::int32_t w, bool is_key) {
    runs_.clear();
    Execution certain{Event{t, t}};
    for (const std::int32_t c : step_.operations[t].inputs) bring(c, t, w, certain.reads);
    if (is_key) bring_what_stays(t, w);
    std::sort(runs_.begin(), runs_.end(),
              [](const Execution& a, const Execution& b) { return a.event < b.event; });
    for (Execution& run : runs_) choice_.executions.push_back(std::move(run));
    choice_.executions.push_back(std::move(certain));
    for (const std::int32_t c : step_.operations[t].outputs) here_[c] = true;
  }

  void bring(std::int32_t c, std::int32_t t, std::int32_t w, std::vector<std::int32_t>& reads) {
    if (here_[c]) return;
    here_[c] = true;
    if (is_one(model_.read[w][c]) || to_be_read_[c]) {
      reads.push_back(c);
      to_be_read_[c] = false;
      return;
    }
    const std::optional<std::int32_t> k = step_.chains[c].producer;
    if (!k || !is_one(model_.made[w][*k]) || step_.operations[*k].last_stage < t) return;
    Execution run{Event{t, *k}};
    for (const std::int32_t input : step_.operations[*k].inputs) bring(input, t, w, run.reads);
    for (const std::int32_t output : step_.operations[*k].outputs) here_[output] = true;
    runs_.push_back(std::move(run));
  }

  // What is in RAM at the key because it comes in the window, although no stage of it needs it. It
  // is read only when something needs it.
  void bring_what_stays(std::int32_t t, std::int32_t w) {
    std::vector<std::int32_t> none;
    for (std::size_t n = 0; n < step_.chains.size(); ++n) {
      const auto c = static_cast<std::int32_t>(n);
      if (here_[c] || to_be_read_[c] || !is_one(model_.present[w + 1][c])) continue;
      if (is_one(model_.read[w][c]))
        to_be_read_[c] = true;
      else
        bring(c, t, w, none);
    }
  }

  const Step& step_;
  const WindowModel& model_;
  const std::vector<double>& values_;
  EventChoice choice_;
  std::vector<bool> here_;        // per chain: in RAM, or thought to be, in this window
  std::vector<bool> to_be_read_;  // per chain: came in an earlier window, by being read
  std::vector<Execution> runs_;   // of this stage
};

}  // namespace

EventChoice choice_of(const Step& step, const WindowModel& model,
                      const std::vector<double>& values) {
  return WindowPlayer(step, model, values).play();
}

}  // namespace poet
