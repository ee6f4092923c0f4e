#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// A library that is loaded at run time because it may not be there. It is never unloaded: solvers
// keep threads of their own.
class DynamicLibrary {
 public:
  // The first of `names` that is found, in `directories` one after the other and then where the
  // system's loader looks. An Error of code Unsupported when there is none, or when one that is
  // there cannot be loaded; `product` is its name for people.
  static Result<DynamicLibrary> open(const std::string& product,
                                     const std::vector<std::string>& names,
                                     const std::vector<std::string>& directories);

  // Sets `function` to the function of that name; the first that is missing is remembered.
  template <typename Function>
  void bind(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(find(name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }

  // The function of that name, or null.
  void* find(const char* name) const;
  // An Error that names the first function that bind() did not find; nothing when all were.
  Failure complete() const;

 private:
  DynamicLibrary(std::string product, std::string path, void* handle);

  std::string product_;
  std::string path_;
  void* handle_;
  std::string missing_ = {};
};

}  // namespace poet
