#include "poet/store/team_store.h"

#include <cctype>
#include <utility>

#include "poet/store/postgres_schema.h"

namespace poet {

bool names_database(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

bool is_no_folder(std::string_view place) {
  std::string begin(place.substr(0, 8));
  for (char& letter : begin)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return begin == "postgres" && place.find(':') != std::string_view::npos;
}

Result<std::unique_ptr<TeamStore>> TeamStore::open(const std::string& uri,
                                                   std::function<double()> elapsed_s) {
  std::unique_ptr<TeamStore> store(new TeamStore(uri, std::move(elapsed_s)));
  if (Failure failure = bring_up_to_date(store->pool_)) return *failure;
  return store;
}

}  // namespace poet
