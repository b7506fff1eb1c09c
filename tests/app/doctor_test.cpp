// Checks of a good setup and of bad ones.
#include "app/doctor.h"

#include <gtest/gtest.h>

#include "app/served_world.h"
#include "app/world.h"
#include "model/http.h"

namespace vibe::app {
namespace {

using base::Code;
using State = Examined::State;

// Nobody listens where Ollama would.
struct Examining : UserHome {
  DoctorOptions options;
  Examination found;

  Examining() { set("OLLAMA_HOST", fmt::format("127.0.0.1:{}", model::dead_port())); }

  const Examination& look(bool offline = true) {
    options.offline = offline;
    return found = examine(options);
  }
  // What was found of it; the last, where there are several.
  const Examined* of(std::string_view what) const {
    const Examined* out = nullptr;
    for (const auto& one : found.all)
      if (one.what == what) out = &one;
    return out;
  }
  State state(std::string_view what) const {
    const Examined* one = of(what);
    EXPECT_TRUE(one) << what;
    return one ? one->state : State::bad;
  }
  std::unique_ptr<store::Store> open() const { return *store::open_sqlite(home()); }
};

TEST(Doctor, NothingSetUpIsHealthy) {
  Examining user;
  EXPECT_TRUE(user.look().healthy());
  EXPECT_TRUE(user.found.problems.empty()) << base::render(user.found.problems);
  EXPECT_EQ(user.of("home")->finding, user.home());
  EXPECT_EQ(user.state("configuration"), State::absent);
  EXPECT_EQ(user.state("store"), State::good);
  EXPECT_EQ(user.state("openai"), State::absent);
  EXPECT_EQ(user.state("keys"), State::absent);
  EXPECT_NE(user.of("keys")->advice, "");
  EXPECT_FALSE(user.of("secrets"));
  EXPECT_FALSE(user.of("server"));
}

TEST(Doctor, NamesTheFilesThatWereRead) {
  Examining user;
  user.write_home("config.yaml", "threads: 3\n");
  EXPECT_TRUE(user.look().healthy());
  EXPECT_EQ(user.state("configuration"), State::good);
  EXPECT_EQ(user.of("configuration")->finding, user.home() + "/config.yaml");
}

TEST(Doctor, ABrokenConfigurationIsAllThatIsLookedAt) {
  Examining user;
  user.write_home("config.yaml", "threads: many\n");
  EXPECT_FALSE(user.look().healthy());
  EXPECT_EQ(user.found.all.size(), 1u);
  EXPECT_EQ(user.state("configuration"), State::bad);
  EXPECT_TRUE(user.found.problems.failed());
  EXPECT_FALSE(std::filesystem::exists(user.home() + "/vibecheck.db"));
}

TEST(Doctor, CountsRunsAndExecutions) {
  Examining user;
  score::Run run;
  run.id = base::uuid7(1);
  ASSERT_TRUE(user.open()->journal().begin(run));
  user.look();
  EXPECT_NE(user.of("store")->finding.find("1 run,"), std::string::npos)
      << user.of("store")->finding;
  EXPECT_NE(user.of("store")->finding.find("0 executions"), std::string::npos);
}

TEST(Doctor, ADamagedStoreIsBad) {
  Examining user;
  user.write_home("vibecheck.db", std::string(5000, 'x'));
  EXPECT_FALSE(user.look().healthy());
  EXPECT_EQ(user.state("store"), State::bad);
  EXPECT_TRUE(user.found.problems.has(Code::store_damaged)) << base::render(user.found.problems);
  EXPECT_TRUE(user.of("openai"));  // the rest is looked at all the same
}

// ---- secrets

constexpr const char* kMasterKey =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

TEST(Doctor, OpensTheSecrets) {
  Examining user;
  ASSERT_TRUE(user.open()->archive().variables().set_secret("a", "x"));
  EXPECT_TRUE(user.look().healthy());
  EXPECT_EQ(user.state("secrets"), State::good);
}

TEST(Doctor, SecretsThatTheKeyDoesNotOpenAreBad) {
  Examining user;
  ASSERT_TRUE(user.open()->archive().variables().set_secret("a", "x"));
  user.set("VIBECHECK_MASTER_KEY", kMasterKey);
  EXPECT_FALSE(user.look().healthy());
  EXPECT_EQ(user.state("secrets"), State::bad);
  EXPECT_TRUE(user.found.problems.has(Code::store_key)) << base::render(user.found.problems);
}

TEST(Doctor, AKeyThatIsNoneIsBad) {
  Examining user;
  user.set("VIBECHECK_MASTER_KEY", "hunter2");
  EXPECT_FALSE(user.look().healthy());
  EXPECT_EQ(user.state("secrets"), State::bad);
  EXPECT_EQ(base::render(user.found.problems).find("hunter2"), std::string::npos);
}

// ---- a server

TEST(Doctor, AServerIsNotAskedOffline) {
  Examining user;
  user.options.overrides.server = fmt::format("http://127.0.0.1:{}", model::dead_port());
  EXPECT_TRUE(user.look().healthy());
  EXPECT_EQ(user.state("server"), State::good);
}

TEST(Doctor, AnAddressThatIsNoneIsBad) {
  Examining user;
  user.options.overrides.server = "ftp://a";
  EXPECT_FALSE(user.look().healthy());
  EXPECT_EQ(user.state("server"), State::bad);
  EXPECT_TRUE(user.found.problems.has(Code::bad_config));
}

TEST(Doctor, AServerThatDoesNotAnswerIsBad) {
  Examining user;
  user.options.overrides.server = fmt::format("http://127.0.0.1:{}", model::dead_port());
  EXPECT_FALSE(user.look(false).healthy());
  EXPECT_EQ(user.state("server"), State::bad);
  EXPECT_FALSE(user.of("key"));
}

TEST(Doctor, AsksAServerWhoseKeyItIs) {
  Examining user;
  StubServer stub;
  stub.answer("GET /api/orginfo", R"({"name": "Search", "role": "admin"})");
  user.options.overrides.server = stub.url();
  user.set("VIBECHECK_API_KEY", "vibe_mine");
  EXPECT_TRUE(user.look(false).healthy()) << base::render(user.found.problems);
  EXPECT_NE(user.of("server")->finding.find("1.2.3"), std::string::npos);
  EXPECT_NE(user.of("key")->finding.find("Search"), std::string::npos);
  EXPECT_NE(user.of("key")->finding.find("admin"), std::string::npos);
  EXPECT_EQ(stub.asked("GET /api/orginfo").at(0).authorization, "Bearer vibe_mine");
}

TEST(Doctor, AKeyThatTheServerRefusesIsBad) {
  Examining user;
  StubServer stub;
  stub.answer("GET /api/orginfo", R"({"error": "no"})", 401);
  user.options.overrides.server = stub.url();
  user.set("VIBECHECK_API_KEY", "vibe_mine");
  EXPECT_FALSE(user.look(false).healthy());
  EXPECT_EQ(user.state("server"), State::good);
  EXPECT_EQ(user.state("key"), State::bad);
}

// ---- endpoints

struct ProbeCase {
  const char* name;
  int status;
  State want;
};
class Probes : public testing::TestWithParam<ProbeCase> {};

TEST_P(Probes, Say) {
  Examining user;
  StubServer stub;
  stub.answer("GET /v1/models", R"({"data": []})", GetParam().status);
  user.set("OPENAI_API_KEY", "sk-mine");
  user.set("OPENAI_BASE_URL", stub.url() + "/v1");
  user.look(false);
  EXPECT_EQ(user.state("openai"), GetParam().want) << user.of("openai")->finding;
  EXPECT_EQ(user.found.healthy(), GetParam().want == State::good);
  EXPECT_EQ(stub.asked("GET /v1/models").size(), 1u);  // it is not asked again
}

INSTANTIATE_TEST_SUITE_P(Doctor, Probes,
                         testing::Values(ProbeCase{"answers", 200, State::good},
                                         ProbeCase{"refuses_the_key", 401, State::bad},
                                         ProbeCase{"forbids_it", 403, State::bad},
                                         ProbeCase{"is_broken", 500, State::bad},
                                         ProbeCase{"is_overloaded", 503, State::bad}),
                         [](const auto& row) { return row.param.name; });

TEST(Doctor, AProviderWithAKeyHasToAnswer) {
  Examining user;
  user.set("OPENAI_API_KEY", "sk-mine");
  user.set("OPENAI_BASE_URL", fmt::format("http://127.0.0.1:{}/v1", model::dead_port()));
  EXPECT_FALSE(user.look(false).healthy());
  EXPECT_EQ(user.state("openai"), State::bad);
  EXPECT_EQ(user.state("ollama"), State::absent);  // which needs none
}

TEST(Doctor, AsksTheUsersEndpoints) {
  Examining user;
  StubServer stub;
  stub.answer("GET /v1/models", R"({"data": []})");
  user.write_home("config.yaml", "endpoints:\n  corp: {base_url: '" + stub.url() + "/v1'}\n");
  EXPECT_TRUE(user.look(false).healthy()) << base::render(user.found.problems);
  EXPECT_EQ(user.state("corp"), State::good);
}

TEST(Doctor, ShowsNoPasswordOfAnAddress) {
  Examining user;
  user.set("OPENAI_API_KEY", "sk-mine");
  user.set("OPENAI_BASE_URL", fmt::format("http://me:sesame@127.0.0.1:{}/v1", model::dead_port()));
  user.look(false);
  for (const auto& one : user.found.all) {
    EXPECT_EQ(one.finding.find("sesame"), std::string::npos) << one.finding;
    EXPECT_EQ(one.finding.find("sk-mine"), std::string::npos) << one.finding;
  }
}

}  // namespace
}  // namespace vibe::app
