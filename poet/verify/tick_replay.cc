#include "poet/verify/tick_replay.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace poet::testing {
namespace {

struct TickBuffer {
  TensorId tensor{};
  std::int64_t bytes = 0;
  std::int32_t memory = 0;
  bool dropped = false;
  bool arrived = true;
};

struct TickTransfer {
  std::size_t buffer = 0;
  bool read = false;
  std::int64_t left_s = 0;
};

class Ticker {
 public:
  Ticker(const Problem& problem, const Schedule& schedule)
      : problem_(problem), schedule_(schedule) {
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
      const Tensor& tensor = problem.tensors[i];
      const TensorId id{static_cast<std::int32_t>(i)};
      const bool resident = tensor.home == Home::Resident || chosen(id);
      if (resident && !tensor.view_of && !tensor.updates)
        buffers_.push_back({.tensor = id, .bytes = tensor.size_bytes, .memory = placed(id, {})});
    }
  }

  TickReplay run() {
    while (next_ < schedule_.actions.size() || busy_s_ > 0 || !channel_.empty()) {
      while (finish_transfer() || step()) continue;
      if (next_ == schedule_.actions.size() && busy_s_ == 0 && channel_.empty()) break;
      ++result_.time_s;
      if (busy_s_ > 0) --busy_s_;
      if (!channel_.empty()) --channel_.front().left_s;
    }
    return result_;
  }

 private:
  bool chosen(TensorId id) const {
    return std::find(schedule_.resident.begin(), schedule_.resident.end(), id) !=
           schedule_.resident.end();
  }
  bool moves(TensorId id) const {
    const Tensor& tensor = at(problem_.tensors, id);
    if (tensor.home == Home::Rom || tensor.home == Home::Resident) return false;
    return !chosen(tensor.updates.value_or(id));
  }
  TensorId root(TensorId id) const { return at(problem_.tensors, id).view_of.value_or(id); }

  // Of the buffer that the next action takes, or of a resident.
  std::int32_t placed(TensorId tensor, std::optional<std::int64_t> action) const {
    for (const PlacedBuffer& one : schedule_.placed)
      if (one.tensor == tensor && one.action == action) return index_of(one.memory);
    return 0;
  }
  std::int32_t placed_now(TensorId tensor) const {
    return placed(tensor, static_cast<std::int64_t>(next_));
  }
  std::int64_t room_bytes(std::size_t memory) const {
    return memory == 0 ? problem_.ram_budget_bytes
                       : problem_.further_memories[memory - 1].size_bytes;
  }
  // Of reading or writing the buffer of a tensor; residents' new values lie in the old one's.
  std::int64_t access_s(TensorId tensor, bool read) const {
    std::optional<std::size_t> buffer = held(tensor);
    if (!buffer && at(problem_.tensors, tensor).updates)
      buffer = held(*at(problem_.tensors, tensor).updates);
    if (!buffer || buffers_[*buffer].memory == 0) return 0;
    const FurtherMemory& memory =
        problem_.further_memories[static_cast<std::size_t>(buffers_[*buffer].memory) - 1];
    const double byte_s = read ? memory.read_s_per_byte : memory.write_s_per_byte;
    return static_cast<std::int64_t>(byte_s) * at(problem_.tensors, tensor).size_bytes;
  }

  bool finish_transfer() {
    if (channel_.empty() || channel_.front().left_s > 0) return false;
    if (channel_.front().read) buffers_[channel_.front().buffer].arrived = true;
    channel_.pop_front();
    return true;
  }

  bool touched(std::size_t buffer) const {
    return std::any_of(channel_.begin(), channel_.end(),
                       [&](const TickTransfer& transfer) { return transfer.buffer == buffer; });
  }
  std::optional<std::size_t> held(TensorId tensor) const {
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      if (buffers_[b].tensor == tensor && !buffers_[b].dropped) return b;
    return std::nullopt;
  }
  std::vector<std::int64_t> used_bytes() const {
    std::vector<std::int64_t> bytes(problem_.further_memories.size() + 1, 0);
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      if (!buffers_[b].dropped || touched(b))
        bytes[static_cast<std::size_t>(buffers_[b].memory)] += buffers_[b].bytes;
    return bytes;
  }
  bool fits(const std::vector<std::int64_t>& bytes) const {
    for (std::size_t m = 0; m < bytes.size(); ++m)
      if (bytes[m] > room_bytes(m)) return false;
    return true;
  }

