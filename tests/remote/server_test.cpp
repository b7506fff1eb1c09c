// Addresses as people write them, and what goes into paths.
#include "remote/server.h"

#include <gtest/gtest.h>

namespace vibe::remote {

namespace {

struct UrlCase {
  const char* name;
  const char* written;
  const char* url;  // null: it is none
};
class ServerUrl : public testing::TestWithParam<UrlCase> {};

TEST_P(ServerUrl, Gives) {
  const auto url = server_url(GetParam().written);
  if (!GetParam().url) {
    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().all()[0].code, base::Code::bad_config);
    return;
  }
  ASSERT_TRUE(url);
  EXPECT_EQ(*url, GetParam().url);
}

INSTANTIATE_TEST_SUITE_P(
    Remote, ServerUrl,
    testing::Values(
        UrlCase{"as_it_should_be", "https://vibe.example.com", "https://vibe.example.com"},
        UrlCase{"slashes_at_its_end", "http://a:80///", "http://a:80"},
        UrlCase{"below_a_path", "https://a/vibe/", "https://a/vibe"},
        UrlCase{"white_space", "  https://a \n", "https://a"},
        UrlCase{"no_scheme", "vibe.example.com", "https://vibe.example.com"},
        UrlCase{"no_scheme_but_a_port", "vibe.example.com:8080", "https://vibe.example.com:8080"},
        UrlCase{"this_machine", "localhost:8080", "http://localhost:8080"},
        UrlCase{"this_machine_by_number", "127.0.0.1:8080/", "http://127.0.0.1:8080"},
        UrlCase{"this_machine_of_ipv6", "[::1]:8080", "http://[::1]:8080"},
        UrlCase{"nothing", "", nullptr}, UrlCase{"a_slash", "/", nullptr},
        UrlCase{"another_scheme", "ftp://a", nullptr}, UrlCase{"a_query", "https://a?b=c", nullptr},
        UrlCase{"words", "my server", nullptr}),
    [](const auto& row) { return row.param.name; });

TEST(Server, KnowsWhereOthersCanListen) {
  EXPECT_TRUE(is_open_to_others("http://vibe.example.com"));
  EXPECT_TRUE(is_open_to_others("http://192.168.0.4:8080"));
  EXPECT_TRUE(is_open_to_others("http://localhost@vibe.example.com"));
  EXPECT_FALSE(is_open_to_others("http://localhost:8080"));
  EXPECT_FALSE(is_open_to_others("http://127.0.0.1"));
  EXPECT_FALSE(is_open_to_others("http://[::1]:80/vibe"));
  EXPECT_FALSE(is_open_to_others("https://vibe.example.com"));
}

TEST(Server, EncodesWhatNamesMayHave) {
  EXPECT_EQ(encoded("a b/c?d=e&f#g%h"), "a%20b%2Fc%3Fd%3De%26f%23g%25h");
  EXPECT_EQ(encoded("\xC3\xBC\r\n"), "%C3%BC%0D%0A");
  EXPECT_EQ(query({{"a", "1 2"}, {"b", ""}}), "?a=1%202&b=");
  EXPECT_EQ(query({}), "");
}

}  // namespace

}  // namespace vibe::remote
