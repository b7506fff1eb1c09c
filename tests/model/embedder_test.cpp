#include "model/embedder.h"

#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "model/fake_client.h"
#include "model/open.h"
#include "model/server.h"

namespace vibe::model {
namespace {

using base::Code;
using Kind = Failure::Kind;
using Variables = std::map<std::string, std::string, std::less<>>;

Embedder::Outcome embed(Embedder& embedder, const std::string& text) {
  std::promise<Embedder::Outcome> promise;
  embedder.embed(text, [&](Embedder::Outcome outcome) { promise.set_value(std::move(outcome)); });
  return promise.get_future().get();
}

Settings embedder_settings(Variables variables) {
  Settings settings;
  settings.variable = [variables](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  settings.endpoints = {{"corp", "https://llm.corp.example/v1/", "CORP_KEY"},
                        {"local", "http://localhost:8000/v1", ""}};
  price::ModelRow row;
  row.id = "openai/priced";
  row.price.input = 2;
  settings.prices = price::PriceTable({row});
  settings.client.retry_scale = 0.001;
  return settings;
}

// ---- similarity

struct CosineCase {
  const char* name;
  std::vector<float> a, b;
  std::optional<double> want;
};
class Cosine : public testing::TestWithParam<CosineCase> {};
TEST_P(Cosine, Gives) {
  const auto& row = GetParam();
  const auto got = cosine_similarity(row.a, row.b);
  ASSERT_EQ(got.has_value(), row.want.has_value());
  if (got) {
    EXPECT_NEAR(*got, *row.want, 1e-12);
  }
}
constexpr float kMost = std::numeric_limits<float>::max();
INSTANTIATE_TEST_SUITE_P(
    Model, Cosine,
    testing::Values(CosineCase{"same", {1, 2}, {1, 2}, 1}, CosineCase{"longer", {1, 2}, {3, 6}, 1},
                    CosineCase{"opposite", {1, 2}, {-1, -2}, -1},
                    CosineCase{"across", {1, 0}, {0, 5}, 0},
                    CosineCase{"between", {1, 0}, {1, 1}, std::sqrt(0.5)},
                    CosineCase{"largest", {kMost, kMost}, {kMost, kMost}, 1},
                    CosineCase{"lengths_differ", {1, 2}, {1, 2, 3}, std::nullopt},
                    CosineCase{"zeros", {0, 0}, {1, 2}, std::nullopt},
                    CosineCase{"nothing", {}, {}, std::nullopt}),
    [](const auto& row) { return row.param.name; });

TEST(Cosine, IsNeverBeyondOne) {
  std::vector<float> vector;
  for (int i = 1; i < 500; ++i) {
    vector.push_back(1.0f / static_cast<float>(i));
    EXPECT_LE(*cosine_similarity(vector, vector), 1);
  }
}

// ---- the local one

class LocalEmbedder : public testing::Test {
 protected:
  OpenedEmbedder opened = *Models(embedder_settings({})).open_embedder("local");
};

TEST_F(LocalEmbedder, IsOpenedWhereNobodyNamesOne) {
  EXPECT_EQ(opened.name, "local");
  EXPECT_TRUE(opened.keys.empty());
  const auto unnamed = Models(embedder_settings({})).open_embedder("");
  ASSERT_TRUE(unnamed.has_value());
  EXPECT_EQ(unnamed->name, "local");
}

TEST_F(LocalEmbedder, FindsWhatMeansTheSame) {
  const auto dog = embed(*opened.embedder, "A dog is running through the park.");
  const auto puppy = embed(*opened.embedder, "A puppy runs in the garden.");
  const auto tax = embed(*opened.embedder, "The tax office rejected my declaration.");
  ASSERT_TRUE(dog && puppy && tax);
  EXPECT_EQ(dog->vector.size(), 512u);
  EXPECT_EQ(dog->cost, 0);
  const double near = *cosine_similarity(dog->vector, puppy->vector);
  const double far = *cosine_similarity(dog->vector, tax->vector);
  EXPECT_GT(near, 0.6);
  EXPECT_LT(far, 0.4);
}

TEST_F(LocalEmbedder, TakesAnything) {
  for (const std::string& text :
       {std::string(), std::string("\xff\xfe"), std::string(3, '\0'), std::string(1 << 20, 'a')}) {
    const auto got = embed(*opened.embedder, text);
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_TRUE(cosine_similarity(got->vector, got->vector).has_value());
  }
}

TEST_F(LocalEmbedder, GivesEachTextItsOwnVectorFromManyThreads) {
  constexpr std::size_t kTexts = 40;
  std::vector<std::promise<Embedder::Outcome>> promises(kTexts);
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first)
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < kTexts; i += 4)
        opened.embedder->embed("text number " + std::to_string(i),
                               [&promises, i](Embedder::Outcome outcome) {
                                 promises[i].set_value(std::move(outcome));
                               });
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < kTexts; ++i) {
    const auto got = promises[i].get_future().get();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->vector, embed(*opened.embedder, "text number " + std::to_string(i))->vector);
  }
}

