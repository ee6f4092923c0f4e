#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "poet/base/ids.h"
#include "poet/runtime/step_table.h"

namespace poet {

// What a packed step is written in (poet/runtime/step_table.h says how it is read).
class StepCodes {
 public:
  // Below 2^32.
  void add_number(std::int64_t number);
  // From where the last one ended; this one ends `blocks` behind it.
  void add_transfer(std::int64_t block, std::int64_t blocks);
  // Of 8 bytes each; below 2^32.
  void add_place(std::int64_t place);

  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
  std::int64_t block_ = 0;  // where the last transfer ended
};

// What actions have in common: an entry of the list of works (poet_step_work).
struct StepWorkKind {
  poet_work_kind kind = POET_WORK_CALL;
  std::int64_t call = 0;    // of StepTables::call_of(); of a transfer: bytes; of a wait: transfers
  std::string shape = {};   // the name of a constant of C; empty: none
  std::int64_t places = 0;  // that an action names

  auto operator<=>(const StepWorkKind&) const = default;
};

// A place in an arena, or a constant.
struct CodedPlace {
  bool is_constant = false;
  std::int64_t number = 0;  // of the constant; else StepTables::place_of()
};

// What a plan has of one memory, as C knows it.
struct CodedArena {
  std::string symbol = {};  // a union with `bytes`
  std::int64_t size_bytes = 0;
};

struct StepAction {
  StepWorkKind work = {};
  std::int64_t block = 0;  // in storage, of a transfer
  std::vector<CodedPlace> places = {};
  std::string comment = {};
};

// The steps of a plan as tables of bytes (poet/runtime/step_table.h), and what their walk needs.
// What is done most often gets the shortest numbers, so texts are made when all actions are known.
class StepTables {
 public:
  // An arena for each memory, in their order. With a hook its walk asks before each action whether
  // to pause there. Overlapped: transfers are only issued, and what must wait for them says so.
  StepTables(std::vector<CodedArena> arenas, std::int64_t block_bytes, bool calls_hook = false,
             bool overlapped = false)
      : arenas_(std::move(arenas)),
        block_bytes_(block_bytes),
        calls_hook_(calls_hook),
        overlapped_(overlapped) {}

  // In places of 8 bytes, of which `offset_bytes` is a multiple; they count on from one arena to
  // the next.
  std::int64_t place_of(MemoryId memory, std::int64_t offset_bytes) const;

  // The number of a statement of C in which shape and at[0], at[1], ... stand for what differs.
  std::int64_t call_of(const std::string& statement);

  void begin_form(const std::string& name);
  void add(StepAction action);  // of the form that began last

  std::int64_t block_bytes() const { return block_bytes_; }

  // Everything up to a function run_NAME() for each form. `constants` are arrays of C, in order of
  // their numbers.
  std::string text(const std::vector<std::string>& constants) const;

 private:
  struct Form {
    std::string name = {};
    std::vector<StepAction> actions = {};
  };
  using Numbers = std::map<StepWorkKind, std::int64_t>;

  std::vector<StepWorkKind> works() const;  // the most frequent first
  std::string perform_text() const;
  std::int64_t arena_places() const;  // of all of them
  std::string plan_text() const;
  std::string walk_text(const std::vector<StepWorkKind>& works) const;
  std::string form_text(const Form& form, const Numbers& numbers, std::int64_t first_action) const;

  std::vector<CodedArena> arenas_;
  std::int64_t block_bytes_ = 1;
  bool calls_hook_ = false;
  bool overlapped_ = false;
  std::vector<std::string> statements_;
  std::map<std::string, std::int64_t> call_numbers_;
  std::vector<Form> forms_;
};

}  // namespace poet
