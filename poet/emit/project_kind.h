#pragma once

#include "poet/base/named.h"

namespace poet {

// Whose build system a project is laid out for (docs/decisions/0056-projects-of-other-tools.md).
enum class ProjectKind { Make, CMake, PlatformIO, Arduino, Zephyr, EspIdf };

inline constexpr Named<ProjectKind> kProjectKinds[] = {{"make", ProjectKind::Make},
                                                       {"cmake", ProjectKind::CMake},
                                                       {"platformio", ProjectKind::PlatformIO},
                                                       {"arduino", ProjectKind::Arduino},
                                                       {"zephyr", ProjectKind::Zephyr},
                                                       {"esp-idf", ProjectKind::EspIdf}};

// Make and CMake have the same project, with files for both.
constexpr bool is_plain(ProjectKind kind) {
  return kind == ProjectKind::Make || kind == ProjectKind::CMake;
}

}  // namespace poet