TEST_F(LocalEmbedder, CancelsWhatWaits) {
  constexpr int kTexts = 400;
  std::atomic<int> done = 0, cancelled = 0;
  const auto count = [&](const Embedder::Outcome& outcome) {
    if (!outcome && outcome.error().kind == Kind::cancelled) ++cancelled;
    ++done;
  };
  for (int i = 0; i < kTexts; ++i) opened.embedder->embed("a text that waits for its turn", count);
  opened.embedder->cancel();
  const auto after = embed(*opened.embedder, "asked afterwards");
  EXPECT_TRUE(after.has_value());
  opened.embedder.reset();
  EXPECT_EQ(done, kTexts);
  EXPECT_GT(cancelled, kTexts / 2);
}

TEST_F(LocalEmbedder, CallsEveryDoneBeforeItIsGone) {
  int done = 0;
  std::mutex mutex;
  for (int i = 0; i < 100; ++i)
    opened.embedder->embed("text", [&](const Embedder::Outcome&) {
      const std::lock_guard lock(mutex);
      ++done;
    });
  opened.embedder.reset();
  EXPECT_EQ(done, 100);
}

// ---- one of a service

struct EmbedderRoute {
  const char* name;
  Variables variables;
  std::string embedder, url, key, model;
};
class EmbedderRoutes : public testing::TestWithParam<EmbedderRoute> {};
TEST_P(EmbedderRoutes, GoThere) {
  const auto& row = GetParam();
  FakeWire wire;
  wire.answer = [](const HttpRequest&) {
    return response_of(200, R"({"data":[{"embedding":[1,0]}]})");
  };
  Settings settings = embedder_settings(row.variables);
  settings.make_client = [&](const HttpOptions&) -> base::Result<std::unique_ptr<HttpClient>> {
    return std::make_unique<FakeClient>(wire);
  };
  auto opened = Models(settings).open_embedder(row.embedder);
  ASSERT_TRUE(opened.has_value()) << base::render(opened.error());
  EXPECT_EQ(opened->name, row.embedder);
  EXPECT_TRUE(embed(*opened->embedder, "say \"hi\"").has_value());
  ASSERT_EQ(wire.sent.size(), 1u);
  EXPECT_EQ(wire.sent[0].url, row.url);
  EXPECT_EQ(wire.sent[0].body,
            R"({"model":")" + row.model + R"(","input":"say \"hi\"","encoding_format":"float"})");
  const auto& first = wire.sent[0].headers[0];
  if (row.key.empty()) {
    EXPECT_EQ(first.first, "content-type");
    EXPECT_TRUE(opened->keys.empty());
  } else {
    EXPECT_EQ(first.second, "Bearer " + row.key);
    EXPECT_EQ(opened->keys, std::vector{row.key});
  }
}
INSTANTIATE_TEST_SUITE_P(
    Model, EmbedderRoutes,
    testing::Values(EmbedderRoute{"openai",
                                  {{"OPENAI_API_KEY", "k1"}, {"OPENROUTER_API_KEY", "k2"}},
                                  "openai/text-embedding-3-small",
                                  "https://api.openai.com/v1/embeddings",
                                  "k1",
                                  "text-embedding-3-small"},
                    EmbedderRoute{
                        "other_address",
                        {{"OPENAI_API_KEY", "k1"}, {"OPENAI_BASE_URL", "http://localhost:1/v1/"}},
                        "openai/m",
                        "http://localhost:1/v1/embeddings",
                        "k1",
                        "m"},
                    EmbedderRoute{"endpoint",
                                  {{"CORP_KEY", "k3"}},
                                  "corp/embed",
                                  "https://llm.corp.example/v1/embeddings",
                                  "k3",
                                  "embed"},
                    EmbedderRoute{"endpoint_without_key",
                                  {},
                                  "local/embed",
                                  "http://localhost:8000/v1/embeddings",
                                  "",
                                  "embed"},
                    EmbedderRoute{"by_openrouter",
                                  {{"OPENROUTER_API_KEY", "k2"}},
                                  "openai/text-embedding-3-small",
                                  "https://openrouter.ai/api/v1/embeddings",
                                  "k2",
                                  "openai/text-embedding-3-small"},
                    EmbedderRoute{"ollama",
                                  {},
                                  "ollama/nomic-embed-text",
                                  "http://127.0.0.1:11434/v1/embeddings",
                                  "",
                                  "nomic-embed-text"}),
    [](const auto& row) { return row.param.name; });

