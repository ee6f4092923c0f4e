#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/graph.h"
#include "poet/graph/tensor_piece.h"

namespace poet {

// A tensor that outlives a step, wherever it lies, and how to get at it piece by piece.
struct HeldValue {
  std::string name = {};
  TensorType type = {};
  TensorRole role = TensorRole::Parameter;
  std::function<Failure(std::int64_t offset_bytes, std::span<std::byte> into)> read = {};
  // Empty for what never changes.
  std::function<Failure(std::int64_t offset_bytes, std::span<const std::byte> from)> write = {};
};

// Calls `use` with all bytes of a value, one piece after the other. `buffer` is where they come by;
// its size is that of all pieces but the last.
Failure for_each_piece(const HeldValue& value, std::span<std::byte> buffer,
                       const std::function<Failure(std::span<const std::byte>)>& use);

// The first float of a value that is infinite or no number, by its name and what it is:
// "'fc1.weight' (nan)". Nothing where all are finite; values that are no floats are.
Result<std::optional<std::string>> first_not_finite(const std::vector<HeldValue>& values,
                                                    std::span<std::byte> buffer);

// Of the bytes of all values of role Parameter, in order of name: 64 hexadecimal digits. The same
// for the same values, whatever machine or budget they were trained in.
Result<std::string> parameters_sha256(const std::vector<HeldValue>& values,
                                      std::span<std::byte> buffer);

struct HeldPiece {
  TensorPiece piece = {};
  HeldValue value = {};
};

// The value that these are the pieces of: together they hold each of its numbers, and some perhaps
// more than once, with the same contents. It can be written where they can.
HeldValue value_in_pieces(std::vector<HeldPiece> pieces);

}  // namespace poet
