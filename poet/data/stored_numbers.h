#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/data/data_file.h"
#include "poet/graph/element_type.h"

namespace poet {

// How files of data write a number.
enum class StoredNumber {
  Bool,
  Int8,
  Uint8,
  Int16,
  Uint16,
  Int32,
  Uint32,
  Int64,
  Uint64,
  Float32,
  Float64
};

inline constexpr Named<StoredNumber> kStoredNumbers[] = {
    {"bool", StoredNumber::Bool},       {"int8", StoredNumber::Int8},
    {"uint8", StoredNumber::Uint8},     {"int16", StoredNumber::Int16},
    {"uint16", StoredNumber::Uint16},   {"int32", StoredNumber::Int32},
    {"uint32", StoredNumber::Uint32},   {"int64", StoredNumber::Int64},
    {"uint64", StoredNumber::Uint64},   {"float32", StoredNumber::Float32},
    {"float64", StoredNumber::Float64},
};

std::int64_t byte_size(StoredNumber number);
constexpr bool has_fractions(StoredNumber number) {
  return number == StoredNumber::Float32 || number == StoredNumber::Float64;
}

enum class ByteOrder { LittleEndian, BigEndian };

// A row of numbers in a file, one after the other.
struct NumberRun {
  std::shared_ptr<const DataFile> file = {};
  std::int64_t offset_bytes = 0;
  StoredNumber number = StoredNumber::Uint8;
  ByteOrder order = ByteOrder::LittleEndian;
};

// Reads as many numbers as `into` has room for, from the `first` of the run on, and writes them as
// `element`s: whole numbers to any, those with fractions to Float32 only, rounded to nearest; Bool
// takes 0 and 1. Refuses values that the element cannot hold, naming the file and the place.
Failure read_numbers(const NumberRun& run, std::int64_t first, ElementType element,
                     std::span<std::byte> into);

}  // namespace poet