struct RefusedEmbedder {
  const char* name;
  std::string embedder;
  Code code;
  std::string message;
};
class EmbeddersRefused : public testing::TestWithParam<RefusedEmbedder> {};
TEST_P(EmbeddersRefused, BeforeAnythingIsSent) {
  const auto opened =
      Models(embedder_settings({{"ANTHROPIC_API_KEY", "k"}})).open_embedder(GetParam().embedder);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().all()[0].code, GetParam().code);
  EXPECT_EQ(opened.error().all()[0].message, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    Model, EmbeddersRefused,
    testing::Values(
        RefusedEmbedder{
            "no_key", "openai/text-embedding-3-small", Code::missing_credential,
            "`openai/text-embedding-3-small` needs a key, and `OPENAI_API_KEY` is not set"},
        RefusedEmbedder{"no_key_of_endpoint", "corp/embed", Code::missing_credential,
                        "`corp/embed` needs a key, and `CORP_KEY` is not set"},
        RefusedEmbedder{"a_word", "remote", Code::unknown_model, "`remote` is not an embedder"},
        RefusedEmbedder{"anthropic", "anthropic/claude", Code::unknown_model,
                        "`anthropic/claude` does not offer embeddings"},
        RefusedEmbedder{"a_program", "exec:cat", Code::unknown_model,
                        "`exec:cat` does not offer embeddings"}),
    [](const auto& row) { return row.param.name; });

// ---- over the wire

class ServedEmbedder : public testing::Test {
 protected:
  OpenedEmbedder open(const std::string& name = "openai/priced", const std::string& path = "/v1") {
    auto opened = Models(embedder_settings({{"OPENAI_API_KEY", "sk-secret"},
                                            {"OPENROUTER_API_KEY", "or-secret"},
                                            {"OPENAI_BASE_URL", server.url(path)},
                                            {"OPENROUTER_BASE_URL", server.url("/api/v1")}}))
                      .open_embedder(name);
    EXPECT_TRUE(opened.has_value());
    return *std::move(opened);
  }

  test::ModelServer server;
};

TEST_F(ServedEmbedder, GivesVectorsWithTheirCost) {
  const auto opened = open();
  const auto paris = embed(*opened.embedder, "Paris is the capital of France");
  const auto again = embed(*opened.embedder, "The capital of France is Paris");
  const auto bread = embed(*opened.embedder, "Bread needs flour and water");
  ASSERT_TRUE(paris && again && bread);
  EXPECT_EQ(paris->tokens, 6);
  EXPECT_DOUBLE_EQ(*paris->cost, 6 * 2e-6);
  EXPECT_GT(*cosine_similarity(paris->vector, again->vector),
            *cosine_similarity(paris->vector, bread->vector));
  const auto unpriced = open("openai/a-model-nobody-sells");
  EXPECT_EQ(embed(*unpriced.embedder, "x")->cost, std::nullopt);
  EXPECT_EQ(embed(*opened.embedder, "nousage x")->tokens, std::nullopt);
  EXPECT_EQ(embed(*opened.embedder, "nousage x")->cost, std::nullopt);
  const auto routed = open("mistral/embed");
  EXPECT_EQ(embed(*routed.embedder, "x cost=0.25")->cost, 0.25);
}

TEST_F(ServedEmbedder, TriesAgain) {
  const auto opened = open();
  EXPECT_TRUE(embed(*opened.embedder, "fail=500x2").has_value());
  EXPECT_TRUE(embed(*opened.embedder, "reset=1").has_value());
}

