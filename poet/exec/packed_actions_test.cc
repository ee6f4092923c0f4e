#include "poet/exec/packed_actions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace poet {
namespace {

std::string text_of(const void* address) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(address));
}

std::string text_of(std::span<const std::byte> memory) {
  return text_of(memory.data()) + "+" + std::to_string(memory.size());
}

// All of an action, in words of its own.
std::string text_of(const PreparedAction& action) {
  std::string text = action.wait_for ? "after " + std::to_string(*action.wait_for) + " " : "";
  if (action.again) text += "again ";
  for (const ListPlaces& list : {action.gives, action.poisoned})
    if (list.count > 0)
      text += "[" + std::to_string(list.first) + ", " + std::to_string(list.count) + "] ";
  if (const auto* const call = std::get_if<CallKernel>(&action.work)) {
    text += "call " + std::to_string(call->operation);
    for (const void* const input : call->inputs) text += " in " + text_of(input);
    for (const void* const output : call->outputs) text += " out " + text_of(output);
    return text + " with " + text_of(call->workspace);
  }
  if (const auto* const lookup = std::get_if<LookupNumber>(&action.work))
    return text + "look up " + std::to_string(static_cast<int>(*lookup));
  if (const auto* const update = std::get_if<RowUpdateNumber>(&action.work))
    return text + "update " + std::to_string(static_cast<int>(*update));
  if (const auto* const input = std::get_if<ReadInput>(&action.work))
    return text + "input " + std::to_string(index_of(input->tensor)) + " " + text_of(input->value);
  if (const auto* const read = std::get_if<ReadStore>(&action.work))
    return text + "read " + std::to_string(read->offset_bytes) + " " + text_of(read->memory);
  if (const auto* const write = std::get_if<WriteStore>(&action.work))
    return text + "write " + std::to_string(write->offset_bytes) + " " + text_of(write->memory);
  return text + "nothing";
}

class Packed : public ::testing::Test {
 protected:
  std::span<std::byte> memory(std::size_t begin, std::size_t count) {
    return std::span(arena_).subspan(begin, count);
  }

  void append(const PreparedAction& action) {
    actions_.append(action);
    wanted_.push_back(text_of(action));
  }

  // Twice, as in two steps.
  void expect_the_same() const {
    ActionReader reader(actions_);
    ASSERT_EQ(actions_.size(), std::ssize(wanted_));
    for (int step = 0; step < 2; ++step) {
      reader.rewind();
      for (const std::string& action : wanted_) ASSERT_EQ(text_of(reader.next()), action);
    }
  }

  std::vector<std::byte> arena_ = std::vector<std::byte>(300'000);
  PackedActions actions_ = PackedActions(arena_.data());
  std::vector<std::string> wanted_ = {};
};

TEST_F(Packed, AreUnpackedAsTheyWere) {
  const std::byte elsewhere[8] = {};  // as constants are, in a mapped file
  const std::vector<const void*> inputs = {&arena_[0], elsewhere, &arena_[299'999]};
  const std::vector<void*> outputs = {&arena_[128]};
  append({.work = DoNothing{}, .gives = {0, 1}});
  append({.work = WriteStore{std::int64_t{1} << 40, memory(64, 128)}});
  append({.wait_for = 0, .work = ReadStore{0, memory(0, 253'440)}, .poisoned = {0, 2}});
  append({.work = CallKernel{20'000, inputs, outputs, nullptr}, .gives = {1, 3}});
  append({.wait_for = 1, .work = CallKernel{0, {}, outputs, &arena_[0]}, .again = true});
  append({.work = LookupNumber{3}, .poisoned = {2, 1}});
  append({.work = RowUpdateNumber{0}});
  append({.work = ReadInput{TensorId{100'000}, memory(8, 0)}});
  append({.work = ReadStore{253'440, memory(8, 1)}});
  expect_the_same();
}

TEST_F(Packed, AreUnpackedAsTheyWereInAnyOrder) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::uint64_t end) { return random() % end; };
  std::int64_t transfers = 0;
  PreparedAction last;
  for (int k = 0; k < 500; ++k) {
    const std::span<std::byte> place = memory(below(200'000), below(100'000));
    const std::vector<const void*> inputs(below(5), place.data());
    const std::vector<void*> outputs(below(3), place.data());
    PreparedAction action{.again = below(2) == 0};
    if (transfers > 0 && below(3) == 0)
      action.wait_for = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(transfers)));
    action.gives = {last.gives.first + last.gives.count, static_cast<std::int32_t>(below(3))};
    action.poisoned = {last.poisoned.first + last.poisoned.count,
                       static_cast<std::int32_t>(below(3))};
    const auto offset_bytes = static_cast<std::int64_t>(random() >> below(63) >> 1);
    switch (below(4)) {
      case 0:
        action.work = ReadStore{offset_bytes, place};
        break;
      case 1:
        action.work = WriteStore{offset_bytes, place};
        break;
      case 2:
        action.work = ReadInput{static_cast<TensorId>(below(1 << 20)), place};
        break;
      default:
        action.work = CallKernel{static_cast<std::int32_t>(below(300)), inputs, outputs,
                                 below(2) == 0 ? nullptr : place.data()};
    }
    append(action);
    if (action.work.index() >= 5) ++transfers;
    last = action;
  }
  expect_the_same();
}

// What they are for: a read, a call and a write of a step in parts.
TEST_F(Packed, TakeAFewBytesEach) {
  const std::vector<const void*> inputs = {&arena_[0], &arena_[9'024], &arena_[64]};
  const std::vector<void*> outputs = {&arena_[200'000]};
  for (std::int64_t k = 0; k < 100; ++k) {
    append({.work = ReadStore{k * 98'304, memory(131'072, 98'304)}});
    append({.work = CallKernel{40, inputs, outputs, nullptr}});
    append({.work = WriteStore{k * 98'304, memory(131'072, 98'304)}});
  }
  EXPECT_LE(actions_.size_bytes(), 300 * 12);
}

}  // namespace
}  // namespace poet
