#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/file_calls.h"
#include "poet/base/result.h"

namespace poet {

struct PageFileOptions {
  std::string path = {};
  std::int64_t size_bytes = 0;
  bool keep_file = false;
  bool direct = false;
};

// The file of a page store, open, with space on the disk for all of it; closed at the end. Unless
// it is kept it has no name from the moment it is open, so that it is gone however the program
// ends.
class PageFile {
 public:
  // Refuses as PageStore::create() does. What the user should know is added to `remarks`.
  static Result<PageFile> open(const PageFileOptions& options, FileCalls& calls,
                               std::vector<std::string>& remarks);
  PageFile(PageFile&& other) noexcept;
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;
  PageFile& operator=(PageFile&&) = delete;
  ~PageFile();

  int number() const { return number_; }
  const std::string& path() const { return options_.path; }
  std::int64_t size_bytes() const { return options_.size_bytes; }  // whole blocks
  std::int64_t block_bytes() const { return block_bytes_; }        // 1 unless direct

  // Whether it is still what was opened: writing behind the end of a file that somebody cut short
  // would succeed, and reading the hole give zeros.
  Failure check() const;
  Failure sync() const;

 private:
  PageFile(const PageFileOptions& options, FileCalls& calls);
  Failure open_in_folder();
  Failure open_under_a_name_for_a_moment();
  Failure open_named();
  Failure own();
  Failure find_block();
  std::int64_t probed_block() const;
  bool reads_at(std::int64_t block_bytes) const;
  Failure reserve(std::vector<std::string>& remarks);
  Failure write_zeros(std::int64_t from_bytes) const;
  Error cannot(const std::string& what, const std::string& why) const;
  Error cannot(const std::string& what, int error_number) const;

  PageFileOptions options_;
  FileCalls* calls_;
  int number_ = -1;
  bool is_new_ = false;  // and named: to be removed when it cannot be used
  std::int64_t block_bytes_ = 1;
};

// What to do about an error of the system with a store at this path: the end of a sentence.
std::string advice_on(int error_number, const std::string& path);

}  // namespace poet
