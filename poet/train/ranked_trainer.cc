#include "poet/train/ranked_trainer.h"

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "poet/base/check.h"
#include "poet/train/step_words.h"

namespace poet {
namespace {

// Numbers of one machine's kind: ranks are of one kind, as their bits are.
std::string bytes_of(const std::vector<float>& numbers) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(numbers));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

// The words of all ranks, one behind the other: what is said of micro-batches stands in their
// order.
Result<std::string> joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word;
  return all;
}

}  // namespace

RankedTrainer::RankedTrainer(Parts parts) : parts_(std::move(parts)), buffers_(parts_.piece_bytes) {
  POET_CHECK(parts_.conference != nullptr && parts_.own.count() > 0);
  std::int64_t begin = 0;
  for (const HeldValue& gradient : parts_.gradients) {
    begins_.push_back(begin);
    begin += size_bytes(gradient.type);
  }
  begins_.push_back(begin);
  POET_CHECK(parts_.own.count() == 1 || parts_.aside);
}

std::int64_t RankedTrainer::aside_bytes(const std::vector<HeldValue>& gradients,
                                        std::int64_t count) {
  std::int64_t bytes = 0;
  for (const HeldValue& gradient : gradients) bytes += size_bytes(gradient.type);
  return (count - 1) * bytes;
}

std::int64_t RankedTrainer::aside_pieces(const std::vector<HeldValue>& gradients,
                                         std::int64_t count, std::int64_t piece_bytes) {
  std::int64_t pieces = 0;
  for (const HeldValue& gradient : gradients)
    pieces += (size_bytes(gradient.type) + piece_bytes - 1) / piece_bytes;
  return (count - 1) * pieces;
}

std::int64_t RankedTrainer::aside_at(std::int64_t place, std::size_t value) const {
  return place * begins_.back() + begins_[value];
}

Failure RankedTrainer::put_aside(std::int64_t place) {
  for (std::size_t v = 0; v < parts_.gradients.size(); ++v) {
    std::int64_t at = aside_at(place, v);
    const auto write = [&](std::span<const std::byte> piece) {
      const std::int64_t offset = at;
      at += std::ssize(piece);
      return parts_.aside->write(offset, piece);
    };
    if (Failure failure = for_each_piece(parts_.gradients[v], buffers_.own(), write))
      return failure;
  }
  return std::nullopt;
}

Failure RankedTrainer::run_micro_batches(std::int64_t step, TrainedStep& moved,
                                         std::vector<float>& losses) {
  const Result<std::vector<float>> shares = parts_.micro_batches.shares(step);
  if (!shares.ok()) return shares.error();
  for (std::int64_t m = parts_.own.begin; m < parts_.own.end; ++m) {
    moved.loss = 0;
    if (Failure failure = parts_.micro_batches.run_micro_batch(
            {.step = step, .micro_batch = m}, (*shares)[static_cast<std::size_t>(m)], moved))
      return failure;
    losses.push_back(moved.loss);
    if (m + 1 == parts_.own.end) break;
    if (Failure failure = put_aside(m - parts_.own.begin)) return failure;
  }
  return std::nullopt;
}

Failure RankedTrainer::add_all() {
  const std::int64_t count = parts_.own.count();
  const OwnSummands own{
      .count = count,
      .read = [this, count](std::int64_t summand, std::size_t value, std::int64_t offset_bytes,
                            std::span<std::byte> into) {
        if (summand + 1 == count) return parts_.gradients[value].read(offset_bytes, into);
        return parts_.aside->read(aside_at(summand, value) + offset_bytes, into);
      }};
  return add_up(parts_.conference->ranks(), parts_.gradients, own, buffers_);
}

Failure RankedTrainer::share_sums() {
  Ranks& ranks = parts_.conference->ranks();
  const int last = ranks.place().count - 1;
  if (parts_.updates.empty()) return pass_on(ranks, last, parts_.gradients, buffers_);
  Failure first;
  for (int rank = 0; rank <= last; ++rank) {
    Failure failure = hand_over(ranks, last, rank,
                                parts_.updates[static_cast<std::size_t>(rank)].gradients, buffers_);
    if (!first) first = std::move(failure);
  }
  return first;
}

Failure RankedTrainer::share_parameters() {
  Failure first;
  for (std::size_t rank = 0; rank < parts_.updates.size(); ++rank) {
    Failure failure = pass_on(parts_.conference->ranks(), static_cast<int>(rank),
                              parts_.updates[rank].parameters, buffers_);
    if (!first) first = std::move(failure);
  }
  return first;
}

// With the words of the last micro-batch, whose form has the updates in a step of one process.
Failure RankedTrainer::update(std::int64_t step, TrainedStep& moved) {
  const TrainerOptions& options = parts_.micro_batches.options();
  const std::int64_t micro_batches = parts_.micro_batches.micro_batches();
  const poet_step_words words =
      step_words(options.seed, {.step = step, .micro_batch = micro_batches - 1},
                 moved.learning_rate, options.constants);
  Executor& executor = *parts_.update.executor;
  if (Failure failure = executor.run(words, {})) return failure;
  if (options.ran) options.ran(parts_.update);
  moved.read_bytes += executor.counts().read_bytes;
  moved.written_bytes += executor.counts().written_bytes;
  return std::nullopt;
}

Result<float> RankedTrainer::loss_of_all(const Failure& failure, const std::vector<float>& losses) {
  Result<std::string> word = bytes_of(losses);
  if (failure) word = *failure;
  const Result<std::string> all = parts_.conference->confer(word, joined);
  if (!all.ok()) return all.error();
  float sum = 0;
  for (const float loss : floats_of(*all)) sum += loss;
  return parts_.micro_batches.loss_of(sum);
}

Result<TrainedStep> RankedTrainer::run(std::int64_t step) {
  TrainedStep moved{.learning_rate = rate_at(parts_.micro_batches.options().learning_rate, step)};
  std::vector<float> losses;
  Failure failure = run_micro_batches(step, moved, losses);
  // Also after a failure: the others wait for what this rank has.
  const auto exchange = [&](Failure (RankedTrainer::*work)()) {
    const double begin_s = parts_.clock_s();
    Failure of_exchange = (this->*work)();
    moved.exchange_s += parts_.clock_s() - begin_s;
    if (!failure) failure = std::move(of_exchange);
  };
  exchange(&RankedTrainer::add_all);
  exchange(&RankedTrainer::share_sums);
  if (!failure) failure = update(step, moved);
  exchange(&RankedTrainer::share_parameters);
  const Result<float> loss = loss_of_all(failure, losses);
  if (!loss.ok()) return loss.error();
  moved.loss = *loss;
  return moved;
}

}  // namespace poet
