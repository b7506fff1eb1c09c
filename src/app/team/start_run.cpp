#include "app/team/start_run.h"

#include <array>
#include <functional>
#include <mutex>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"

namespace vibe::app {

using base::Code;

namespace {

constexpr score::Millis kDay = 24LL * 60 * 60 * 1000;

base::Result<void> check_limits(const store::Organisation& organisation, bool is_new,
                                Local& local) {
  const store::Limits& limits = organisation.limits;
  if (store::credits_left(organisation) <= 0)
    return base::fail(Code::no_credit, {}, fmt::format("`{}` is out of credits", organisation.slug),
                      "the server's operator can add some");
  VIBE_TRY(const auto depth, local.store->queue().depth());
  if (static_cast<std::int64_t>(depth.waiting) >= limits.queued_runs)
    return base::fail(Code::limit_reached, {},
                      fmt::format("the organisation `{}` already has {} waiting", organisation.slug,
                                  base::counted(depth.waiting, "run")),
                      "wait until one of them starts");
  if (!is_new || !limits.runs_a_day) return {};
  const auto most = *limits.runs_a_day;
  if (most <= 0)
    return base::fail(Code::limit_reached, {},
                      fmt::format("`{}` may not start any runs", organisation.slug),
                      "the server's operator can raise its limit of 0 runs a day");
  // Checks whether the list has an item at that position; counting would stop earlier.
  store::RunQuery query;
  query.limit = 1;
  query.offset = static_cast<std::size_t>(most - 1);
  query.created.from = base::now_millis() - kDay;
  VIBE_TRY(const auto page, local.runs().list(query));
  if (!page.runs.empty())
    return base::fail(Code::limit_reached, {},
                      fmt::format("`{}` has reached its limit of {} a day", organisation.slug,
                                  base::counted(most, "run", "runs")),
                      "wait until the oldest of them is 24 hours old");
  return {};
}

// Locked from the last check of an organisation's limits until the run is queued, so that two
// concurrent starts do not both get the last place.
std::mutex& starting(const store::Organisation& organisation) {
  static std::array<std::mutex, 64> mutexes;
  return mutexes[std::hash<std::string>()(organisation.id) % mutexes.size()];
}

RunRequest common_request(const SentOptions& options) {
  RunRequest out;
  out.budget = options.budget;
  out.run_timeout = options.run_timeout;
  out.cache = options.cache;
  out.dry_run = true;
  return out;
}

// Queues the prepared run, once the organisation may start another.
std::optional<StartedRun> queue_new(Prepared& prepared, const RunRequest& request,
                                    const store::Organisation& organisation, Local& local,
                                    base::Diagnostics& out) {
  StartedRun started;
  started.run = std::move(prepared.runs.front().run);
  score::Run& run = started.run;
  if (failed(check_suite_name(run.suite_name), out)) return std::nullopt;
  const auto now = base::now_millis();
  run.id = base::uuid7(now);
  run.created_at = now;
  run.status = score::RunStatus::queued;
  const auto before = local.suites().last(run.suite_name);
  if (failed(before, out)) return std::nullopt;
  started.is_update = before->has_value();
  store::SuiteEntry entry;
  entry.name = run.suite_name;
  entry.text = run.suite_text;
  entry.evals = static_cast<std::uint32_t>(prepared.suite->evals.size());
  const std::lock_guard lock(starting(organisation));
  if (failed(check_limits(organisation, true, local), out) ||
      (prepared.saves_suite && failed(local.suites().save(entry, now), out)) ||
      failed(local.store->queue().enqueue(run, to_job(request)), out))
    return std::nullopt;
  return started;
}

}  // namespace

std::optional<StartedRun> start_run(const SentSuite& suite, const SentOptions& options,
                                    const store::Organisation& organisation, Local& local,
                                    base::Diagnostics& out) {
  if (failed(check_limits(organisation, true, local), out)) return std::nullopt;
  RunRequest request = common_request(options);
  request.suite = suite.name();
  request.loaded = suite.loaded;
  if (suite.model) request.models.push_back(*suite.model);
  request.plan = suite.plan;
  request.plan.only = options.only;
  request.plan.repeat = options.repeat;
  request.tools = suite.tools;
  auto prepared = prepare_run(request, local, out);
  if (!prepared) return std::nullopt;
  if (prepared->runs.size() != 1) {
    out.add(Code::bad_usage, {}, "a run has one model", "start one run per model");
    return std::nullopt;
  }

  return queue_new(*prepared, request, organisation, local, out);
}

std::optional<StartedRun> continue_run(std::string_view id, Continue how,
                                       const SentOptions& options,
                                       const store::Organisation& organisation, Local& local,
                                       base::Diagnostics& out) {
  auto found = local.runs().find(id);
  if (failed(found, out)) return std::nullopt;
  if (!*found) {
    out.add(Code::not_found, {}, fmt::format("there is no run `{}`", base::printable(id)));
    return std::nullopt;
  }
  StartedRun started{.run = **std::move(found), .is_update = true};
  score::Run& run = started.run;
  if (!score::is_finished(run.status)) {
    out.add(Code::conflict, {},
            fmt::format("run `{}` is already {}", run.id, score::to_string(run.status)));
    return std::nullopt;
  }
  if (failed(check_limits(organisation, false, local), out)) return std::nullopt;
  RunRequest request = common_request(options);
  request.earlier = run.id;
  request.how = how;
  request.plan.threads = options.threads;
  request.tools.token = options.tools_token;
  request.worked_before = run.duration.value_or(0);
  if (!prepare_run(request, local, out)) return std::nullopt;
  run.status = score::RunStatus::queued;
  run.completed_at.reset();
  run.error.clear();
  const std::lock_guard lock(starting(organisation));
  if (failed(check_limits(organisation, false, local), out)) return std::nullopt;
  const auto queued_after = local.store->queue().enqueue(run, to_job(request));
  if (failed(queued_after, out)) return std::nullopt;
  started.queued_after = *queued_after;
  return started;
}

std::optional<StartedRun> ask_again(std::string_view id, const SentOptions& options,
                                    const store::Organisation& organisation, Local& local,
                                    base::Diagnostics& out) {
  if (failed(check_limits(organisation, true, local), out)) return std::nullopt;
  RunRequest request = common_request(options);
  request.earlier = id;
  request.how = Continue::again;
  request.plan.threads = options.threads;
  request.tools.token = options.tools_token;
  auto prepared = prepare_run(request, local, out);
  if (!prepared) return std::nullopt;
  return queue_new(*prepared, request, organisation, local, out);
}

std::string to_job(const RunRequest& request) {
  base::JsonWriter json;
  json.begin_object();
  if (request.budget) json.key("budget").number(*request.budget);
  if (request.run_timeout) json.key("run_timeout").number(*request.run_timeout);
  if (request.cache) json.key("cache").boolean(true);
  if (request.how == Continue::failed) json.key("retry_failed").boolean(true);
  if (request.tools.token) json.key("mcp_token").string(*request.tools.token);
  if (request.plan.threads) json.key("threads").integer(*request.plan.threads);
  if (request.worked_before > 0) json.key("worked_before").number(request.worked_before);
  return json.end_object().text();
}

RunRequest read_job(const store::Claim& claim) {
  RunRequest out;
  out.earlier = claim.run.id;
  out.claim = &claim;
  const auto json = base::parse_json(claim.job);
  if (!json) return out;
  const auto says = [&](std::string_view key) {
    const auto* value = json->find(key);
    return value && value->boolean().value_or(false);
  };
  out.budget = json->number_of("budget");
  out.run_timeout = json->number_of("run_timeout");
  out.cache = says("cache");
  out.plan.threads = json->integer_of("threads");
  out.worked_before = json->number_of("worked_before").value_or(0);
  out.how = says("retry_failed") ? Continue::failed : Continue::missing;
  if (const auto* token = json->find("mcp_token"); token && token->text())
    out.tools.token = *token->text();
  return out;
}

}  // namespace vibe::app
