// Saving, listing and showing suites, and checking formulas without a run.
#include <cstdint>

#include "app/suites/check_formula.h"
#include "app/suites/suites.h"
#include "app/team/sent_suite.h"
#include "base/json.h"
#include "base/text.h"
#include "server/body_schema.h"
#include "server/handlers.h"
#include "wire/kept.h"

namespace vibe::server {

namespace {

using base::Code;
using base::JsonValue;

Response suite_of(const Call& call, app::Local& local) {
  const std::string& name = call.parameters[0];
  if (call.query("history") == "1") {
    const auto versions = app::suite_versions(local.suites(), name);
    return versions ? json(wire::versions_json(*versions)) : error(call, versions.error());
  }
  std::optional<std::uint32_t> version;
  if (const auto text = call.query("version")) {
    const auto number = base::parse_integer(*text);
    if (!number || *number < 1 || *number > UINT32_MAX)
      return error(400, "`version` must be a whole number, 1 or more");
    version = static_cast<std::uint32_t>(*number);
  }
  const auto suite = app::find_suite(local.suites(), name, version);
  return suite ? json(wire::suite_json(*suite)) : error(call, suite.error());
}

Response suites_of(const Call& call, app::Local& local) {
  const auto suites = local.suites().list();
  return suites ? json(wire::suites_json(*suites)) : error(call, suites.error());
}

Response saved(const Call& call, app::Local& local, const Body& body) {
  base::Diagnostics found;
  const auto sent = read_suite(body, local, found);
  if (!sent || !app::permit_sent(*sent, local, found)) return error(call, found);
  const auto kept = app::keep_suite(
      local.suites(), {.name = sent->name(),
                       .text = std::string(sent->text()),
                       .path = {},
                       .evals = static_cast<std::uint32_t>(sent->loaded.suite->evals.size()),
                       .last_run_at = {}});
  if (!kept) return error(call, kept.error());
  base::JsonWriter out;
  out.begin_object().key("success").boolean(true).key("name").string(kept->suite.name);
  out.key("isUpdate").boolean(!kept->is_new).key("changed").boolean(kept->changed);
  out.key("version").integer(kept->suite.version).key("warnings").begin_array();
  for (const auto& one : found.all()) base::write_json(out, one);
  return json(out.end_array().end_object().text());
}

void write_range(base::JsonWriter& out, const formula::Interval& range) {
  out.begin_object();  // an infinite bound is null
  out.key("low").number(range.low).key("high").number(range.high);
  out.key("undefined")
      .string(range.defined == formula::Defined::always    ? "never"
              : range.defined == formula::Defined::perhaps ? "perhaps"
                                                           : "always");
  out.end_object();
}

Response checked(const app::CheckedFormula& found) {
  base::JsonWriter out;
  out.begin_object().key("valid").boolean(found.program.has_value());
  out.key("diagnostics").begin_array();
  for (const auto& one : found.diagnostics.all()) base::write_json(out, one);
  out.end_array().key("variables").begin_array();
  if (found.program)
    for (const auto& input : found.program->inputs) out.string(input.name);
  out.end_array().key("range");
  found.program ? write_range(out, found.program->score().range) : void(out.null());
  out.key("metrics").begin_array();
  if (found.program)
    for (const auto& one : found.program->formulas) {
      if (one.name.empty()) continue;
      out.begin_object().key("name").string(one.name).key("formula").string(one.text).key("range");
      write_range(out, one.range);
      out.end_object();
    }
  return json(out.end_array().end_object().text());
}

void require_formula(const Body& body, base::Diagnostics& out) {
  if (!body.has("formula") && !body.has("yamlContent"))
    out.add(Code::bad_usage, {}, "`formula` or `yamlContent` is missing");
}

Response check_sent(const Call&, const Body& body) {
  const auto formula = body.text("formula"), yaml = body.text("yamlContent");
  if (yaml) return checked(app::check_formula(formula, *yaml));
  return checked(app::check_formula({.formula = *formula, .suite = {}}));
}

}  // namespace

std::optional<app::SentSuite> read_suite(const Body& body, const app::Local& local,
                                         base::Diagnostics& out) {
  const JsonValue* sent = body.find("evalSuite");
  return app::read_sent_suite(sent ? *sent : JsonValue(), body.text("yamlContent"), local, out);
}

void require_suite(const Body& body, base::Diagnostics& out) {
  if (!body.has("evalSuite") && !body.has("yamlContent"))
    out.add(Code::bad_usage, {}, "`evalSuite` is missing",
            "send the suite as `evalSuite`, or its text as `yamlContent`");
}

void get_suite(Call&& call) { with_store<suite_of>(std::move(call)); }
void get_suites(Call&& call) { with_store<suites_of>(std::move(call)); }
void save_suite(Call&& call) { with_body<saved, require_suite>(std::move(call)); }
void check_formula(Call&& call) { with_body<check_sent, require_formula>(std::move(call)); }

}  // namespace vibe::server
