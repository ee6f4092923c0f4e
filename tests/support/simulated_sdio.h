// An SD card on four wires, and the host controller of the STM32 that it is at, as a program sees
// both: registers that are read and written. By the states of the Physical Layer Simplified
// Specification 9.00, table 4-35, and RM0090, section 31; shares nothing with the driver that is
// tried on it. Time is counted in cycles of the 48 MHz behind the controller, and passes with each
// look at a register. It can be absent, slow, busy, spoil answers and data, not hear, forget to say
// at once that it did not write, and lose its power at any cycle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace poet {

// How often something goes wrong from now on, each time one less; negative: always.
inline bool happens(int& left) {
  if (left == 0) return false;
  if (left > 0) left -= 1;
  return true;
}

// The card's side of the wires.
class SimulatedSdioCard {
 public:
  enum class State { Idle, Ready, Identification, Standby, Transfer, Sending, Receiving, Busy };
  enum class Taken { Yes, SpoiltByWire, NobodyListens };
  static constexpr std::uint32_t kBlock = 512;
  static constexpr std::uint32_t kOutOfRange = 1u << 31, kAddressError = 1u << 30,
                                 kNotHeardWell = 1u << 23, kIllegal = 1u << 22,
                                 kEccFailed = 1u << 21, kError = 1u << 19;

  std::vector<std::uint8_t> memory;
  bool is_high_capacity = true;
  bool is_first_version = false;  // knows no CMD8
  bool is_absent = false;
  bool other_voltage = false;
  bool never_ready = false;
  std::int64_t busy_cycles = 3000;  // after each block written; negative: for ever
  int spoilt_writes = 0;            // blocks whose checksum is wrong when they arrive
  int hidden_failures = 0;          // blocks that are taken, and not written
  int refused_reads = 0;            // blocks that are not sent
  std::uint32_t blocks_taken = 0;   // that were written or would have been

  State state = State::Idle;
  bool has_four_wires = false;
  std::int64_t now = 0;

  // What it answers; nothing to what it does not know, or not in this state.
  std::optional<std::uint32_t> hear(std::uint32_t index, std::uint32_t argument) {
    settle();
    if (is_absent) return std::nullopt;
    const bool is_app = is_app_;
    is_app_ = false;
    const std::optional<std::uint32_t> answer = obey(index, is_app, argument);
    if (!answer && index != 0) pending_ |= kIllegal;
    return answer;
  }
  // A command that a wire spoilt is not answered; the answer to the next tells of it.
  void hear_nothing() { pending_ |= kNotHeardWell; }

  // Four words of what it is.
  std::vector<std::uint32_t> csd() const {
    const auto blocks = static_cast<std::uint32_t>(memory.size() / kBlock);
    std::vector<std::uint32_t> words(4);
    const auto put = [&words](std::uint32_t low, std::uint32_t value) {
      const std::uint64_t wide = std::uint64_t{value} << low % 32;
      words[3 - low / 32] |= static_cast<std::uint32_t>(wide);
      if (wide >> 32 != 0) words[2 - low / 32] |= static_cast<std::uint32_t>(wide >> 32);
    };
    if (is_high_capacity) {
      put(126, 1);
      put(48, blocks / 1024 - 1);
    } else {  // blocks of 1024 bytes, in eights: as cards of 2 GB have it
      put(80, 10);
      put(62, blocks / 16 - 1);
      put(47, 1);
    }
    return words;
  }

