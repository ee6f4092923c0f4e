#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace poet::testing {

// The controls of a stub library (call_log.h), which the adapter under test loads as well.
class SolverStub {
 public:
  explicit SolverStub(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW)) {
    if (handle_ == nullptr) {
      ADD_FAILURE() << dlerror();
      return;
    }
    control<void()>("stub_reset")();
  }

  // Every call so far, one a line.
  std::string log() const { return control<const char*()>("stub_log")(); }
  // As log(), and forgets them and every answer.
  std::string take_log() const {
    const std::string text = log();
    control<void()>("stub_reset")();
    return text;
  }
  void fail(const std::string& function, int code) const {
    control<void(const char*, int)>("stub_fail")(function.c_str(), code);
  }
  void answer(const std::string& name, const std::vector<double>& values) const {
    control<void(const char*, int, const double*)>("stub_answer")(
        name.c_str(), static_cast<int>(values.size()), values.data());
  }

 private:
  template <typename Function>
  Function* control(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

  void* handle_;
};

}  // namespace poet::testing
