// `http:NAME`: the user's own endpoint, described by templates and JSON pointers.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "model/local.h"

namespace vibe::model {

namespace {

using base::JsonValue;

constexpr std::size_t kShortestKey = 4;  // redacting shorter values would hit common words

struct Piece {
  enum class Kind : std::uint8_t { literal, prompt, system, messages };
  Kind kind = Kind::literal;
  std::string text;  // of a literal
};

struct PieceRow {
  std::string_view name;
  Piece::Kind kind;
};
constexpr std::array kPieces{PieceRow{"prompt", Piece::Kind::prompt},
                             PieceRow{"system", Piece::Kind::system},
                             PieceRow{"messages", Piece::Kind::messages}};

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_token(std::string_view text) {  // as HTTP defines it: a method, a header name
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

class Binder {
 public:
  Binder(const HttpEndpoint& endpoint, const Settings& settings)
      : endpoint_(endpoint), settings_(settings) {}

  void check() {
    request_.method = endpoint_.method;
    if (!is_token(request_.method))
      wrong(fmt::format("`method` is `{}`, which is not an HTTP method", shown(request_.method)),
            "write one such as `POST`");
    request_.url = expand("url", endpoint_.url);
    if (!base::is_http_url(request_.url) || has_control(request_.url))
      wrong("`url` does not begin with `http://` or `https://`", {});
    bool has_type = false;
    for (const auto& [name, value] : endpoint_.headers) {
      if (!is_token(name)) wrong(fmt::format("`{}` is not a header name", shown(name)), {});
      auto expanded = std::string(base::trim(expand("headers", value)));
      if (has_control(expanded))
        wrong(fmt::format("the header `{}` contains a control character", shown(name)), {});
      request_.headers.emplace_back(name, std::move(expanded));
      has_type = has_type || base::lower_ascii(name) == "content-type";
    }
    if (!has_type) request_.headers.emplace_back("content-type", "application/json");
    read_body();
    check_pointer("answer", endpoint_.answer);
    check_pointer("prompt_tokens", endpoint_.prompt_tokens);
    check_pointer("completion_tokens", endpoint_.completion_tokens);
    check_pointer("cost", endpoint_.cost);
  }

  base::Diagnostics found;
  std::vector<std::string> keys;
  std::vector<Piece> body;
  HttpRequest take_request() { return std::move(request_); }

 private:
  static std::string shown(std::string_view text) {
    return base::shorten(base::printable(text), 60);
  }

  void wrong(const std::string& what, std::string hint) {
    found.add(base::Code::bad_config, {},
              fmt::format("the endpoint `http:{}`: {}", shown(endpoint_.name), what),
              std::move(hint));
  }

  // The value of the `${NAME}` at `at`, and its end in `end`; empty after an error.
  std::string variable(std::string_view where, std::string_view text, std::size_t at,
                       std::size_t& end) {
    const auto close = text.find('}', at);
    end = close == std::string_view::npos ? text.size() : close + 1;
    const std::string_view name = text.substr(at + 2, std::min(close, text.size()) - at - 2);
    if (close == std::string_view::npos || !base::is_variable_name(name)) {
      wrong(fmt::format("`{}` in `{}` is malformed", shown(text.substr(at, end - at)), where),
            "write an environment variable as `${NAME}`");
      return {};
    }
    const auto value = settings_.variable ? settings_.variable(name) : std::nullopt;
    if (!value) {
      found.add(base::Code::missing_credential, {},
                fmt::format("the endpoint `http:{}` uses `{}`, which is not set",
                            shown(endpoint_.name), name),
                fmt::format("set {} in the environment or in `~/.vibecheck/.env`", name));
      return {};
    }
    if (value->size() >= kShortestKey) keys.push_back(*value);
    return *value;
  }

  std::string expand(std::string_view where, std::string_view text) {
    std::string out;
    while (true) {
      const auto at = text.find("${");
      out += text.substr(0, at);
      if (at == std::string_view::npos) return out;
      std::size_t end = 0;
      out += variable(where, text, at, end);
      text.remove_prefix(end);
    }
  }

  // In one pass, so that a variable's value is not read as a template.
  void read_body() {
    std::string_view text = endpoint_.body;
    std::string literal;
    bool asks = false;
    while (!text.empty()) {
      const auto at = std::min(text.find("${"), text.find("{{"));
      literal += text.substr(0, at);
      if (at >= text.size()) break;
      std::size_t end = 0;
      if (text[at] == '$') {
        literal += variable("body", text, at, end);
      } else {
        const auto close = text.find("}}", at);
        end = close == std::string_view::npos ? text.size() : close + 2;
        const auto name = base::trim(text.substr(at + 2, std::min(close, text.size()) - at - 2));
        const auto row = std::find_if(kPieces.begin(), kPieces.end(),
                                      [&](const PieceRow& each) { return each.name == name; });
        if (close == std::string_view::npos || row == kPieces.end()) {
          wrong(fmt::format("unknown placeholder `{}` in `body`", shown(text.substr(at, end - at))),
                "use `{{prompt}}`, `{{system}}` or `{{messages}}`");
        } else {
          body.push_back({Piece::Kind::literal, std::exchange(literal, {})});
          body.push_back({row->kind, {}});
          asks = asks || row->kind != Piece::Kind::system;
        }
      }
      text.remove_prefix(end);
    }
    body.push_back({Piece::Kind::literal, std::move(literal)});
    if (!asks && !found.failed())
      wrong("`body` has no placeholder for the prompt",
            "put `{{prompt}}` or `{{messages}}` into it");
  }

  void check_pointer(std::string_view where, std::string_view pointer) {
    if (!pointer.empty() && pointer[0] != '/')
      wrong(fmt::format("`{}` is `{}`, which is not a JSON pointer", where, shown(pointer)),
            "a JSON pointer begins with a slash: `/choices/0/text`");
  }

  const HttpEndpoint& endpoint_;
  const Settings& settings_;
  HttpRequest request_;
};

// Without the quotes, which the template has.
std::string escaped(std::string_view text) {
  const std::string quoted = base::JsonWriter().string(text).text();
  return quoted.substr(1, quoted.size() - 2);
}

std::string fill(const std::vector<Piece>& body, const Request& request) {
  std::string out;
  for (const Piece& piece : body) {
    switch (piece.kind) {
      case Piece::Kind::literal: out += piece.text; break;
      case Piece::Kind::prompt:
        if (!request.messages.empty()) out += escaped(request.messages.back().text);
        break;
      case Piece::Kind::system: out += escaped(request.system); break;
      case Piece::Kind::messages: {
        base::JsonWriter json;
        json.begin_array();
        write_messages(json, request);
        out += json.end_array().text();
        break;
      }
    }
  }
  return out;
}

Outcome decode_by(const HttpEndpoint& endpoint, const HttpResponse& response) {
  Answer answer;
  const bool wants_json = !endpoint.answer.empty();
  const bool wants_figures = !endpoint.prompt_tokens.empty() ||
                             !endpoint.completion_tokens.empty() || !endpoint.cost.empty();
  if (!wants_json) answer.text = response.body;
  if (!wants_json && !wants_figures) return answer;
  const auto root = parse_body(response);
  if (!root && wants_json) return tl::unexpected(root.error());
  if (!root) return answer;  // plain text without figures
  if (wants_json) {
    const JsonValue* value = root->pointer(endpoint.answer);
    if (!value || value->is_null())
      return tl::unexpected(malformed(
          fmt::format("nothing at `{}` in the response", excerpt(endpoint.answer)), response.body));
    answer.text = value->text() ? *value->text() : base::to_text(*value);
  }
  const auto at = [&](const std::string& pointer) {
    return pointer.empty() ? nullptr : root->pointer(pointer);
  };
  const auto count_at = [&](const std::string& pointer) -> std::optional<std::int64_t> {
    const JsonValue* value = at(pointer);
    const auto count = value ? value->integer() : std::nullopt;
    return count && *count >= 0 ? count : std::nullopt;
  };
  answer.usage.prompt = count_at(endpoint.prompt_tokens);
  answer.usage.completion = count_at(endpoint.completion_tokens);
  answer.cost.total = dollars(at(endpoint.cost));
  return answer;
}

}  // namespace

base::Result<BoundEndpoint> bind_endpoint(const HttpEndpoint& endpoint, const Settings& settings) {
  Binder binder(endpoint, settings);
  binder.check();
  if (binder.found.failed()) return tl::unexpected(std::move(binder.found));
  BoundEndpoint out;
  out.keys = std::move(binder.keys);
  out.exchange.encode = [prototype = binder.take_request(),
                         body = std::move(binder.body)](const Request& request) -> Encoded {
    HttpRequest filled = prototype;
    filled.body = fill(body, request);
    filled.timeout = request.timeout;
    return filled;
  };
  out.exchange.decode = [endpoint](const HttpResponse& response) {
    return decode_by(endpoint, response);
  };
  return out;
}

base::Result<Opened> open_http_endpoint(const Settings& settings, const std::string& rest) {
  std::vector<std::string_view> names;
  for (const HttpEndpoint& endpoint : settings.http) {
    names.push_back(endpoint.name);
    if (endpoint.name != rest) continue;
    VIBE_TRY(auto bound, bind_endpoint(endpoint, settings));
    Settings masking = settings;
    masking.client.mask = [keys = bound.keys](std::string& host) { hide_keys(host, keys); };
    VIBE_TRY(auto client, make_client(masking));
    Opened opened;
    opened.price = settings.prices.find("http:" + rest, "http");
    opened.states_cost = !endpoint.cost.empty();
    opened.keys = bound.keys;
    opened.model = make_http_model(std::move(bound.exchange), {.price = opened.price},
                                   std::move(bound.keys), std::move(client));
    return opened;
  }
  std::string hint = base::did_you_mean(base::nearest(rest, names));
  if (hint.empty())
    hint =
        "describe it under `http:` in `~/.vibecheck/config.yaml`; an OpenAI-compatible "
        "service goes under `endpoints:`";
  return base::fail(
      base::Code::unknown_model, {},
      fmt::format("there is no endpoint `{}`", base::shorten(base::printable(rest), 80)),
      std::move(hint));
}

}  // namespace vibe::model