  bool is_busy() {
    settle();
    return busy_until_ < 0 || now < busy_until_;
  }
  bool sends() const { return !is_absent && state == State::Sending && is_readable_; }
  std::uint32_t next_word() {
    std::uint32_t word = 0;
    std::memcpy(&word, &memory[place_], sizeof word);
    place_ += sizeof word;
    if (place_ % kBlock == 0) begin_sending();
    return word;
  }
  Taken take(const std::vector<std::uint8_t>& block) {
    if (is_absent || state != State::Receiving || ignores_) return Taken::NobodyListens;
    if (happens(spoilt_writes)) {
      ignores_ = is_several_;
      if (!is_several_) state = State::Transfer;
      return Taken::SpoiltByWire;
    }
    begin_busy();
    blocks_taken += 1;
    if (!is_several_) state = State::Busy;
    if (happens(hidden_failures)) {
      pending_ |= kError;
    } else {
      std::copy(block.begin(), block.end(), memory.begin() + place_);
    }
    place_ += kBlock;
    return Taken::Yes;
  }
  // Of a block that was on its way, what had arrived is written.
  void lose_power(const std::vector<std::uint8_t>& arrived) {
    if (!is_absent && state == State::Receiving)
      std::copy(arrived.begin(), arrived.end(), memory.begin() + place_);
    is_absent = true;
  }
  void begin_again() {
    is_absent = false;
    reset();
  }

 private:
  static constexpr std::uint32_t kAddress = 0x12340000;

  void reset() {
    state = State::Idle;
    has_four_wires = ignores_ = false;
    busy_until_ = address_ = pending_ = 0;
    init_left_ = 3;
  }
  void begin_busy() { busy_until_ = busy_cycles < 0 ? -1 : now + busy_cycles; }
  void settle() {
    if (state == State::Busy && busy_until_ >= 0 && now >= busy_until_) state = State::Transfer;
  }
  std::uint32_t answer_of(State before) {
    const std::uint32_t ready = is_busy() ? 0 : 1u << 8;
    const std::uint32_t app = is_app_ ? 1u << 5 : 0;
    return std::exchange(pending_, 0) | static_cast<std::uint32_t>(before) << 9 | ready | app;
  }
  std::optional<std::uint32_t> go_on(State needed, State next) {
    if (state != needed) return std::nullopt;
    const std::uint32_t answer = answer_of(state);
    state = next;
    return answer;
  }

  std::optional<std::uint32_t> obey(std::uint32_t index, bool is_app, std::uint32_t argument) {
    const bool is_meant = argument >> 16 == address_ >> 16;
    switch (index) {
      case 0:
        reset();
        return std::nullopt;
      case 2:
        return go_on(State::Ready, State::Identification);
      case 3: {
        if (!go_on(State::Identification, State::Standby)) return std::nullopt;
        address_ = kAddress;
        return address_ | 0x0500u;
      }
      case 6:
        if (!is_app || state != State::Transfer) return std::nullopt;
        has_four_wires = argument == 2;
        return answer_of(state);
      case 7:
        return is_meant ? go_on(State::Standby, State::Transfer) : std::nullopt;
      case 8:
        if (is_first_version || state != State::Idle) return std::nullopt;
        return other_voltage ? argument & 0xFFu : argument & 0xFFFu;
      case 9:
        return is_meant && state == State::Standby ? std::optional(0u) : std::nullopt;
      case 12:
        return stop();
      case 13:
        if (!is_meant || state < State::Standby) return std::nullopt;
        return answer_of(state);
      case 16:
        if (state != State::Transfer || argument != kBlock) return std::nullopt;
        return answer_of(state);
      case 17:
      case 18:
      case 24:
      case 25:
        return begin(index, argument);
      case 41:
        return is_app ? conditions(argument) : std::nullopt;
      case 42:
        return is_app && state == State::Transfer ? std::optional(answer_of(state)) : std::nullopt;
      case 55:
        if (!is_meant) return std::nullopt;
        is_app_ = true;
        return answer_of(state);
      default:
        return std::nullopt;
    }
  }
  std::optional<std::uint32_t> conditions(std::uint32_t argument) {
    if (state != State::Idle) return std::nullopt;
    const bool may_begin = !never_ready && (argument >> 30 != 0 || !is_high_capacity);
    if (!may_begin || --init_left_ > 0) return 0x00FF8000u;
    state = State::Ready;
    return is_high_capacity ? 0xC0FF8000u : 0x80FF8000u;
  }
  std::optional<std::uint32_t> begin(std::uint32_t index, std::uint32_t argument) {
    if (state != State::Transfer) return std::nullopt;
    const std::uint64_t place = is_high_capacity ? std::uint64_t{argument} * kBlock : argument;
    if (place >= memory.size() || place % kBlock != 0) {
      pending_ |= place % kBlock != 0 ? kAddressError : kOutOfRange;
      return answer_of(state);
    }
    const bool reads = index < 24;
    const std::uint32_t answer = answer_of(state);
    place_ = static_cast<std::size_t>(place);
    is_several_ = index == 18 || index == 25;
    ignores_ = false;
    state = reads ? State::Sending : State::Receiving;
    left_ = 1;
    if (reads) begin_sending();
    return answer;
  }
  // The next block, which one that sends several has behind the last one as well, but for its end.
  void begin_sending() {
    is_readable_ = false;
    if (!is_several_ && left_-- == 0) {
      state = State::Transfer;
    } else if (place_ >= memory.size()) {
      pending_ |= kOutOfRange;
    } else if (happens(refused_reads)) {
      pending_ |= kEccFailed;
    } else {
      is_readable_ = true;
    }
  }
  std::optional<std::uint32_t> stop() {
    if (state == State::Sending) return go_on(State::Sending, State::Transfer);
    if (state != State::Receiving) return std::nullopt;
    begin_busy();
    return go_on(State::Receiving, State::Busy);
  }

