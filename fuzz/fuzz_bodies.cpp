// Any bytes as a request with a body: a line `METHOD TARGET`, then the body. The route answers as
// on a server, with a real store, but without a socket and without workers, so that no run begins.
// It answers once, with a status that clients know and never with a server error; everything it
// claims to have stored can be shown. `$RUN` stands for a finished run, `$INVITE` for an
// invitation.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "app/team/master_key.h"
#include "base/json_value.h"
#include "base/temp_folder.h"
#include "base/text.h"
#include "base/time.h"
#include "server/http_spool.h"
#include "server/route.h"

namespace {

using namespace vibe;

void require(bool holds, std::string_view what, std::string_view seen = {}) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, seen);
  std::abort();
}

template <class T>
T must(base::Result<T> result) {
  require(result.has_value(), "the world is broken",
          result ? std::string() : base::render(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// ---- the server's other parts: here, nothing is sent and nothing starts

class NobodyAnswers final : public model::HttpClient {
 public:
  void send(model::HttpRequest request, Done) override {
    require(false, "something was sent", request.url);
  }
  void cancel_all() override {}
};

class NobodyWorks final : public app::WorkQueue {
 public:
  void cancelled(std::string_view, std::string_view) override {}
  std::size_t running() const override { return 0; }
  void end() override {}
};

class Recorded final : public server::Reply {
 public:
  void send(server::Response response) override {
    require(!answer, "a second answer", response.body);
    answer = std::move(response);
  }
  void wake() override { require(false, "an answer that comes later"); }
  void on_end(std::function<void()>) override {}  // the client stays

  std::optional<server::Response> answer;
};

// ---- what must hold for every answer

// The statuses that a body can cause. An unusable store (503) is not caused by a body.
constexpr std::array kStatuses{200, 400, 402, 404, 409, 415, 422, 429};

bool is_sentence(const std::string& text) { return !text.empty() && base::printable(text) == text; }

base::JsonValue check_answer(const server::Response& response) {
  const std::string_view body = response.body;
  require(std::find(kStatuses.begin(), kStatuses.end(), response.status) != kStatuses.end(),
          fmt::format("status {}", response.status), body);
  require(response.type == "application/json" && !response.stream, "no JSON", response.type);
  auto json = base::parse_json(body);
  require(json && json->object(), "no JSON object", body);
  const base::JsonValue* error = json->find("error");
  if (response.status == 200) {
    require(!error, "an error in an answer that is none", body);
    return *std::move(json);
  }
  require(error && error->text() && is_sentence(*error->text()), "no sentence", body);
  const base::JsonValue* diagnostics = json->find("diagnostics");
  const bool has_some = diagnostics && diagnostics->array() && !diagnostics->array()->empty();
  const bool may_have = response.status == 400 || response.status == 422;
  require(has_some || response.status != 422, "no diagnostics", body);
  require(!diagnostics || (may_have && has_some), "diagnostics", body);
  return *std::move(json);
}

// ---- a server's parts, in a separate folder

config::Config make_config(const std::string& folder) {
  config::Config out;
  out.home = folder + "/home";
  out.models.variable = [](std::string_view name) -> std::optional<std::string> {
    if (name.ends_with("_API_KEY")) return "sk-fuzz";
    return std::nullopt;
  };
  out.models.make_client =
      [](const model::HttpOptions&) -> base::Result<std::unique_ptr<model::HttpClient>> {
    return std::make_unique<NobodyAnswers>();
  };
  return out;
}

constexpr std::string_view kSuite =
    R"({"evalSuite": {"metadata": {"name": "kept", "model": "openai/gpt-4o-mini"}, )"
    R"("evals": [{"prompt": "Capital of France?", "checks": [{"match": "*Paris*"}]}]}})";
constexpr std::string_view kLog =
    R"({"ts": "2026-03-02T10:00:01Z", "tool": "Bash", "session": "kept", "exit": 0})"
    "\n";

class World {
 public:
  World() {
    auto directory = must(tenants_->directory());
    must(app::begin_server(*directory, tenants_->master_key(), base::now_millis()));
    caller_.organisation = must(directory->organisations().list()).front();
    caller_.organisation.limits.queued_runs = 1'000'000;  // a new world is made before that
    caller_.key = must(directory->keys().list(caller_.organisation.id)).front();
    invite_ = must(app::create_invite(*directory, tenants_->master_key(), caller_.organisation,
                                      store::Role::run, base::now_millis() + 86'400'000,
                                      base::now_millis()))
                  .code;
    service_.queue = &queue_;
    add("/api/eval/run", kSuite);
    finish_run();
    add("/api/eval/run", kSuite);  // this one waits
    for (const std::string_view version : {"v1", "v2"})
      add(fmt::format("/api/executions?agent=reviewer&version={}", version), kLog);
  }

  struct Answer {
    std::string_view path;  // the route's path
    server::Response response;
  };
  // None: there is no such route, or the body is too large for it.
  std::optional<Answer> ask(std::string_view method, std::string_view raw, std::string_view body) {
    auto target = server::read_target(raw);
    if (!target) return std::nullopt;
    auto found = server::find_route(method, target->segments);
    if (!found.route || body.size() > found.route->most_bytes) return std::nullopt;
    server::Request request;
    request.method = method;
    request.target = *std::move(target);
    request.id = "fuzz";
    server::Spool spool;
    if (!found.route->takes_file) {
      request.body = body;
    } else if (!body.empty()) {
      require(spool.open(folder_.path()) && spool.write(body) && spool.close(), "no file");
      request.body_file = spool.path();
    }
    const auto reply = std::make_shared<Recorded>();
    auto caller = found.route->role ? std::optional(caller_) : std::nullopt;
    found.route->answer({service_, *found.route, std::move(request), std::move(found.parameters),
                         std::move(caller), reply});
    require(reply->answer.has_value(), "no answer", raw);
    return Answer{found.route->path, *std::move(reply->answer)};
  }

  // Replaces the placeholders, whose values differ in every world.
  std::string fill_in(std::string text) {
    if (text.find(kRun) != text.npos) finish_run();
    for (const auto& [mark, value] : {std::pair(kRun, run_), std::pair(kInvite, invite_)})
      for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; at += value.size())
        text.replace(at, mark.size(), value);
    return text;
  }

 private:
  static constexpr std::string_view kRun = "$RUN", kInvite = "$INVITE";

  void add(std::string_view target, std::string_view body) {
    const auto answer = ask("POST", target, body);
    require(answer && answer->response.status == 200, "the world is broken", target);
  }

  // It may have been queued again since.
  void finish_run() {
    const auto local = must(tenants_->local(caller_.organisation.id));
    run_ = must(local->runs().find(run_.empty() ? "last" : run_)).value().id;
    const auto claim = must(local->store->queue().claim_run(run_, "fuzz", 60));
    if (!claim) return;
    score::Run run = claim->run;
    run.status = score::RunStatus::failed;
    run.completed_at = base::now_millis();
    must(local->store->journal().write(claim->held.hold, run, {}));
  }

  base::TempFolder folder_ = must(base::TempFolder::make());
  const config::Config config_ = make_config(folder_.path());
  // Like a server that allows nothing.
  std::unique_ptr<app::Tenants> tenants_ =
      must(app::Tenants::open(config_, {.files = false,
                                        .exec_checks = false,
                                        .any_model = false,
                                        .local_models = {},
                                        .private_addresses = false}));
  std::unique_ptr<app::RunWatch> watch_ = app::RunWatch::make(*tenants_);
  server::Metrics metrics_;
  server::AccessLog log_ = must(server::AccessLog::open(""));
  server::Timer timer_;
  base::Workers workers_{1};
  const std::atomic<bool> is_stopping_{false};
  NobodyWorks queue_;
  server::Service service_{.config = config_,
                           .version = "0",
                           .tenants = *tenants_,
                           .watch = *watch_,
                           .metrics = metrics_,
                           .log = log_,
                           .timer = timer_,
                           .workers = workers_,
                           .is_stopping = is_stopping_};
  app::Caller caller_;
  std::string run_, invite_;
};

// ---- everything stored can be shown

// A member of a route's answer, and the route that shows what it names.
struct Shown {
  std::string_view route, key, place;
};
constexpr std::array kShown{
    Shown{"/api/eval/run", "runId", "/api/runs/{}"},
    Shown{"/api/eval/run", "runId", "/api/eval/status/{}?wait=0"},
    Shown{"/api/eval/run", "suiteName", "/api/suite/{}"},
    Shown{"/api/eval/run", "", "/api/runs"},
    Shown{"/api/suite/save", "name", "/api/suite/{}"},
    Shown{"/api/suite/save", "", "/api/suite/list"},
    Shown{"/api/runtime/vars", "name", "/api/runtime/vars/{}"},
    Shown{"/api/runtime/vars/:name", "name", "/api/runtime/vars/{}"},
    Shown{"/api/runtime/secrets", "", "/api/runtime/secrets"},
    Shown{"/api/runtime/secrets/:name", "", "/api/runtime/secrets"},
    Shown{"/api/executions", "", "/api/executions"},
    Shown{"/api/decisions", "", "/api/decisions"},
};

// Encoded as a path segment.
std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

base::JsonValue show(World& world, const std::string& place) {
  const auto answer = world.ask("GET", place, "");
  require(answer.has_value(), "what was kept has no place", place);
  require(answer->response.status == 200, "what was kept is not shown", answer->response.body);
  return check_answer(answer->response);
}

void check_shown(World& world, std::string_view route, const base::JsonValue& answer,
                 std::string_view body) {
  for (const auto& row : kShown) {
    if (row.route != route) continue;
    if (!row.key.empty() && !answer.find(row.key)) continue;  // it was deleted
    const std::string place =
        fmt::format(fmt::runtime(row.place), encoded(answer.text_of(row.key)));
    const auto shown = show(world, place);
    if (!route.starts_with("/api/runtime/vars")) continue;
    const auto sent = base::parse_json(body);
    require(sent && sent->text_of("value") == shown.text_of("value"), "another value", body);
  }
  const base::JsonValue* executions = answer.find("executions");
  if (!executions || !executions->array()) return;
  for (const auto& one : *executions->array()) {
    const std::string_view id = one.text_of("execution_id");
    const auto shown = show(world, "/api/executions/" + encoded(id));
    require(!id.empty() && shown.text_of("execution_id") == id, "another execution", id);
  }
}

// Recreated from time to time, so that its store stays small.
World& world() {
  constexpr int kMostRequests = 500;
  static std::unique_ptr<World> made;
  static int requests = 0;
  if (!made || ++requests == kMostRequests) {
    made.reset();
    made = std::make_unique<World>();
    requests = 0;
  }
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  constexpr const char* kMemory = "/dev/shm";  // faster than a disk
  if (::access(kMemory, W_OK) == 0) ::setenv("TMPDIR", kMemory, 1);
  app::forget_environment_key();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World& here = world();
  const std::string input = here.fill_in({reinterpret_cast<const char*>(data), size});
  const std::string_view bytes = input;
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const auto space = line.find(' ');
  if (line.size() == bytes.size() || space == line.npos) return -1;
  const std::string_view method = line.substr(0, space), body = bytes.substr(line.size() + 1);
  if (method == "GET") return -1;
  const auto answer = here.ask(method, line.substr(space + 1), body);
  if (!answer) return -1;
  const auto json = check_answer(answer->response);
  if (answer->response.status == 200) check_shown(here, answer->path, json, body);
  return 0;
}
