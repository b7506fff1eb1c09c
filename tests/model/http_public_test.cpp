// HttpOptions::public_only: which addresses the HTTP client connects to. All that is refused here
// would reach a server of this machine.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/http.h"
#include "model/tool_server.h"

namespace vibe::model {
namespace {

using testing::HasSubstr;

HttpOptions public_only() {
  HttpOptions options;
  options.retry_scale = 0.01;
  options.public_only = true;
  return options;
}

struct HostCase {
  const char* name;
  const char* host;
  const char* shown;  // libcurl writes numbers as addresses
};

class PublicOnly : public testing::TestWithParam<HostCase> {};

TEST_P(PublicOnly, ConnectsToNoServerOfThisMachine) {
  const ModelServer server;
  const auto client = HttpClient::open(public_only());
  ASSERT_TRUE(client.has_value());
  auto request = chat(server, "hello");
  request.url = fmt::format("http://{}:{}/v1/chat/completions", GetParam().host, server.port());
  const auto response = fetch(**client, request);
  EXPECT_EQ(response.fault, Fault::not_public) << response.message;
  EXPECT_EQ(response.message,
            fmt::format("{} is an address that only this server can reach", GetParam().shown));
  EXPECT_EQ(response.tries, 1);
  EXPECT_FALSE(response.sent);
  EXPECT_EQ(server.count("/requests"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Http, PublicOnly,
    testing::Values(HostCase{"loopback", "127.0.0.1", "127.0.0.1"},
                    HostCase{"another_of_loopback", "127.8.9.10", "127.8.9.10"},
                    HostCase{"this_host", "0.0.0.0", "0.0.0.0"},
                    HostCase{"decimal", "2130706433", "127.0.0.1"},
                    HostCase{"hexadecimal", "0x7f.1", "127.0.0.1"},
                    HostCase{"octal", "0177.0.0.01", "127.0.0.1"},
                    HostCase{"a_login_before_it", "example.org@127.0.0.1", "127.0.0.1"},
                    HostCase{"six", "[::1]", "[::1]"},
                    HostCase{"mapped", "[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]"},
                    HostCase{"translated", "[64:ff9b::7f00:1]", "[64:ff9b::7f00:1]"},
                    HostCase{"cloud_metadata", "169.254.169.254", "169.254.169.254"},
                    HostCase{"private_net", "10.0.0.1", "10.0.0.1"},
                    HostCase{"name", "localhost", "localhost"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PublicOnlyClient, UsesNoProxy) {
  const ModelServer proxy;
  const Variable http("http_proxy", proxy.url()), all("ALL_PROXY", proxy.url());
  const auto client = HttpClient::open(public_only());
  ASSERT_TRUE(client.has_value());
  HttpRequest request;
  request.url = "http://10.0.0.1/";
  EXPECT_EQ(fetch(**client, request).fault, Fault::not_public);
  request.url = "http://nowhere.invalid/";
  EXPECT_EQ(fetch(**client, request).fault, Fault::connection);
  EXPECT_EQ(proxy.count("/requests"), 0);
}

TEST(PublicOnlyClient, AsksAgainWhereItGoesForEachConnection) {
  const ModelServer server;
  const auto client = HttpClient::open(public_only());
  ASSERT_TRUE(client.has_value());
  for (const auto& response : fetch_many(**client, chat(server, "hello"), 20, 5))
    EXPECT_EQ(response.fault, Fault::not_public);
  EXPECT_EQ(server.count("/requests"), 0);
}

TEST(PublicOnlyClient, IsNotTheRule) {
  const ModelServer server;
  EXPECT_EQ(fetch(*open_client(), chat(server, "hello")).status, 200);
}

// A server that sends everybody to another, which is of this machine.
TEST(PublicOnlyClient, NoRedirectIsFollowed) {
  const ModelServer elsewhere;
  const test::Listener listener({"/usr/bin/python3", "-c", R"(
import http.server, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(307)
        self.send_header("Location", sys.argv[1])
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("PORT", server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
)",
                                 elsewhere.url("/v1/models")});
  HttpRequest request;
  request.method = "GET";
  request.url = fmt::format("http://127.0.0.1:{}/", listener.port());
  const auto response = fetch(*open_client(), request);
  EXPECT_EQ(response.status, 307) << response.message;
  EXPECT_EQ(response.header("location"), elsewhere.url("/v1/models"));
  EXPECT_EQ(elsewhere.count("/requests"), 0);
}

TEST(PublicOnlyClient, ServersOfToolsSayThatTheyAreNotPermitted) {
  const ModelServer server;
  ToolServerSettings settings;
  settings.url = fmt::format("http://localhost:{}/mcp", server.port());
  settings.client = public_only();
  const auto opened = ToolServer::open(settings);
  ASSERT_FALSE(opened.has_value());
  const auto& error = opened.error().all().front();
  EXPECT_EQ(error.code, base::Code::not_permitted);
  EXPECT_EQ(error.message,
            fmt::format("the tool server `localhost:{}` cannot be used: localhost is an address "
                        "that only this server can reach",
                        server.port()));
  EXPECT_THAT(error.hint, HasSubstr("public address"));
  EXPECT_EQ(server.count("/requests"), 0);
}

}  // namespace
}  // namespace vibe::model