  // Does the next action if it can be done now.
  bool step() {
    if (busy_s_ > 0 || next_ == schedule_.actions.size()) return false;
    const Action& action = schedule_.actions[next_];
    bool done = true;
    if (const Compute* compute = std::get_if<Compute>(&action))
      done = run_operation(compute->operation);
    if (const PageOut* out = std::get_if<PageOut>(&action)) send(*held(out->tensor), false);
    if (const PageIn* in = std::get_if<PageIn>(&action)) done = page_in(in->tensor);
    if (const Drop* drop = std::get_if<Drop>(&action)) buffers_[*held(drop->tensor)].dropped = true;
    if (done) ++next_;
    return done;
  }

  void send(std::size_t buffer, bool read) {
    const Tensor& tensor = at(problem_.tensors, buffers_[buffer].tensor);
    const double duration_s = read ? tensor.page_in_s : tensor.page_out_s;
    // Who reads from storage writes memory.
    const std::int64_t all_s =
        static_cast<std::int64_t>(duration_s) + access_s(buffers_[buffer].tensor, !read);
    channel_.push_back({.buffer = buffer, .read = read, .left_s = all_s});
  }

  bool page_in(TensorId tensor) {
    if (const std::optional<std::size_t> buffer = held(tensor)) {
      send(*buffer, true);
      result_.ram_bytes.push_back(used_bytes()[0]);
      return true;
    }
    const std::int64_t bytes = at(problem_.tensors, tensor).size_bytes;
    std::vector<std::int64_t> all = used_bytes();
    all[static_cast<std::size_t>(placed_now(tensor))] += bytes;
    if (!fits(all)) return false;
    buffers_.push_back(
        {.tensor = tensor, .bytes = bytes, .memory = placed_now(tensor), .arrived = false});
    send(buffers_.size() - 1, true);
    result_.ram_bytes.push_back(used_bytes()[0]);
    return true;
  }

  bool run_operation(OperationId id) {
    const Operation& operation = at(problem_.operations, id);
    std::vector<std::int64_t> bytes = used_bytes();
    bytes[0] += operation.workspace_bytes;
    for (const TensorId input : operation.inputs)
      if (const auto buffer = held(root(input)); buffer && !buffers_[*buffer].arrived) return false;
    for (const TensorId output : operation.outputs) {
      if (at(problem_.tensors, output).view_of || !moves(output)) continue;
      const std::optional<std::size_t> buffer = held(output);
      if (buffer && touched(*buffer)) return false;
      const auto memory = static_cast<std::size_t>(placed_now(output));
      if (!buffer) bytes[memory] += at(problem_.tensors, output).size_bytes;
      if (!buffer && takes_over(operation, output)) {
        if (touched(*held(root(operation.in_place->input)))) return false;
        bytes[memory] -= at(problem_.tensors, output).size_bytes;
      }
    }
    if (!fits(bytes)) return false;
    for (const TensorId output : operation.outputs)
      if (!at(problem_.tensors, output).view_of && moves(output) && !held(output))
        buffers_.push_back({.tensor = output,
                            .bytes = at(problem_.tensors, output).size_bytes,
                            .memory = placed_now(output)});
    busy_s_ = static_cast<std::int64_t>(operation.compute_s) + operation_access_s(operation);
    result_.compute_begins_s.push_back(result_.time_s);
    result_.ram_bytes.push_back(bytes[0]);
    return true;
  }

  std::int64_t operation_access_s(const Operation& operation) const {
    if (operation.view) return 0;
    std::set<TensorId> inputs;
    for (const TensorId input : operation.inputs) inputs.insert(root(input));
    std::int64_t all_s = 0;
    for (const TensorId input : inputs) all_s += access_s(input, true);
    for (const TensorId output : operation.outputs)
      if (!at(problem_.tensors, output).view_of) all_s += access_s(output, false);
    return all_s;
  }

  bool takes_over(const Operation& operation, TensorId output) const {
    if (!operation.in_place || operation.in_place->output != output) return false;
    const TensorId input = root(operation.in_place->input);
    return next_ + 1 < schedule_.actions.size() && moves(input) &&
           schedule_.actions[next_ + 1] == Action{Drop{input}} &&
           buffers_[*held(input)].memory == placed_now(output);
  }

  const Problem& problem_;
  const Schedule& schedule_;
  TickReplay result_;
  std::vector<TickBuffer> buffers_;  // every buffer there ever was
  std::deque<TickTransfer> channel_;
  std::size_t next_ = 0;  // action
  std::int64_t busy_s_ = 0;
};

}  // namespace

TickReplay tick_replay(const Problem& problem, const Schedule& schedule) {
  return Ticker(problem, schedule).run();
}

}  // namespace poet::testing