  bool is_app_ = false, is_several_ = false, is_readable_ = false, ignores_ = false;
  int init_left_ = 3, left_ = 0;
  std::uint32_t address_ = 0, pending_ = 0;
  std::int64_t busy_until_ = 0;
  std::size_t place_ = 0;
};

// The controller with its card.
class SimulatedSdio {
 public:
  static constexpr std::uint32_t kBase = 0x40012C00;

  SimulatedSdioCard card;
  // By command: answers that arrive spoilt, or not at all, and commands that are not heard.
  std::array<int, 64> spoilt_answers = {}, lost_answers = {}, lost_commands = {};
  std::uint32_t spoilt_bits = 0x80300A00;
  int spoilt_reads = 0;               // blocks that arrive with a wrong checksum
  std::int64_t cycles_until_off = 0;  // of the card's power; 0: never
  std::int64_t pause_cycles = 0;      // that something else has the processor, every 64 words
  std::int64_t late_cycles = 0;       // and between an answer and what is done about it
  bool is_dead = false;               // nothing that is begun comes to an end
  bool was_too_fast = false;          // it was talked to too fast
  int commands = 0;                   // that were sent
  std::function<void()> serve;        // called as time passes: of what moves words beside it

  std::uint32_t divisor() const { return (registers_[kClock / 4] & 0xFFu) + 2; }

  std::uint32_t read(std::uint32_t address) {
    const std::uint32_t place = address - kBase;
    pass();
    if (place == kStatus) {
      const std::uint32_t seen = status();
      if ((seen & kAnswered) != 0) compute(late_cycles);
      return seen;
    }
    if (place != kFifo) return registers_.at(place / 4);
    if (fifo_.empty()) return 0;
    const std::uint32_t word = fifo_.front();
    fifo_.pop_front();
    pause();
    return word;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    const std::uint32_t place = address - kBase;
    pass();
    if (place == kClear) {
      flags_ &= ~value;
    } else if (place == kFifo) {
      fifo_.push_back(value);
      pause();
    } else {
      registers_.at(place / 4) = value;
      if (place == kCommand && (value >> 10 & 1) != 0) send(value & 63, value >> 6 & 3);
      if (place == kControl) control();
    }
  }

  // Time in which nobody looks at a register, by less than a word each.
  void compute(std::int64_t cycles) {
    for (; cycles > 0; cycles -= kLook) pass(kLook);
  }

