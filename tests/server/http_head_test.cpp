// Heads that can be read in more than one way: refused once, in the server's own words.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_value.h"
#include "server/http_world.h"

namespace vibe::server {
namespace {

using namespace std::string_literals;

struct HeadCase {
  const char* name;
  std::string bytes;
  int status = 400;
};

std::string with_header(const std::string& line) {
  return "GET /a HTTP/1.1\r\nHost: x\r\n" + line + "\r\n\r\n";
}

std::string with_length(const std::string& value) {
  return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length:" + value + "\r\n\r\nhello";
}

std::string with_lengths(const std::string& lines) {
  return "POST /a HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
}

std::string name_of(const testing::TestParamInfo<HeadCase>& row) { return row.param.name; }

class HttpHead : public testing::TestWithParam<HeadCase> {
 protected:
  HttpWorld world;
};

TEST_P(HttpHead, IsAnsweredOnce) {
  world.start();
  auto client = world.connect();
  client.send(GetParam().bytes);
  client.end_sending();
  const auto answer = client.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status);
  if (answer->status == 400) {
    EXPECT_EQ(answer->headers.at("content-type"), "application/json");
    const auto body = base::parse_json(answer->body);
    EXPECT_TRUE(body && body->find("error")) << answer->body;
  }
  EXPECT_FALSE(client.read());  // nothing comes after it
  const auto done = world.handler.wait_for_done(1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, GetParam().status);
  EXPECT_EQ(done[0].id, answer->headers.at("x-request-id"));
}

INSTANTIATE_TEST_SUITE_P(
    Fine, HttpHead,
    testing::Values(HeadCase{"plain", with_header("X: a"), 200},
                    HeadCase{"spaces_around_a_value", with_header("X: \t a \t "), 200},
                    HeadCase{"no_value", with_header("X:"), 200},
                    HeadCase{"no_space", with_header("X:a"), 200},
                    HeadCase{"a_query", "GET /a?b=c&d=e%20f&g HTTP/1.1\r\nHost: x\r\n\r\n", 200},
                    HeadCase{"a_cookie", with_header("Cookie: a=b; c=\"d\"; e"), 200},
                    HeadCase{"an_empty_line_first", "\r\n" + with_header("X: a"), 200},
                    HeadCase{"an_empty_host", "GET /a HTTP/1.1\r\nHost:\r\n\r\n", 200},
                    HeadCase{"an_old_one_without_a_host", "GET /a HTTP/1.0\r\n\r\n", 200},
                    HeadCase{"a_length", with_length(" 5"), 200},
                    HeadCase{"a_length_with_zeros", with_length(" 0005"), 200},
                    HeadCase{"chunks", with_lengths("Transfer-Encoding: chunked"), 200}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Nul, HttpHead,
    testing::Values(HeadCase{"in_a_value", with_header("X: a\0b"s)},
                    HeadCase{"at_the_end_of_a_value", with_header("X: a\0"s)},
                    HeadCase{"as_a_value", with_header("X: \0"s)},
                    HeadCase{"before_a_value", with_header("X: \0a"s)},
                    HeadCase{"in_a_later_header", with_header("X: a\r\nY: b\0c\r\nZ: d"s)},
                    HeadCase{"in_the_host", "GET /a HTTP/1.1\r\nHost: x\0y\r\n\r\n"s},
                    HeadCase{"in_a_length", with_length(" 5\0"s)},
                    HeadCase{"in_the_target", "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n"s},
                    HeadCase{"at_the_end_of_the_target", "GET /a\0 HTTP/1.1\r\nHost: x\r\n\r\n"s},
                    HeadCase{"in_the_query", "GET /a?b\0c HTTP/1.1\r\nHost: x\r\n\r\n"s},
                    HeadCase{"in_the_method", "GE\0T /a HTTP/1.1\r\nHost: x\r\n\r\n"s},
                    HeadCase{"after_the_method", "GET\0 /a HTTP/1.1\r\nHost: x\r\n\r\n"s}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Lines, HttpHead,
    testing::Values(HeadCase{"a_folded_one", with_header("X: a\r\n b")},
                    HeadCase{"a_break_that_is_half", with_header("X: a\nY: b")},
                    HeadCase{"the_other_half", with_header("X: a\rY: b")},
                    HeadCase{"two_spaces", "GET  /a HTTP/1.1\r\nHost: x\r\n\r\n"},
                    HeadCase{"a_space_in_the_target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Host, HttpHead,
    testing::Values(HeadCase{"none", "GET /a HTTP/1.1\r\n\r\n"},
                    HeadCase{"two", "GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"},
                    HeadCase{"twice_the_same", "GET /a HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n"},
                    HeadCase{"two_of_an_old_one", "GET /a HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Length, HttpHead,
    testing::Values(
        HeadCase{"a_plus", with_length(" +5")}, HeadCase{"a_minus", with_length(" -5")},
        HeadCase{"minus_nothing", with_length(" -0")}, HeadCase{"a_list", with_length(" 5,5")},
        HeadCase{"a_list_with_a_space", with_length(" 5, 5")},
        HeadCase{"hexadecimal", with_length(" 0x5")}, HeadCase{"a_fraction", with_length(" 5.0")},
        HeadCase{"a_power", with_length(" 5e0")}, HeadCase{"nothing", with_length("")},
        HeadCase{"a_space", with_length(" ")}, HeadCase{"words", with_length(" five")},
        HeadCase{"two_numbers", with_length(" 5 5")},
        HeadCase{"too_many_digits", with_length(" 99999999999999999999")},
        HeadCase{"one_more_than_64_bits", with_length(" 18446744073709551616")},
        HeadCase{"twice", with_lengths("Content-Length: 5\r\nContent-Length: 5")},
        HeadCase{"twice_one_wrong", with_lengths("Content-Length: x\r\nContent-Length: 5")},
        HeadCase{"twice_other_wrong", with_lengths("Content-Length: 5\r\nContent-Length: x")},
        HeadCase{"and_chunks", with_lengths("Content-Length: 5\r\nTransfer-Encoding: chunked")},
        HeadCase{"wrong_and_chunks",
                 with_lengths("Transfer-Encoding: chunked\r\nContent-Length: +5")},
        HeadCase{"chunks_twice",
                 with_lengths("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")},
        HeadCase{"another_encoding", with_lengths("Transfer-Encoding: gzip, chunked")},
        HeadCase{"no_encoding", with_lengths("Transfer-Encoding:")}),
    name_of);

class HttpHeads : public testing::Test {
 protected:
  HttpWorld world;
};

// The library does not say which head it cannot read.
TEST_F(HttpHeads, OneThatIsWrongHarmsNoOther) {
  world.settings.threads = 1;
  world.start();
  std::vector<RawClient> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back(world.connect());
    others.back().send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nX-");
  }
  for (const char* value : {" +5", " 0x5", " 99999999999999999999"}) {
    auto client = world.connect();
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nX: a\r\n");
    EXPECT_EQ(client.ask(with_length(value).substr(27))->status, 400);
    EXPECT_FALSE(client.read());
  }
  for (auto& one : others) {
    const auto answer = one.ask("Y: a\r\n\r\nhello");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
}

// To the library this is a line without a colon, which it refuses itself, in its own words.
TEST_F(HttpHeads, ANulInANameIsRefusedOnce) {
  world.start();
  auto client = world.connect();
  client.send(with_header("X\0Y: a"s) + get("/hidden"));
  const auto answer = client.read();
  EXPECT_TRUE(!answer || answer->status == 400);
  EXPECT_FALSE(client.read());
  const auto done = world.handler.wait_for_done(1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, 400);
}

// What comes after a head that is wrong is no request.
TEST_F(HttpHeads, NothingIsReadBehindAWrongLength) {
  world.start();
  for (const char* value : {" +5", " 5,5", " 99999999999999999999"}) {
    auto client = world.connect();
    client.send(with_length(value) + get("/hidden"));
    ASSERT_TRUE(client.read());
    EXPECT_FALSE(client.read());
  }
  for (const auto& done : world.handler.wait_for_done(3)) EXPECT_EQ(done.status, 400) << done.path;
}

// The library takes lines of chunks that end with LF alone, which others do not.
TEST_F(HttpHeads, NothingIsReadBehindAChunkedBody) {
  world.start();
  for (const std::string body : {"5\nhello\n0\n\n", "5\r\nhello\r\n0\r\n\r\n"}) {
    auto client = world.connect();
    client.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body +
                get("/hidden"));
    const auto answer = client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->headers.at("connection"), "close");
    EXPECT_FALSE(client.read());
  }
  for (const auto& done : world.handler.wait_for_done(2)) EXPECT_EQ(done.path, "/a");
}

TEST_F(HttpHeads, LaterRequestsOfAConnectionAreLookedAtAsWell) {
  world.start();
  auto client = world.connect();
  EXPECT_EQ(client.ask(get("/a"))->status, 200);
  EXPECT_EQ(client.ask(get("/a?b=c&d=e"))->status, 200);
  EXPECT_EQ(client.ask(with_header("X: a\0b"s))->status, 400);
  EXPECT_FALSE(client.read());
}

}  // namespace
}  // namespace vibe::server
