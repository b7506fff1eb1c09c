// What the HTTP client takes from its environment: proxies, authorities, the library itself.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/http.h"

namespace vibe::model {
namespace {

using testing::HasSubstr;

TEST(HttpEnvironment, UsesTheProxyOfTheEnvironment) {
  const ModelServer proxy;
  const Variable variable("http_proxy", proxy.url());
  const auto client = open_client();
  HttpRequest request;
  request.url = "http://nowhere.invalid/v1/chat/completions";
  request.body = test::chat_body("say \"by proxy\"");
  const auto response = fetch(*client, request);
  EXPECT_THAT(response.body, HasSubstr("by proxy"));
  EXPECT_EQ(proxy.stats().pointer("/recent/0/headers")->text_of("host"), "nowhere.invalid");
}

TEST(HttpEnvironment, LeavesTheProxyOutWhereToldSo) {
  const ModelServer server;
  const Variable variable("http_proxy", fmt::format("http://127.0.0.1:{}", dead_port()));
  const auto client = open_client();
  const auto refused = fetch(*client, chat(server, "hello"));
  EXPECT_EQ(refused.fault, Fault::connection);
  EXPECT_THAT(refused.message,
              HasSubstr(fmt::format("cannot connect to 127.0.0.1:{}", server.port())));
  const Variable exception("NO_PROXY", "127.0.0.1");
  EXPECT_EQ(fetch(*client, chat(server, "hello")).status, 200);
}

// A folder for as long as it lives.
class Folder {
 public:
  Folder() : path_("/tmp/vibe_tls_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The server behind TLS, with a certificate for `host` that nobody knows.
struct SecureServer {
  explicit SecureServer(const std::string& host = "127.0.0.1")
      : listener({"/usr/bin/python3", VIBE_TEST_DATA "/model_server/tls_proxy.py",
                  std::to_string(server.port()), folder.path(), host}) {}

  HttpRequest chat() const {
    HttpRequest out;
    out.url = fmt::format("https://127.0.0.1:{}/v1/chat/completions", listener.port());
    out.body = test::chat_body("say \"in private\"");
    return out;
  }

  Folder folder;
  ModelServer server;
  test::Listener listener;
};

TEST(HttpEnvironment, TrustsNoUnknownCertificate) {
  const SecureServer server;
  const auto client = open_client();
  const auto response = fetch(*client, server.chat());
  EXPECT_EQ(response.fault, Fault::certificate);
  EXPECT_EQ(response.tries, 1);
  EXPECT_EQ(
      response.message,
      fmt::format("cannot trust 127.0.0.1:{}: SSL certificate problem: self-signed certificate",
                  server.listener.port()));
  EXPECT_EQ(server.server.count("/requests"), 0);
}

TEST(HttpEnvironment, TrustsTheAuthoritiesItIsTold) {
  const SecureServer server;
  const Variable variable("SSL_CERT_FILE", server.folder.path() + "/certificate.pem");
  const auto client = open_client();
  const auto response = fetch(*client, server.chat());
  EXPECT_EQ(response.fault, Fault::none) << response.message;
  EXPECT_THAT(response.body, HasSubstr("in private"));
  for (const auto& each : fetch_many(*client, server.chat(), 50, 10)) EXPECT_EQ(each.status, 200);
  EXPECT_LE(server.server.count("/connections"), 11 + 1);
}

TEST(HttpEnvironment, TrustsNoCertificateOfAnotherHost) {
  const SecureServer server("example.org");
  const Variable variable("SSL_CERT_FILE", server.folder.path() + "/certificate.pem");
  const auto client = open_client();
  const auto response = fetch(*client, server.chat());
  EXPECT_EQ(response.fault, Fault::certificate);
  EXPECT_THAT(response.message, HasSubstr("127.0.0.1"));
  EXPECT_EQ(server.server.count("/requests"), 0);
}

TEST(HttpEnvironment, AuthoritiesThatCannotBeRead) {
  const SecureServer server;
  const Variable variable("SSL_CERT_FILE", server.folder.path() + "/missing.pem");
  const auto response = fetch(*open_client(), server.chat());
  EXPECT_EQ(response.fault, Fault::certificate);
  EXPECT_THAT(response.message, HasSubstr("missing.pem"));
}

TEST(HttpEnvironment, DISABLED_OpensWithoutLibrary) {  // run by the next one
  const auto client = HttpClient::open();
  ASSERT_FALSE(client.has_value());
  const auto& error = client.error().all().front();
  EXPECT_EQ(error.code, base::Code::no_client);
  EXPECT_THAT(error.message, HasSubstr("cannot load the HTTP library `libcurl.so.4`: "));
  EXPECT_THAT(error.hint, HasSubstr("libcurl4"));
}

TEST(HttpEnvironment, SaysThatTheLibraryIsMissing) {
  const Folder folder;
  std::ofstream(folder.path() + "/libcurl.so.4") << "not a library";
  const Variable variable("LD_LIBRARY_PATH", folder.path());
  const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string alone = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_OUTPUT ";
  EXPECT_EQ(std::system((alone + program +
                         " --gtest_also_run_disabled_tests"
                         " --gtest_filter=HttpEnvironment.DISABLED_OpensWithoutLibrary"
                         " | grep -q 'PASSED.* 1 test'")
                            .c_str()),
            0);
}

}  // namespace
}  // namespace vibe::model