  // --- What DMA sees: words that it may take or has to bring, and which of them is the last.

  bool receives() const { return (registers_[kControl / 4] >> 1 & 1) != 0; }
  std::size_t words_asked() const {
    const bool by_dma = (registers_[kControl / 4] >> 3 & 1) != 0;
    if (!by_dma || is_dead) return 0;
    if (receives()) return fifo_.size() < kBurst && path_ != Path::Idle ? 0 : fifo_.size();
    const bool has_room = path_ != Path::Idle && fifo_.size() + kBurst <= kFifoWords;
    return has_room ? std::min<std::size_t>(kBurst, to_bring_) : 0;
  }
  bool had_last() const {
    return receives() ? fifo_.empty() && (flags_ & kDataEnd) != 0 : to_bring_ == 0;
  }
  std::uint32_t take_word() {
    const std::uint32_t word = fifo_.front();
    fifo_.pop_front();
    return word;
  }
  void bring_word(std::uint32_t word) {
    fifo_.push_back(word);
    to_bring_ -= 1;
  }

 private:
  enum class Path { Idle, WaitsForBlock, Receives, WaitsForCard, Sends };
  static constexpr std::uint32_t kClock = 0x04, kArgument = 0x08, kCommand = 0x0C, kResponse = 0x14,
                                 kTimer = 0x24, kLength = 0x28, kControl = 0x2C, kStatus = 0x34,
                                 kClear = 0x38, kFifo = 0x80;
  static constexpr std::uint32_t kCommandSpoilt = 1u << 0, kDataSpoilt = 1u << 1,
                                 kNoAnswer = 1u << 2, kDataLate = 1u << 3, kUnderrun = 1u << 4,
                                 kOverrun = 1u << 5, kAnswered = 1u << 6, kSent = 1u << 7,
                                 kDataEnd = 1u << 8, kFifoFull = 1u << 16, kHasWord = 1u << 21;
  static constexpr std::size_t kFifoWords = 32, kBurst = 4;
  static constexpr std::int64_t kLook = 4,
                                kWaitingLook = 2048;  // cycles: what waits need not be slow

  bool waits() const { return path_ == Path::WaitsForBlock || path_ == Path::WaitsForCard; }
  std::int64_t clocks(std::int64_t count) const { return count * divisor(); }
  bool wires_agree() const {
    return card.has_four_wires == ((registers_[kClock / 4] >> 11 & 1) != 0);
  }

  void pass() {
    if (path_ == Path::Idle && cycles_until_off == 0) {  // most looks, of one that waits to begin
      card.now += kLook;
      if (serve) serve();
    } else {
      pass(waits() && card.now > patient_from_ ? kWaitingLook : kLook);
    }
  }
  void pass(std::int64_t cycles) {
    card.now += cycles;
    if (cycles_until_off > 0 && (cycles_until_off -= cycles) <= 0) {
      cycles_until_off = 0;
      card.lose_power(block_);
    }
    if (!is_dead) move_data();
    if (serve) serve();
  }
  void pause() {
    if (pause_cycles > 0 && ++words_ % 64 == 0) pass(pause_cycles);
  }

  std::uint32_t status() const {
    const bool receives = (registers_[kControl / 4] >> 1 & 1) != 0;
    if (fifo_.empty() || is_dead) return flags_;
    if (receives) return flags_ | kHasWord;
    return fifo_.size() < kFifoWords ? flags_ : flags_ | kFifoFull;
  }