struct EmbeddingFault {
  const char* name;
  std::string text;
  Kind kind;
  std::string message;  // part of it
};
class EmbeddingFaults : public ServedEmbedder,
                        public testing::WithParamInterface<EmbeddingFault> {};
TEST_P(EmbeddingFaults, AreFailures) {
  const auto opened = open();
  ASSERT_TRUE(embed(*opened.embedder, "a first one, as it should be").has_value());
  const auto got = embed(*opened.embedder, GetParam().text);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, GetParam().kind) << got.error().message;
  EXPECT_NE(got.error().message.find(GetParam().message), std::string::npos) << got.error().message;
}
INSTANTIATE_TEST_SUITE_P(
    Model, EmbeddingFaults,
    testing::Values(EmbeddingFault{"short_vector", "vector=short", Kind::malformed,
                                   "the vector has 32 numbers, but earlier ones have 64"},
                    EmbeddingFault{"empty_vector", "vector=empty", Kind::malformed,
                                   "`/data/0/embedding` is empty"},
                    EmbeddingFault{"zeros", "vector=zeros", Kind::malformed, "is all zeros"},
                    EmbeddingFault{"nan", "vector=nan", Kind::malformed, "expected JSON"},
                    EmbeddingFault{"null", "vector=null", Kind::malformed,
                                   "`/data/0/embedding/3` is not a usable number"},
                    EmbeddingFault{"too_large_for_a_float", "vector=huge", Kind::malformed,
                                   "`/data/0/embedding/3` is not a usable number"},
                    EmbeddingFault{"half_the_json", "truncate=json", Kind::malformed,
                                   "expected JSON"},
                    EmbeddingFault{"a_page", "type=text/html", Kind::malformed,
                                   "expected JSON, got `text/html`"},
                    EmbeddingFault{"server_error", "fail=500", Kind::unreachable, "HTTP 500"},
                    EmbeddingFault{"bad_key", "fail=401", Kind::refused, "HTTP 401"},
                    EmbeddingFault{"dropped", "reset", Kind::unreachable, "no connection"},
                    EmbeddingFault{"empty_text", "", Kind::refused, "cannot be an empty string"}),
    [](const auto& row) { return row.param.name; });

struct BodyCase {
  const char* name;
  std::string body, message;
};
class EmbeddingBodies : public testing::TestWithParam<BodyCase> {};
TEST_P(EmbeddingBodies, AreFailures) {
  FakeWire wire;
  wire.answer = [](const HttpRequest&) { return response_of(200, GetParam().body, 2); };
  Settings settings = embedder_settings({{"OPENAI_API_KEY", "sk-secret"}});
  settings.make_client = [&](const HttpOptions&) -> base::Result<std::unique_ptr<HttpClient>> {
    return std::make_unique<FakeClient>(wire);
  };
  const auto opened = Models(settings).open_embedder("openai/m");
  const auto got = embed(*opened->embedder, "x");
  ASSERT_FALSE(got.has_value());
  EXPECT_NE(got.error().message.find(GetParam().message), std::string::npos) << got.error().message;
  EXPECT_EQ(got.error().tries, 2);
}
INSTANTIATE_TEST_SUITE_P(
    Model, EmbeddingBodies,
    testing::Values(
        BodyCase{"stated_error", R"({"error":{"message":"no such model"}})", "no such model"},
        BodyCase{"its_key", R"({"error":{"message":"sk-secret is wrong"}})", "[key] is wrong"},
        BodyCase{"no_data", "{}", "no `/data/0/embedding` in the response"},
        BodyCase{"empty_list", R"({"data":[]})", "no `/data/0/embedding` in the response"},
        BodyCase{"base64", R"({"data":[{"embedding":"AACAPw=="}]})", "is not a list of numbers"},
        BodyCase{"text_in_it", R"({"data":[{"embedding":[1,"2"]}]})",
                 "`/data/0/embedding/1` is no"},
        BodyCase{"nothing", "", "the response is empty"}),
    [](const auto& row) { return row.param.name; });

TEST_F(ServedEmbedder, CancelsWhatIsInFlight) {
  const auto opened = open();
  std::promise<Embedder::Outcome> promise;
  opened.embedder->embed("latency=600000 x",
                         [&](Embedder::Outcome outcome) { promise.set_value(std::move(outcome)); });
  opened.embedder->cancel();
  const auto got = promise.get_future().get();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Kind::cancelled);
}

}  // namespace
}  // namespace vibe::model
