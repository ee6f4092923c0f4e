#include "poet/base/dynamic_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <utility>

namespace poet {
namespace {

Error unsupported(std::string message) {
  return {.code = ErrorCode::Unsupported, .message = std::move(message)};
}

std::string last_reason() {
  const char* reason = dlerror();
  return reason ? reason : "no reason given";
}

void* load(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

DynamicLibrary::DynamicLibrary(std::string product, std::string path, void* handle)
    : product_(std::move(product)), path_(std::move(path)), handle_(handle) {}

Result<DynamicLibrary> DynamicLibrary::open(const std::string& product,
                                            const std::vector<std::string>& names,
                                            const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    for (const std::string& name : names) {
      const std::string path = directory + "/" + name;
      if (!exists(path)) continue;
      if (void* handle = load(path)) return DynamicLibrary(product, path, handle);
      return unsupported("the " + product + " library cannot be loaded: " + last_reason());
    }
  }
  for (const std::string& name : names)
    if (void* handle = load(name)) return DynamicLibrary(product, name, handle);
  return unsupported(product + " is not installed: no library " + names.back() + " was found");
}

void* DynamicLibrary::find(const char* name) const {
  return dlsym(handle_, name);
}

Failure DynamicLibrary::complete() const {
  if (missing_.empty()) return {};
  return unsupported("this version of " + product_ + " is not supported: " + path_ +
                     " has no function " + missing_);
}

}  // namespace poet
