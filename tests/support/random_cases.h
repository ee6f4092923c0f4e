#pragma once

namespace poet::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kUnderSanitizers = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kUnderSanitizers = true;
#else
inline constexpr bool kUnderSanitizers = false;
#endif
#else
inline constexpr bool kUnderSanitizers = false;
#endif

// How many random instances a test looks at. Sanitizers make each take ten times as long, and what
// they look for, a fault of memory, shows in the first ones or in none: they get a sixth.
constexpr int random_cases(int most) {
  return kUnderSanitizers ? (most + 5) / 6 : most;
}

}  // namespace poet::testing
