// Requests that are not sent again, and bodies that are not read to their end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/http.h"

namespace vibe::model {
namespace {

HttpRequest once(const ModelServer& server, std::string_view prompt) {
  HttpRequest request = chat(server, prompt);
  request.once = true;
  return request;
}

TEST(HttpOnce, IsNotSentAgainWhenTheServerMayHaveActed) {
  const ModelServer server;
  const auto client = open_client();
  EXPECT_EQ(fetch(*client, chat(server, "hello")).status, 200);  // a connection that stays open
  const auto reset = fetch(*client, once(server, "reset=1"));
  EXPECT_EQ(reset.fault, Fault::connection);
  EXPECT_TRUE(reset.sent);
  const auto failed = fetch(*client, once(server, "fail=503x1"));
  EXPECT_EQ(failed.status, 503);
  EXPECT_EQ(server.count("/requests"), 3);
}

TEST(HttpOnce, IsSentAgainWhenTheServerDidNotTakeIt) {
  const ModelServer server;
  const auto client = open_client();
  const auto busy = fetch(*client, once(server, "fail=429x2"));
  EXPECT_EQ(busy.status, 200);
  EXPECT_EQ(busy.tries, 3);
  HttpRequest lost = once(server, "hello");
  lost.url = fmt::format("http://127.0.0.1:{}/", dead_port());
  const auto nobody = fetch(*client, lost);
  EXPECT_EQ(nobody.fault, Fault::connection);
  EXPECT_FALSE(nobody.sent);
  EXPECT_EQ(nobody.tries, kMostTries);
}

TEST(HttpComplete, EndsABodyThatGoesOn) {
  const ModelServer server;
  const auto client = open_client();
  HttpRequest request = chat(server, "drip=20 say \"hello\"");  // minutes, as a whole
  request.timeout = 1000;
  int asked = 0;
  request.complete = [&](const HttpResponse& so_far) {
    ++asked;
    EXPECT_FALSE(so_far.header("content-type").empty());
    return so_far.body.find("\"id\"") != std::string::npos;
  };
  const auto response = fetch(*client, request);
  EXPECT_EQ(response.fault, Fault::none) << response.message;
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.body.ends_with("\"id\"")) << response.body;
  EXPECT_GE(asked, 1);
  EXPECT_EQ(response.tries, 1);
  EXPECT_EQ(fetch(*client, chat(server, "hello")).status, 200);
}

TEST(HttpComplete, ReadsOnWhereItIsNot) {
  const ModelServer server;
  const auto client = open_client();
  HttpRequest request = chat(server, "say \"hello\"");
  request.complete = [](const HttpResponse&) { return false; };
  EXPECT_NE(fetch(*client, request).body.find("hello"), std::string::npos);
}

}  // namespace
}  // namespace vibe::model
