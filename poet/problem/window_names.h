#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "poet/base/named.h"

namespace poet {

// The rows and columns of a window model (docs/formats/certificate.md), by what they say. Their
// numbers, in this order: the window, then operations and tensors (roots) by id.
enum class WindowRowKind {
  Need,           // window, tensor: a stage of the window reads it, so it is there or comes
  Making,         // window, operation, tensor: the operation runs again only if its input is there
  Copy,           // window, tensor: it is read only if it is stored
  Carry,          // window, tensor: in RAM at the key after the window only if it is there or comes
  Memory,         // window: the RAM at the key before it
  Stays,          // window, tensor: a resident is in RAM at the key before the window
  Crowded,        // window, operation: the RAM when the operation runs again, in a one-stage window
  CrowdedNeed,    // window, operation, tensor: in RAM then, because the stage reads it
  CrowdedLater,   // window, operation, tensor: because it is in RAM at the next key
  CrowdedReader,  // window, operation, tensor, reader: because the reader runs again behind it
  Deadline,
  Storage,
  Writes,
};

enum class WindowColumnKind {
  Present,   // window, tensor: in RAM at the key before the window
  Made,      // window, operation: runs again in the window
  Read,      // window, tensor: read from storage in the window
  Stored,    // tensor
  Resident,  // tensor
  InRam,     // window, operation, tensor: when the operation runs again (Crowded); not whole
};

inline constexpr Named<WindowRowKind> kWindowRowKinds[] = {
    {"need", WindowRowKind::Need},
    {"making", WindowRowKind::Making},
    {"copy", WindowRowKind::Copy},
    {"carry", WindowRowKind::Carry},
    {"memory", WindowRowKind::Memory},
    {"stays", WindowRowKind::Stays},
    {"crowded", WindowRowKind::Crowded},
    {"crowded-need", WindowRowKind::CrowdedNeed},
    {"crowded-later", WindowRowKind::CrowdedLater},
    {"crowded-reader", WindowRowKind::CrowdedReader},
    {"deadline", WindowRowKind::Deadline},
    {"storage", WindowRowKind::Storage},
    {"writes", WindowRowKind::Writes},
};

inline constexpr Named<WindowColumnKind> kWindowColumnKinds[] = {
    {"present", WindowColumnKind::Present},   {"made", WindowColumnKind::Made},
    {"read", WindowColumnKind::Read},         {"stored", WindowColumnKind::Stored},
    {"resident", WindowColumnKind::Resident}, {"in-ram", WindowColumnKind::InRam},
};

// How many numbers a name has.
constexpr std::size_t arity_of(WindowRowKind kind) {
  switch (kind) {
    case WindowRowKind::Deadline:
    case WindowRowKind::Storage:
    case WindowRowKind::Writes:
      return 0;
    case WindowRowKind::Memory:
      return 1;
    case WindowRowKind::Making:
    case WindowRowKind::CrowdedNeed:
    case WindowRowKind::CrowdedLater:
      return 3;
    case WindowRowKind::CrowdedReader:
      return 4;
    default:
      return 2;
  }
}
constexpr std::size_t arity_of(WindowColumnKind kind) {
  switch (kind) {
    case WindowColumnKind::Stored:
    case WindowColumnKind::Resident:
      return 1;
    case WindowColumnKind::InRam:
      return 3;
    default:
      return 2;
  }
}

struct WindowRowName {
  WindowRowKind kind = WindowRowKind::Deadline;
  std::array<std::int32_t, 4> ids = {};  // those beyond the arity are 0

  auto operator<=>(const WindowRowName&) const = default;
};

struct WindowColumnName {
  WindowColumnKind kind = WindowColumnKind::Stored;
  std::array<std::int32_t, 3> ids = {};

  auto operator<=>(const WindowColumnName&) const = default;
};

}  // namespace poet
