#include <utility>

#include "model/provider.h"

namespace vibe::model {

namespace {

class HttpModel final : public Model {
 public:
  HttpModel(Exchange exchange, Pricing pricing, std::vector<std::string> keys,
            std::unique_ptr<HttpClient> client)
      : exchange_(std::move(exchange)),
        pricing_(std::move(pricing)),
        keys_(std::move(keys)),
        client_(std::move(client)) {}

  void ask(const Request& request, Done done) override {
    auto encoded = exchange_.encode(request);
    if (!encoded) {
      done(tl::unexpected(std::move(encoded.error())));
      return;
    }
    client_->send(*std::move(encoded), [this, timeout = request.timeout,
                                        done = std::move(done)](const HttpResponse& response) {
      Outcome outcome = read_response(response, timeout, keys_, exchange_.decode);
      if (outcome) set_cost(*outcome, pricing_);
      done(std::move(outcome));
    });
  }

  void cancel() override { client_->cancel_all(); }

 private:
  Exchange exchange_;
  Pricing pricing_;
  std::vector<std::string> keys_;
  std::unique_ptr<HttpClient>
      client_;  // last: destroyed first, and its callbacks use the other members
};

}  // namespace

void set_cost(Answer& answer, const Pricing& pricing) {
  if (answer.cost.total) return;
  const auto& price = pricing.price;
  // All prices 0 make it free even if the tokens are unknown, so that a program can be priced as
  // free.
  const bool is_nothing = price && price->input == 0 && price->output == 0 &&
                          price->cache_read.value_or(0) == 0 &&
                          price->cache_write.value_or(0) == 0 && price->tiers.empty();
  if (pricing.is_free || is_nothing) {
    answer.cost = {.input = 0, .output = 0, .total = 0};
    return;
  }
  const Usage& usage = answer.usage;
  if (!price || !usage.prompt || !usage.completion) return;
  const auto cost = price::cost(*price, {.prompt = *usage.prompt,
                                         .completion = *usage.completion,
                                         .cache_read = usage.cached.value_or(0),
                                         .cache_write = usage.cache_write.value_or(0)});
  answer.cost = {.input = cost.input, .output = cost.output, .total = cost.input + cost.output};
}

std::unique_ptr<Model> make_http_model(Exchange exchange, Pricing pricing,
                                       std::vector<std::string> keys,
                                       std::unique_ptr<HttpClient> client) {
  return std::make_unique<HttpModel>(std::move(exchange), std::move(pricing), std::move(keys),
                                     std::move(client));
}

HttpRequest json_request(std::string url, Headers headers, std::string body,
                         const Request& request) {
  HttpRequest out;
  out.url = std::move(url);
  out.headers = std::move(headers);
  out.headers.emplace_back("content-type", "application/json");
  out.body = std::move(body);
  out.timeout = request.timeout;
  return out;
}

std::string_view to_string(Message::Role role) {
  switch (role) {
    case Message::Role::user: return "user";
    case Message::Role::assistant: return "assistant";
    case Message::Role::tool: return "tool";
  }
  std::abort();
}

std::string_view to_string(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::cancelled: return "cancelled";
    case Failure::Kind::timed_out: return "timed_out";
    case Failure::Kind::unreachable: return "unreachable";
    case Failure::Kind::refused: return "refused";
    case Failure::Kind::malformed: return "malformed";
    case Failure::Kind::missing: return "missing";
  }
  std::abort();
}

}  // namespace vibe::model
