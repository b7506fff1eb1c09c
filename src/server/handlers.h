// Handlers: the functions that answer the routes in routes.cpp, one file per topic.
#pragma once

#include <optional>
#include <string_view>

#include "app/team/sent_suite.h"
#include "server/route.h"

namespace vibe::server {

// run_routes.cpp, status_routes.cpp, event_routes.cpp
void start_run(Call&& call);
void get_status(Call&& call);
void get_runs(Call&& call);
void get_run(Call&& call);
void get_run_figures(Call&& call);
void cancel_run(Call&& call);
void get_events(Call&& call);

// compare_routes.cpp
void get_comparison(Call&& call);

// rescore_routes.cpp
void rescore_runs(Call&& call);

// suite_routes.cpp
void get_suite(Call&& call);
void get_suites(Call&& call);
void save_suite(Call&& call);
// The suite of a body `{evalSuite?, yamlContent?}`, which must have one of them.
std::optional<app::SentSuite> read_suite(const Body& body, const app::Local& local,
                                         base::Diagnostics& out);
void require_suite(const Body& body, base::Diagnostics& out);
void check_formula(Call&& call);

// value_routes.cpp
void get_variables(Call&& call);
void set_variable(Call&& call);
void get_variable(Call&& call);
void put_variable(Call&& call);
void delete_variable(Call&& call);
void get_secrets(Call&& call);
void set_secret(Call&& call);
void put_secret(Call&& call);
void delete_secret(Call&& call);

// organisation_routes.cpp
void get_organisation(Call&& call);
void redeem_invite(Call&& call);

// execution_routes.cpp
void add_executions(Call&& call);
void get_executions(Call&& call);
void get_execution(Call&& call);
void get_agent_fitness(Call&& call);
void add_decision(Call&& call);
void get_decisions(Call&& call);

// operation_routes.cpp
void get_models(Call&& call);
void get_version(Call&& call);
void get_openapi(Call&& call);
void get_metrics(Call&& call);
void get_health(Call&& call);
void get_readiness(Call&& call);

}  // namespace vibe::server
