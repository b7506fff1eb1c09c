#include "base/url.h"

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

struct UrlCase {
  const char* name;
  const char* text;
  Url want;
};
const UrlCase kUrls[] = {
    {"all",
     "https://me:word@host:80/path?q#f",
     {"https", "me:word", "host", "80", "/path?q#f", true, true}},
    {"host_alone", "host", {"", "", "host", "", "", false, false}},
    {"no_scheme", "host:80/a", {"", "", "host", "80", "/a", false, false}},
    {"address", "http://[::1]:8080", {"http", "", "[::1]", "8080", "", true, false}},
    {"address_without_end", "http://[::1", {"http", "", "", "", "", true, false}},
    {"query_behind_the_host", "http://host?a@b", {"http", "", "host", "", "?a@b", true, false}},
    {"two_ats", "http://a@b@host", {"http", "a@b", "host", "", "", true, true}},
    {"empty_login", "http://@host", {"http", "", "host", "", "", true, true}},
    {"nothing", "", {}},
};
class Urls : public testing::TestWithParam<UrlCase> {};
TEST_P(Urls, AreSplit) {
  const Url got = split_url(GetParam().text);
  const Url& want = GetParam().want;
  EXPECT_EQ(got.scheme, want.scheme);
  EXPECT_EQ(got.login, want.login);
  EXPECT_EQ(got.host, want.host);
  EXPECT_EQ(got.port, want.port);
  EXPECT_EQ(got.rest, want.rest);
  EXPECT_EQ(got.has_scheme, want.has_scheme);
  EXPECT_EQ(got.has_login, want.has_login);
}
INSTANTIATE_TEST_SUITE_P(Url, Urls, testing::ValuesIn(kUrls),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vibe::base
