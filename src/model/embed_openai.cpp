// Embeddings in OpenAI's format, which many other services use.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "model/embedders.h"

namespace vibe::model {

namespace {

using base::JsonValue;

constexpr std::size_t kMostAnswer = 8u << 20;  // bytes

tl::expected<std::vector<float>, Failure> read_vector(const JsonValue& root,
                                                      const HttpResponse& response) {
  const auto bad = [&](std::string_view problem) {
    return tl::unexpected(malformed(problem, response.body));
  };
  const JsonValue* const numbers = root.pointer("/data/0/embedding");
  if (!numbers) return bad("no `/data/0/embedding` in the response");
  if (!numbers->array()) return bad("`/data/0/embedding` is not a list of numbers");
  std::vector<float> out;
  for (const JsonValue& each : *numbers->array()) {
    const auto number = each.number();
    // A number too large for a float becomes infinite.
    if (!number || !std::isfinite(static_cast<float>(*number)))
      return bad(fmt::format("`/data/0/embedding/{}` is not a usable number", out.size()));
    out.push_back(static_cast<float>(*number));
  }
  if (out.empty()) return bad("`/data/0/embedding` is empty");
  if (std::all_of(out.begin(), out.end(), [](float number) { return number == 0; }))
    return bad("`/data/0/embedding` is all zeros");
  return out;
}

class OpenaiEmbedder final : public Embedder {
 public:
  OpenaiEmbedder(std::string url, Target target, Pricing pricing, std::vector<std::string> keys,
                 std::unique_ptr<HttpClient> client)
      : url_(std::move(url)),
        target_(std::move(target)),
        pricing_(std::move(pricing)),
        keys_(std::move(keys)),
        client_(std::move(client)) {}

  void embed(const std::string& text, Done done) override {
    HttpRequest request = encode(text);
    const double timeout = request.timeout;
    client_->send(std::move(request),
                  [this, timeout, done = std::move(done)](const HttpResponse& response) {
                    done(read(response, timeout));
                  });
  }

  void cancel() override { client_->cancel_all(); }

 private:
  HttpRequest encode(const std::string& text) const {
    base::JsonWriter json;
    json.begin_object().key("model").string(target_.model);
    json.key("input").string(text);
    json.key("encoding_format").string("float").end_object();
    Headers headers;
    if (!target_.key.empty()) headers.emplace_back("authorization", "Bearer " + target_.key);
    HttpRequest out = json_request(url_, std::move(headers), json.text(), Request{});
    out.most_bytes = kMostAnswer;
    return out;
  }

  Outcome read(const HttpResponse& response, double timeout) {
    auto failure = failure_of(response, timeout);
    Outcome outcome = failure ? Outcome(tl::unexpected(*std::move(failure))) : decode(response);
    if (!outcome) {
      outcome.error().tries = response.tries;
      redact(outcome.error(), keys_);
    }
    return outcome;
  }

  Outcome decode(const HttpResponse& response) {
    VIBE_TRY(const auto root, parse_body(response));
    if (auto error = stated_error(root)) return tl::unexpected(*std::move(error));
    VIBE_TRY(auto vector, read_vector(root, response));
    if (const std::size_t wanted = size_of_all(vector.size()); vector.size() != wanted)
      return tl::unexpected(
          own_failure(Failure::Kind::malformed,
                      fmt::format("the vector has {} numbers, but earlier ones have {}",
                                  vector.size(), wanted)));

    const JsonValue* const usage = root.find("usage");
    Answer figures;  // lets set_cost() compute the cost
    figures.usage.prompt = count_of(usage, "prompt_tokens");
    if (!figures.usage.prompt) figures.usage.prompt = count_of(usage, "total_tokens");
    figures.usage.completion = 0;
    figures.cost.total = usage ? dollars(usage->find("cost")) : std::nullopt;
    set_cost(figures, pricing_);
    return Embedding{std::move(vector), figures.usage.prompt, figures.cost.total};
  }

  // The size of the first vector, which is this one if there was none before.
  std::size_t size_of_all(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (size_ == 0) size_ = size;
    return size_;
  }

  const std::string url_;
  const Target target_;
  const Pricing pricing_;
  const std::vector<std::string> keys_;
  std::mutex mutex_;
  std::size_t size_ = 0;  // of every vector; 0: none arrived yet
  std::unique_ptr<HttpClient>
      client_;  // last: destroyed first, and its callbacks use the other members
};

}  // namespace

std::unique_ptr<Embedder> make_openai_embedder(std::string url, Target target, Pricing pricing,
                                               std::vector<std::string> keys,
                                               std::unique_ptr<HttpClient> client) {
  return std::make_unique<OpenaiEmbedder>(std::move(url), std::move(target), std::move(pricing),
                                          std::move(keys), std::move(client));
}

}  // namespace vibe::model
