#include "poet/model/onnx/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "poet/base/checked_math.h"
#include "poet/base/message_text.h"
#include "poet/model/mapped_file.h"

namespace poet {
namespace {

namespace fs = std::filesystem;

bool leads_out(const fs::path& relative) {
  return relative.empty() || *relative.begin() == "..";
}

bool is_below(const fs::path& folder, const fs::path& file) {
  return !leads_out(file.lexically_relative(folder));
}

Error outside(const std::string& location) {
  return bad_input(
      fmt::format("external data in {} lies outside the model's folder", in_quotes(location)));
}

// Links may be followed as long as they stay in the model's folder, or in the one that a link to
// the model itself leads to.
bool stays_beside(const fs::path& model, const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(file, error);
  if (error) return false;
  const fs::path folder = fs::weakly_canonical(
      model.parent_path().empty() ? fs::path(".") : model.parent_path(), error);
  if (!error && is_below(folder, target)) return true;
  const fs::path real_model = fs::weakly_canonical(model, error);
  return !error && is_below(real_model.parent_path(), target);
}

}  // namespace

Result<StoredBytes> ExternalFiles::file(const std::string& location) {
  if (const auto known = mapped_.find(location); known != mapped_.end()) return known->second;
  const fs::path relative = fs::path(location).lexically_normal();
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() ||
      leads_out(relative))
    return outside(location);
  const fs::path model(model_path_);
  const fs::path path = model.parent_path() / relative;
  if (!stays_beside(model, path)) return outside(location);
  Result<StoredBytes> mapped = map_file(path.string());
  if (mapped.ok()) mapped_[location] = *mapped;
  return mapped;
}

std::vector<std::string> ExternalFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto& [location, bytes] : mapped_)
    paths.push_back((fs::path(model_path_).parent_path() / location).string());
  return paths;
}

Result<StoredBytes> ExternalFiles::part(const ExternalPlace& place, std::int64_t size_bytes) {
  if (place.length_bytes && *place.length_bytes != size_bytes)
    return bad_input(fmt::format("its external data has {} bytes, not the {} of its shape",
                                 *place.length_bytes, size_bytes));
  Result<StoredBytes> whole = file(place.location);
  if (!whole.ok()) return whole;
  const std::optional<std::int64_t> end = checked_add(place.offset_bytes, size_bytes);
  const auto there = static_cast<std::int64_t>(whole->bytes.size());
  if (place.offset_bytes < 0 || !end || *end > there)
    return bad_input(
        fmt::format("its external data is not in {}: it would be {} bytes from byte "
                    "{} on, and the file has {}",
                    in_quotes(place.location), size_bytes, place.offset_bytes, there));
  return StoredBytes{whole->owner,
                     whole->bytes.subspan(static_cast<std::size_t>(place.offset_bytes),
                                          static_cast<std::size_t>(size_bytes))};
}

}  // namespace poet
