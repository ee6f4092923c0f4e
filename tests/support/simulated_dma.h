// Stream 3 of the STM32's DMA2, at the host of a simulated card, as a program sees it: by RM0090,
// section 10; shares nothing with the driver that is tried on it. It moves words between the host
// and memory as time passes, later than they are there, stops some time after it is told to, and
// complains of whatever it was set up to that would go wrong on a chip.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/simulated_sdio.h"

namespace poet {

class SimulatedDma {
 public:
  static constexpr std::uint32_t kBase = 0x40026400, kEnd = kBase + 0x400;
  static constexpr std::uint32_t kClocks = 0x40023830;  // RCC_AHB1ENR

  std::span<std::uint8_t> memory;            // that it reaches
  std::uint32_t memory_begins = 0x20000000;  // there
  std::int64_t burst_cycles = 40;            // from one burst to the next, which others delay
  // From when it is told to stop until it has; one more burst moves, where the host asks for one.
  // Negative: it never does, and goes on as if nothing had been said.
  std::int64_t stop_cycles = 100;
  std::int64_t flush_cycles = 60;  // from when it has stopped until its last words are in memory
  std::int64_t bursts_until_error = -1;  // of the bus; negative: none
  std::int64_t bursts_until_end = -1;    // that the host does not ask for
  std::int64_t words = 0;                // that have moved
  int streams = 0;                       // that began
  std::vector<std::string> complaints;

  explicit SimulatedDma(SimulatedSdio& host) : host_(host) {}

  bool runs() const { return (control_ & kEnable) != 0; }
  bool has_words() const { return !kept_.empty(); }

  std::uint32_t read(std::uint32_t address) const {
    switch (address) {
      case kClocks:
        return clocks_;
      case kBase + 0x00:
        return flags_;
      case kBase + 0x58:
        return control_;
      case kBase + 0x5C:
        return items_;
      case kBase + 0x60:
        return peripheral_;
      case kBase + 0x64:
        return place_;
      case kBase + 0x6C:
        return fifo_control_;
      default:
        return 0;
    }
  }
  void write(std::uint32_t address, std::uint32_t value) {
    if (address == kClocks) {
      clocks_ = value;
      return;
    }
    expect((clocks_ >> 22 & 1) != 0, "it has no clock");
    switch (address) {
      case kBase + 0x08:
        flags_ &= ~value;
        return;
      case kBase + 0x58:
        set_control(value);
        return;
      case kBase + 0x60:
        set(peripheral_, value);
        return;
      case kBase + 0x64:
        set(place_, value);
        return;
      case kBase + 0x6C:
        set(fifo_control_, value);
        return;
      default:
        complaints.push_back("a register that is not the stream's is written");
    }
  }

  // As time passes.
  void serve() {
    const std::int64_t now = host_.card.now;
    if (is_stopping_ && stop_cycles >= 0 && now >= told_at_ + stop_cycles) end();
    if (!runs() && has_words() && now >= ended_at_ + flush_cycles) flush();
    if (!runs() || now < next_at_ || bursts_left_ == 0) return;
    const std::size_t asked = host_.words_asked();
    if (asked > 0) burst(asked < 4 ? asked : 4);
    if (asked > 0 && is_stopping_ && stop_cycles >= 0) bursts_left_ -= 1;
    if (asked > 0) next_at_ = now + burst_cycles;
    if (runs() && host_.had_last() && has_begun_) end();
  }

 private:
  static constexpr std::uint32_t kEnable = 1, kHostEnds = 1u << 5, kToHost = 1u << 6;
  static constexpr std::uint32_t kFlags = 0x0F400000, kError = 1u << 25, kComplete = 1u << 27;

  void expect(bool holds, const char* what) {
    if (!holds) complaints.push_back(what);
  }
  void set(std::uint32_t& one, std::uint32_t value) {
    expect(!runs(), "it is set up while it runs");
    one = value;
  }
  void end() {
    control_ &= ~kEnable;
    is_stopping_ = false;
    ended_at_ = host_.card.now;
    if (!has_words()) flags_ |= kComplete;
  }
  void flush() {
    keep_in_memory();
    flags_ |= kComplete;
  }
  void keep_in_memory() {
    for (const auto& [at, word] : kept_) std::memcpy(&memory[at], &word, sizeof word);
    kept_.clear();
  }
  void set_control(std::uint32_t value) {
    if (runs()) {
      expect((value | kEnable) == control_, "it is set up while it runs");
      expect((value & kEnable) == 0, "it is enabled while it runs");
      if ((value & kEnable) == 0 && !is_stopping_) told_at_ = host_.card.now;
      is_stopping_ |= (value & kEnable) == 0;
      return;
    }
    control_ = value;
    if ((value & kEnable) != 0) enable();
  }
  void enable() {
    expect(!has_words(), "words of the last transfer are on their way");
    expect((flags_ & kFlags) == 0, "flags of the last transfer are left");
    expect((control_ >> 25 & 7) == 4, "another channel than the host's");
    expect((control_ & kHostEnds) != 0, "it counts words, and not the host");
    expect((control_ >> 11 & 3) == 2 && (control_ >> 13 & 3) == 2, "it moves no words");
    expect((control_ >> 10 & 1) == 1 && (control_ >> 9 & 1) == 0, "it stays, or the host moves");
    expect((control_ >> 21 & 3) == 1 && (control_ >> 23 & 3) == 0, "bursts that do not fit");
    expect((control_ & 0x1E) == 0, "an interrupt that nobody has");
    expect((control_ >> 8 & 1) == 0 && (control_ >> 18 & 1) == 0, "it goes around");
    expect((fifo_control_ & 7) == 7, "direct mode, or a threshold below its bursts");
    expect(peripheral_ == SimulatedSdio::kBase + 0x80, "no words of the host");
    expect(place_ % 4 == 0, "words that are not aligned");
    items_ = 0xFFFF;
    is_stopping_ = has_begun_ = false;
    bursts_left_ = 1;
    next_at_ = host_.card.now + burst_cycles;
    streams += 1;
  }
  void burst(std::size_t count) {
    has_begun_ = true;
    if (bursts_until_error >= 0 && bursts_until_error-- == 0) {
      control_ &= ~kEnable;
      flags_ |= kError;
      kept_.clear();
      return;
    }
    if (host_.receives() == ((control_ & kToHost) != 0)) {
      complaints.push_back("the host goes the other way");
      return;
    }
    keep_in_memory();
    for (; count > 0 && items_ > 0; --count, --items_) move_word();
    if (items_ == 0 || bursts_until_end-- == 1) end();
  }
  void move_word() {
    const std::uint64_t at = std::uint64_t{place_} - memory_begins + 4 * (0xFFFFu - items_);
    if (place_ < memory_begins || at + 4 > memory.size()) {
      complaints.push_back("memory that it does not reach");
      return;
    }
    std::uint32_t word = 0;
    if (host_.receives()) {
      kept_.emplace_back(at, host_.take_word());
    } else {
      std::memcpy(&word, &memory[at], sizeof word);
      host_.bring_word(word);
    }
    words += 1;
  }

  SimulatedSdio& host_;
  std::uint32_t clocks_ = 0, flags_ = 0, control_ = 0, items_ = 0, peripheral_ = 0, place_ = 0,
                fifo_control_ = 0x21;
  bool is_stopping_ = false, has_begun_ = false;
  int bursts_left_ = 1;  // when it is to stop
  std::int64_t told_at_ = 0, next_at_ = 0, ended_at_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> kept_;  // places in memory, and words
};

}  // namespace poet
