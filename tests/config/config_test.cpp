#include "config/config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/text.h"
#include "config/schema.h"
#include "config/settings.h"
#include "suite/expectations.h"

namespace vibe::config {
namespace {

namespace fs = std::filesystem;

std::string codes_of(const base::Diagnostics& found) {
  std::string out;
  for (const auto& one : found.all()) out += base::to_string(one.code) + " ";
  return out;
}

// A home, a project to be in, and an environment without any of our variables; what was there
// comes back afterwards.
class ConfigTest : public testing::Test {
 protected:
  ConfigTest() : old_folder_(fs::current_path()) {
    for (const auto& row : kVariables) unset(std::string(row.name));
    std::string name = (fs::temp_directory_path() / "vibe-config-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    fs::create_directories(folder_ / "home");
    fs::create_directories(folder_ / "project");
    fs::current_path(folder_ / "project");
    set("VIBECHECK_HOME", (folder_ / "home").string());
  }
  ~ConfigTest() override {
    fs::current_path(old_folder_);
    fs::remove_all(folder_);
    for (const auto& [name, value] : old_) {
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    }
  }

  void set(const std::string& name, const std::string& value) {
    keep(name);
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  void unset(const std::string& name) {
    keep(name);
    ::unsetenv(name.c_str());
  }
  void write(const std::string& path, const std::string& text) {
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }

  Config loaded() {
    base::Diagnostics found;
    auto config = load(found);
    EXPECT_TRUE(config && found.empty()) << base::render(found);
    return config ? *std::move(config) : Config{};
  }
  base::Diagnostics failed() {
    base::Diagnostics found;
    EXPECT_FALSE(load(found));
    EXPECT_TRUE(found.failed());
    return found;
  }

  fs::path folder_;

 private:
  void keep(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (std::ranges::none_of(old_, [&](const auto& one) { return one.first == name; }))
      old_.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
  }

  fs::path old_folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> old_;
};

TEST_F(ConfigTest, NothingAnywhereIsFine) {
  const auto config = loaded();
  EXPECT_EQ(config.home, (folder_ / "home").string());
  EXPECT_TRUE(config.files.empty());
  EXPECT_FALSE(config.model || config.threads || config.budget || config.run_timeout);
  EXPECT_EQ(config.models.client.retry_scale, 1);
  EXPECT_TRUE(config.models.prices.find("openai/gpt-4o-mini"));
}

TEST_F(ConfigTest, AHomeThatIsNotThereIsFine) {
  set("VIBECHECK_HOME", (folder_ / "none" / "at" / "all").string());
  EXPECT_TRUE(loaded().files.empty());
}

TEST_F(ConfigTest, HomeIsInTheUsersFolder) {
  unset("VIBECHECK_HOME");
  set("HOME", (folder_ / "home").string());
  EXPECT_EQ(loaded().home, (folder_ / "home").string() + "/.vibecheck");
}

TEST_F(ConfigTest, AMissingHomeIsLookedUp) {
  unset("VIBECHECK_HOME");
  unset("HOME");
  base::Diagnostics found;
  const auto config = load(found);
  if (config) {
    EXPECT_TRUE(config->home.ends_with("/.vibecheck"));
    EXPECT_GT(config->home.size(), std::string("/.vibecheck").size());
  } else {
    EXPECT_EQ(codes_of(found), "E0603 ");  // a user without an entry
  }
}

TEST_F(ConfigTest, TheEnvironmentOverTheProjectOverHome) {
  write("home/config.yaml", "model: a/home\nthreads: 2\nbudget: 3\nrun_timeout: 4\n");
  write("project/.vibecheck.yaml", "model: a/project\nthreads: 20\nbudget: 30\n");
  set("VIBECHECK_MODEL", "a/variable");
  set("VIBECHECK_THREADS", "200");
  const auto config = loaded();
  EXPECT_EQ(config.model, "a/variable");
  EXPECT_EQ(config.threads, 200);
  EXPECT_EQ(config.budget, 30);
  EXPECT_EQ(config.run_timeout, 4);
  const std::vector<std::string> files{".vibecheck.yaml",
                                       (folder_ / "home" / "config.yaml").string()};
  EXPECT_EQ(config.files, files);
}

TEST_F(ConfigTest, EverySettingHasItsVariable) {
  set("VIBECHECK_MODEL", "a/b");
  set("VIBECHECK_THREADS", "7");
  set("VIBECHECK_BUDGET", "0.5");
  set("VIBECHECK_RUN_TIMEOUT", "90");
  set("VIBECHECK_MAX_PROMPT_MIB", "8");
  set("VIBECHECK_MAX_PLAN_MIB", "9");
  const auto config = loaded();
  EXPECT_EQ(config.max_prompt_mib, 8);
  EXPECT_EQ(config.max_plan_mib, 9);
  EXPECT_EQ(config.model, "a/b");
  EXPECT_EQ(config.threads, 7);
  EXPECT_EQ(config.budget, 0.5);
  EXPECT_EQ(config.run_timeout, 90);
}

TEST_F(ConfigTest, BadVariablesAreReportedTogether) {
  set("VIBECHECK_THREADS", "7.5");
  set("VIBECHECK_BUDGET", "-1");
  set("VIBECHECK_RUN_TIMEOUT", "soon");
  set("VIBECHECK_RETRY_SCALE", "-2");
  const auto found = failed();
  EXPECT_EQ(codes_of(found), "E0603 E0603 E0603 E0603 ");
  EXPECT_EQ(found.all()[0].message,
            "the variable `VIBECHECK_THREADS` is `7.5`, expected a whole number from 1 to 1024");
}

TEST_F(ConfigTest, RetriesCanBeMadeFast) {
  set("VIBECHECK_RETRY_SCALE", "0.01");
  EXPECT_EQ(loaded().models.client.retry_scale, 0.01);
}

TEST_F(ConfigTest, VariablesComeFromTheEnvironmentThenEnvFile) {
  write("home/.env", "ONE_KEY=file\nTWO_KEY=file\nEMPTY_KEY=\nVIBECHECK_THREADS=9\n");
  set("TWO_KEY", "environment");
  set("ONE_KEY", "");
  const auto config = loaded();
  EXPECT_EQ(variable(config, "ONE_KEY"), "file");
  EXPECT_EQ(variable(config, "TWO_KEY"), "environment");
  EXPECT_EQ(variable(config, "EMPTY_KEY"), std::nullopt);
  EXPECT_EQ(variable(config, "NO_SUCH_KEY"), std::nullopt);
  EXPECT_EQ(config.models.variable("ONE_KEY"), "file");
  EXPECT_EQ(config.threads, 9);
}

TEST_F(ConfigTest, EndpointsAndPrices) {
  write("home/config.yaml", R"(
endpoints:
  my-lab: {base_url: "https://llm.example.com/v1/", key_variable: MY_LAB_KEY}
  local: {base_url: "http://localhost:8000"}
http:
  mine:
    url: https://x.example.com/ask
    headers: {Authorization: "Bearer ${MY_KEY}", X-N: 1}
    body: '{"q": "{{prompt}}"}'
    answer: /a
    prompt_tokens: /in
    completion_tokens: /out
    cost: /cost
prices:
  my-lab/small: {input: 1, output: 2}
  openai/gpt-4o*: {input: 3, output: 4, cache_read: 5, cache_write: 6}
)");
  write("project/.vibecheck.yaml", "prices: {my-lab/small: {input: 10, output: 20}}\n");
  const auto config = loaded();
  ASSERT_EQ(config.models.endpoints.size(), 2u);
  EXPECT_EQ(config.models.endpoints[0].name, "my-lab");
  EXPECT_EQ(config.models.endpoints[0].base_url, "https://llm.example.com/v1");
  EXPECT_EQ(config.models.endpoints[0].key_variable, "MY_LAB_KEY");
  EXPECT_EQ(config.models.endpoints[1].key_variable, "");
  ASSERT_EQ(config.models.http.size(), 1u);
  const auto& http = config.models.http[0];
  EXPECT_EQ(http.name, "mine");
  EXPECT_EQ(http.method, "POST");
  EXPECT_EQ(http.url, "https://x.example.com/ask");
  const model::Headers headers{{"Authorization", "Bearer ${MY_KEY}"}, {"X-N", "1"}};
  EXPECT_EQ(http.headers, headers);
  EXPECT_EQ(http.body, "{\"q\": \"{{prompt}}\"}");
  EXPECT_EQ(http.answer + http.prompt_tokens + http.completion_tokens + http.cost,
            "/a/in/out/cost");
  EXPECT_EQ(config.models.prices.find("my-lab/small", "my-lab")->input, 10);
  const auto price = config.models.prices.find("openai/gpt-4o-mini");
  EXPECT_EQ(price->output, 4);
  EXPECT_EQ(price->cache_read, 5);
  EXPECT_EQ(price->cache_write, 6);
  const auto models = config.models.prices.models();
  EXPECT_EQ(std::ranges::count(models, "my-lab/small", &price::ModelRow::id), 1);
}

TEST_F(ConfigTest, HowItServes) {
  const auto before = loaded().serve;
  EXPECT_EQ(before.host, "127.0.0.1");
  EXPECT_EQ(before.port, 8080);
  EXPECT_TRUE(before.tls_certificate.empty() && before.tls_key.empty());
  EXPECT_TRUE(before.local_models.empty());
  EXPECT_FALSE(before.exec_checks || before.private_addresses);
  write("home/config.yaml", R"(
serve:
  host: "::1"
  port: 0
  tls_certificate: tls/cert.pem
  tls_key: /etc/key.pem
  access_log: access.jsonl
  workers: 7
  lease: 1.5
  status_heartbeat: 0.5
  max_connections: 99
  connections_per_address: 0
  max_upload_mib: 3
  max_unpacked_mib: 5000
  local_models: ["exec:./agent --fast", "replay:a.jsonl"]
  exec_checks: true
  private_addresses: true
)");
  const auto serve = loaded().serve;
  EXPECT_EQ(serve.host, "::1");
  EXPECT_EQ(serve.port, 0);
  const std::string home = (folder_ / "home").string();
  EXPECT_EQ(serve.tls_certificate, home + "/tls/cert.pem");
  EXPECT_EQ(serve.tls_key, "/etc/key.pem");
  EXPECT_EQ(serve.access_log, home + "/access.jsonl");
  EXPECT_EQ(serve.workers, 7u);
  EXPECT_EQ(serve.lease, 1.5);
  EXPECT_EQ(before.status_heartbeat, 20);
  EXPECT_EQ(serve.status_heartbeat, 0.5);
  EXPECT_EQ(serve.most_connections, 99u);
  EXPECT_EQ(before.connections_per_address, std::nullopt);
  EXPECT_EQ(serve.connections_per_address, 0u);
  EXPECT_EQ(serve.most_upload_bytes, 3u << 20);
  EXPECT_EQ(before.most_unpacked_bytes, 1u << 30);
  EXPECT_EQ(serve.most_unpacked_bytes, std::uint64_t{5000} << 20);
  const std::vector<std::string> models{"exec:./agent --fast", "replay:a.jsonl"};
  EXPECT_EQ(serve.local_models, models);
  EXPECT_TRUE(serve.exec_checks && serve.private_addresses);
}

TEST_F(ConfigTest, TheServerOfCommands) {
  EXPECT_EQ(loaded().server + loaded().api_key, "");
  write("home/.env", "VIBECHECK_API_URL=https://runs.example.com//\nVIBECHECK_API_KEY=file\n");
  EXPECT_EQ(loaded().server, "https://runs.example.com");
  EXPECT_EQ(loaded().api_key, "file");
  set("VIBECHECK_API_URL", "http://127.0.0.1:8080");
  set("VIBECHECK_API_KEY", "environment");
  EXPECT_EQ(loaded().server, "http://127.0.0.1:8080");
  EXPECT_EQ(loaded().api_key, "environment");
  set("VIBECHECK_API_URL", "runs.example.com");  // for who asks it to make sense of
  EXPECT_EQ(loaded().server, "runs.example.com");
}

TEST_F(ConfigTest, FilesOfCommentsSayNothing) {
  write("home/config.yaml", "# nothing yet\n\n");
  write("project/.vibecheck.yaml", "");
  EXPECT_EQ(loaded().files.size(), 2u);
}

TEST_F(ConfigTest, ProblemsOfAllFilesAtOnce) {
  write("home/config.yaml", "threads: many\n");
  write("home/.env", "oops\n");
  write("project/.vibecheck.yaml", "http: {a: {url: \"https://x\", body: \"{{prompt}}\"}}\n");
  const auto found = failed();
  EXPECT_EQ(codes_of(found), "E0603 E0603 E0303 ");
}

TEST_F(ConfigTest, AWarningAloneIsNoFailure) {
  write("project/.vibecheck.yaml", "colour: red\n");
  base::Diagnostics found;
  EXPECT_TRUE(load(found));
  EXPECT_EQ(codes_of(found), "W0351 ");
}

TEST_F(ConfigTest, FilesThatCannotBeRead) {
  fs::create_directories(folder_ / "project" / ".vibecheck.yaml");
  write("home/config.yaml", std::string((1u << 20) + 1, '#'));
  EXPECT_EQ(codes_of(failed()), "E0504 E0207 ");
}

class ConfigCase : public testing::TestWithParam<std::string> {};
TEST_P(ConfigCase, ShowsWhatItSays) {
  const auto path = fs::path(VIBE_TEST_DATA) / "cases" / "config" / (GetParam() + ".yaml");
  const auto text = test::read_text(path);
  base::Diagnostics found;
  const auto place = GetParam().starts_with("fail_project") ? Place::project : Place::home;
  const auto settings = read_settings(base::make_source("config.yaml", text), place, found);
  test::compare(test::expectations_in(text), found, "config.yaml");
  EXPECT_EQ(settings.endpoints.empty() && settings.http.empty(), place == Place::project);
  EXPECT_EQ(settings.serve.has_value(), place == Place::home);
}
INSTANTIATE_TEST_SUITE_P(Config, ConfigCase,
                         testing::Values("fail_home", "fail_project", "fail_project_list"),
                         [](const auto& test) { return test.param; });

// Every key's example is read without a complaint, so that the documentation's can be copied.
TEST(ConfigSchema, ExamplesAreRead) {
  const auto read = [](const std::string& yaml) {
    base::Diagnostics found;
    read_settings(base::make_source("example.yaml", yaml), Place::home, found);
    EXPECT_TRUE(found.empty()) << yaml << "\n" << base::render(found);
  };
  const auto with = [](const Section& section, const Field& shown) {
    std::string out = "\n    " + std::string(shown.example);
    for (const auto& field : section.fields)
      if (field.required && field.name != shown.name) out += "\n    " + std::string(field.example);
    return out + "\n";
  };
  for (const auto& field : kConfigFields) read(std::string(field.example) + "\n");
  for (const auto& field : kEndpointFields)
    read("endpoints:\n  a:" + with(kEndpointSection, field));
  for (const auto& field : kHttpFields) read("http:\n  a:" + with(kHttpSection, field));
  for (const auto& field : kPriceFields) read("prices:\n  a/b:" + with(kPriceSection, field));
  for (const auto& field : kServeFields) read("serve:" + with(kServeSection, field));
}

TEST(ConfigSchema, VariablesOverrideKeysThatAre) {
  for (const auto& row : kVariables) {
    EXPECT_TRUE(base::is_variable_name(row.name)) << row.name;
    EXPECT_FALSE(row.doc.empty()) << row.name;
    const bool is_key =
        std::ranges::find(kConfigFields, row.key, &Field::name) != kConfigFields.end();
    EXPECT_TRUE(row.key.empty() || is_key) << row.key;
  }
}

TEST(ConfigSchema, HasTheVariablesOfEveryProvider) {
  for (const auto& provider : model::providers())
    for (const auto name : {provider.key_variable, provider.url_variable})
      EXPECT_TRUE(name.empty() ||
                  std::ranges::find(kVariables, name, &VariableRow::name) != kVariables.end())
          << name;
}

}  // namespace
}  // namespace vibe::config