  void send(std::uint32_t index, std::uint32_t response) {
    commands += 1;
    pass(clocks(128));
    if (is_dead) return;
    watch_rate();
    std::optional<std::uint32_t> answer;
    if (happens(lost_commands[index]))
      card.hear_nothing();
    else
      answer = card.hear(index, registers_[kArgument / 4]);
    if (response == 0) {
      flags_ |= kSent;
    } else if (!answer || happens(lost_answers[index])) {
      flags_ |= kNoAnswer;
    } else {
      take_answer(index, *answer);
    }
  }
  void watch_rate() {
    const std::uint32_t hz = 48'000'000 / divisor();
    const bool begins = card.state < SimulatedSdioCard::State::Standby;
    was_too_fast |= hz > (begins ? 400'000u : 25'000'000u);
  }
  void take_answer(std::uint32_t index, std::uint32_t answer) {
    const bool is_spoilt = happens(spoilt_answers[index]);
    registers_[kResponse / 4] = answer ^ (is_spoilt ? spoilt_bits : 0u);
    if (index == 9) std::ranges::copy(card.csd(), registers_.begin() + kResponse / 4);
    // The answer to ACMD41 has no checksum.
    flags_ |= is_spoilt || index == 41 ? kCommandSpoilt : kAnswered;
  }

  void control() {
    const std::uint32_t value = registers_[kControl / 4];
    fifo_.clear();
    block_.clear();
    path_ = (value & 1) == 0   ? Path::Idle
            : (value & 2) != 0 ? Path::WaitsForBlock
                               : Path::WaitsForCard;
    left_ = registers_[kLength / 4];
    to_bring_ = left_ / 4;
    wait();
  }
  void wait() {
    patient_from_ = card.now + clocks(1000);
    late_at_ = card.now + clocks(registers_[kTimer / 4]);
  }
  void end(std::uint32_t flag) {
    flags_ |= flag;
    path_ = Path::Idle;
  }
  void begin_words(Path path) {
    path_ = path;
    block_.clear();
    next_word_at_ = card.now + clocks(8);
  }

  void move_data() {
    if (path_ == Path::WaitsForBlock && card.sends() && wires_agree()) begin_words(Path::Receives);
    if (path_ == Path::WaitsForCard && !fifo_.empty() && !card.is_busy()) begin_words(Path::Sends);
    if (waits() && card.now >= late_at_) end(kDataLate);
    while (path_ == Path::Receives && next_word_at_ <= card.now) receive_word();
    while (path_ == Path::Sends && next_word_at_ <= card.now) send_word();
  }
  void receive_word() {
    next_word_at_ += clocks(8);
    if (!card.sends()) return end(kDataSpoilt);
    if (fifo_.size() == kFifoWords) return end(kOverrun);
    fifo_.push_back(card.next_word());
    block_.resize(block_.size() + 4);
    if (block_.size() < SimulatedSdioCard::kBlock) return;
    if (happens(spoilt_reads)) return end(kDataSpoilt);
    next_block(Path::WaitsForBlock);
  }
  void send_word() {
    next_word_at_ += clocks(8);
    if (fifo_.empty()) return end(kUnderrun);
    const std::uint32_t word = fifo_.front();
    fifo_.pop_front();
    block_.resize(block_.size() + 4);
    std::memcpy(&block_[block_.size() - 4], &word, sizeof word);
    if (block_.size() < SimulatedSdioCard::kBlock) return;
    // A card that says nothing of the checksum is one for which it was wrong.
    const bool is_taken = wires_agree() && card.take(block_) == SimulatedSdioCard::Taken::Yes;
    if (!is_taken) return end(kDataSpoilt);
    next_block(Path::WaitsForCard);
  }
  void next_block(Path next) {
    block_.clear();
    left_ -= SimulatedSdioCard::kBlock;
    path_ = next;
    wait();
    if (left_ == 0) end(kDataEnd);
  }

  std::array<std::uint32_t, 64> registers_ = {};
  std::uint32_t flags_ = 0, left_ = 0, to_bring_ = 0;
  std::deque<std::uint32_t> fifo_;
  std::vector<std::uint8_t> block_;  // what of it has moved
  Path path_ = Path::Idle;
  std::int64_t next_word_at_ = 0, late_at_ = 0, patient_from_ = 0;
  int words_ = 0;
};

}  // namespace poet
