// Routes for operators and client authors: models, versions, the API description, metrics, health.
#include <fmt/format.h>

#include "app/runs/list_models.h"
#include "base/json.h"
#include "server/handlers.h"
#include "server/openapi.h"
#include "wire/models.h"

namespace vibe::server {

namespace {

Response models_of(const Call& call) {
  const std::string all = call.query("all").value_or("false");
  if (all != "true" && all != "false") return error(400, "`all` must be `true` or `false`");
  return json(
      wire::models_json(app::list_models(call.service.config, call.query("pattern").value_or(""),
                                         all == "true" ? app::Which::all : app::Which::runnable)));
}

Response version_of(const Call& call) {
  base::JsonWriter out;
  out.begin_object().key("version").string(call.service.version).end_object();
  return json(out.text());
}

Response description(const Call& call) { return json(openapi_json(call.service.version)); }

// Adds the figures of one organisation.
base::Result<void> add_figures(store::Store& store, Metrics::Moment& moment) {
  VIBE_TRY(const auto depth, store.queue().depth());
  moment.waiting += depth.waiting;
  moment.claimed += depth.claimed;
  for (const auto status : score::kRunStatuses) {
    store::RunQuery query;
    query.limit = 1;
    query.status = {status};
    VIBE_TRY(const auto page, store.archive().runs().list(query));
    moment.runs[std::string(to_string(status))] += page.total;
  }
  return {};
}

base::Result<std::vector<store::Organisation>> organisations(Service& service) {
  VIBE_TRY(auto directory, service.tenants.directory());
  return directory->organisations().list();
}

Response figures(const Call& call) {
  Service& service = call.service;
  if (!call.caller->organisation.is_operator)
    return error(403, "only admins of the server's first organisation can read its metrics");
  const auto all = organisations(service);
  if (!all) return error(call, all.error());
  Metrics::Moment moment;
  moment.connections = service.connections();
  for (const auto& one : *all) {
    auto local = service.tenants.local(one.id);
    if (!local) return error(call, local.error());
    if (const auto added = add_figures(*(*local)->store, moment); !added)
      return error(call, added.error());
  }
  Response out;
  out.type = "text/plain; version=0.0.4";
  out.body = service.metrics.text(moment);
  return out;
}

Response health(const Call&) { return json(R"({"status":"ok"})"); }

// Ready: it can look up keys and read stores.
Response readiness(const Call& call) {
  if (call.service.is_stopping) return error(503, "the server is stopping");
  const auto all = organisations(call.service);
  if (!all) return error(call, all.error());
  if (!all->empty()) {
    auto local = call.service.tenants.local(all->front().id);
    if (!local) return error(call, local.error());
    if (const auto depth = (*local)->store->queue().depth(); !depth)
      return error(call, depth.error());
  }
  return json(R"({"status":"ready"})");
}

}  // namespace

void get_models(Call&& call) { plainly<models_of>(std::move(call)); }
void get_version(Call&& call) { plainly<version_of>(std::move(call)); }
void get_openapi(Call&& call) { plainly<description>(std::move(call)); }
void get_metrics(Call&& call) { plainly<figures>(std::move(call)); }
void get_health(Call&& call) { plainly<health>(std::move(call)); }
void get_readiness(Call&& call) { plainly<readiness>(std::move(call)); }

}  // namespace vibe::server
