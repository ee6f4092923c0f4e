#include "poet/data/cifar10.h"

#include <fmt/core.h>

#include <utility>

#include "poet/base/check.h"
#include "poet/data/stored_numbers.h"

namespace poet {
namespace {

constexpr std::int64_t kChannels = 3;
constexpr std::int64_t kPixels = kChannels * 32 * 32;
constexpr std::int64_t kRecordBytes = 1 + kPixels;
constexpr std::size_t kImage = 0;

std::int64_t record_count(const DataFile& file) {
  return file.size_bytes() / kRecordBytes;
}

class Cifar10 final : public Dataset {
 public:
  Cifar10(std::vector<NumberRun> files, PixelScale scale)
      : files_(std::move(files)), scale_(std::move(scale)) {
    for (const NumberRun& run : files_) size_ += record_count(*run.file);
  }

  std::int64_t size() const override { return size_; }
  const std::vector<ExamplePart>& parts() const override { return parts_; }

  Failure read(std::int64_t example, std::size_t part, std::span<std::byte> into) const override {
    POET_CHECK(example >= 0 && example < size_);
    std::size_t k = 0;
    for (; example >= record_count(*files_[k].file); ++k) example -= record_count(*files_[k].file);
    const std::int64_t record = example * kRecordBytes;
    if (part != kImage) return read_numbers(files_[k], record, ElementType::Int64, into);
    if (Failure failure = read_numbers(files_[k], record + 1, ElementType::Float32, into))
      return failure;
    scale_pixels(scale_, kChannels, into);
    return std::nullopt;
  }

 private:
  std::vector<NumberRun> files_;
  PixelScale scale_;
  std::int64_t size_ = 0;
  std::vector<ExamplePart> parts_ = {
      {.name = "image", .type = {ElementType::Float32, {kChannels, 32, 32}}},
      {.name = "label", .type = {ElementType::Int64, {}}, .value_limit = 10}};
};

}  // namespace

Result<std::unique_ptr<Dataset>> open_cifar10(const std::vector<std::string>& paths,
                                              const PixelScale& scale) {
  POET_CHECK(!paths.empty());
  if (Failure failure = check_scale(scale, kChannels)) return *failure;
  std::vector<NumberRun> files;
  for (const std::string& path : paths) {
    Result<DataFile> file = DataFile::open(path);
    if (!file.ok()) return file.error();
    if (file->size_bytes() == 0 || file->size_bytes() % kRecordBytes != 0)
      return bad_input(
          fmt::format("{} has {} bytes: a CIFAR-10 file is made of records of {} "
                      "bytes, a label and 3 x 32 x 32 pixels",
                      quoted_path(path), file->size_bytes(), kRecordBytes));
    files.push_back({.file = std::make_shared<const DataFile>(*std::move(file))});
  }
  return std::unique_ptr<Dataset>(std::make_unique<Cifar10>(std::move(files), scale));
}

}  // namespace poet
