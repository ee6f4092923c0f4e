#include "poet/service/access.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(LoopbackHosts, AreReadAsAddresses) {
  for (const char* const host : {"localhost", "LOCALHOST:8321", "127.0.0.1", "127.255.0.9:1",
                                 "[::1]", "[::1]:8321", "::1", "[::ffff:127.0.0.1]"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const char* const host :
       {"", "127.evil.example", "127.0.0.1.evil.example:8321", "127.1", "127.0.0.1x", "127.0.0.256",
        "0127.0.0.1", "128.0.0.1", "[::2]", "[::1", "[::1]x", "localhost.", "localhost:80:80",
        "localhost:x", "user@127.0.0.1", "[127.0.0.1.evil.example]", "0.0.0.0", "[::]"})
    EXPECT_FALSE(is_loopback_host(host)) << host;
}

// What check_site() says: "passes" or the code.
std::string site_of(const std::map<std::string, std::string>& headers,
                    const AccessOptions& options = {}) {
  HttpRequest request{.path = "/solve", .headers = headers};
  request.headers["host"] = "localhost:8321";
  const std::optional<ServiceError> error = check_site(request, options);
  return error ? error->code : "passes";
}

TEST(Sites, AreWhatTheBrowserSays) {
  EXPECT_EQ(site_of({}), "passes");
  EXPECT_EQ(site_of({{"sec-fetch-site", "same-origin"}}), "passes");
  EXPECT_EQ(site_of({{"sec-fetch-site", "none"}}), "passes");
  EXPECT_EQ(site_of({{"sec-fetch-site", "cross-site"}}), "forbidden");
  EXPECT_EQ(site_of({{"sec-fetch-site", "same-site"}}), "forbidden");
  EXPECT_EQ(site_of({{"sec-fetch-site", "what-comes-later"}}), "forbidden");
}

TEST(Sites, AreToldByTheRefererWhereTheBrowserDoesNotSay) {
  EXPECT_EQ(site_of({{"referer", "http://localhost:8321/x"}}), "passes");
  EXPECT_EQ(site_of({{"referer", "http://localhost:83210/"}}), "forbidden");
  EXPECT_EQ(site_of({{"referer", "http://evil.example/?http://localhost:8321/"}}), "forbidden");
}

TEST(Sites, AreToldByTheOriginOfScripts) {
  EXPECT_EQ(site_of({{"origin", "http://localhost:8321"}}), "passes");
  EXPECT_EQ(site_of({{"origin", "http://evil.example"}}), "forbidden");
  EXPECT_EQ(site_of({{"origin", "null"}}), "forbidden");
}

TEST(Sites, MayBeAllowed) {
  const AccessOptions one{.cors_origin = "https://lab.example"};
  EXPECT_EQ(site_of({{"sec-fetch-site", "cross-site"}, {"origin", "https://lab.example"}}, one),
            "passes");
  EXPECT_EQ(site_of({{"sec-fetch-site", "cross-site"}, {"origin", "https://evil.example"}}, one),
            "forbidden");
  EXPECT_EQ(site_of({{"sec-fetch-site", "cross-site"}}, one), "forbidden");
  EXPECT_EQ(site_of({{"sec-fetch-site", "cross-site"}}, {.cors_origin = "*"}), "passes");
}

TEST(Origins, HaveASchemeAndAHost) {
  for (const char* const good : {"https://example.org", "http://localhost:8080", "http://[::1]:80"})
    EXPECT_TRUE(is_origin(good)) << good;
  for (const char* const bad :
       {"evil", "example.org", "https://", "://x", "https://example.org/",
        "https://example.org/page", "https://a:b", "https://me@x", "https://a b", "null", ""})
    EXPECT_FALSE(is_origin(bad)) << bad;
}

}  // namespace
}  // namespace poet
