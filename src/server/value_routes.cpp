// Variables and secrets of suites. A secret's value goes in and never comes out.
#include <fmt/format.h>

#include "app/suites/values.h"
#include "base/json.h"
#include "report/kept.h"
#include "server/handlers.h"

namespace vibe::server {

using app::ValueKind;

namespace {

// `{success: true, name, created}`
Response was_set(std::string_view name, bool is_new) {
  base::JsonWriter out;
  out.begin_object().key("success").boolean(true).key("name").string(name);
  out.key("created").boolean(is_new).end_object();
  return json(out.text());
}

// A text of the body; null where there is none, which is then answered.
const std::string* text_in(const Call& call, const base::JsonValue& body, std::string_view key) {
  const base::JsonValue* found = body.find(key);
  if (found && found->text()) return found->text();
  call.reply->send(error(400, fmt::format("`{}` is missing, or no text", key)));
  return nullptr;
}

void set(const Call& call, ValueKind kind, std::string_view name, std::string_view value) {
  const auto local = open_store(call);
  if (!local) return;
  const auto is_new = app::set_value(local->variables(), kind, name, value);
  call.reply->send(is_new ? was_set(name, *is_new) : error(call, is_new.error()));
}

// `{name, value}` of a list, or `{value}` of one that the path names.
void set_from_body(const Call& call, ValueKind kind) {
  const auto body = read_object(call);
  if (!body) return;
  const std::string* name =
      call.parameters.empty() ? text_in(call, *body, "name") : &call.parameters[0];
  const std::string* value = name ? text_in(call, *body, "value") : nullptr;
  if (value) set(call, kind, *name, *value);
}

Response remove(const Call& call, app::Local& local, ValueKind kind) {
  const auto deleted = app::delete_value(local.variables(), kind, call.parameters[0]);
  return deleted ? json(R"({"success":true})") : error(call, deleted.error());
}

Response variables_of(const Call& call, app::Local& local) {
  const auto all = local.variables().list();
  return all ? json(report::variables_json(*all)) : error(call, all.error());
}

Response variable_of(const Call& call, app::Local& local) {
  const auto value = app::variable_value(local.variables(), call.parameters[0]);
  return value ? json(report::variable_json({call.parameters[0], *value}))
               : error(call, value.error());
}

Response secrets_of(const Call& call, app::Local& local) {
  const auto names = local.variables().secret_names();
  return names ? json(report::secrets_json(*names)) : error(call, names.error());
}

Response remove_variable(const Call& call, app::Local& local) {
  return remove(call, local, ValueKind::variable);
}
Response remove_secret(const Call& call, app::Local& local) {
  return remove(call, local, ValueKind::secret);
}

}  // namespace

void get_variables(Call&& call) { with_store<variables_of>(std::move(call)); }
void get_variable(Call&& call) { with_store<variable_of>(std::move(call)); }
void set_variable(Call&& call) { set_from_body(call, ValueKind::variable); }
void put_variable(Call&& call) { set_from_body(call, ValueKind::variable); }
void delete_variable(Call&& call) { with_store<remove_variable>(std::move(call)); }

void get_secrets(Call&& call) { with_store<secrets_of>(std::move(call)); }
void set_secret(Call&& call) { set_from_body(call, ValueKind::secret); }
void put_secret(Call&& call) { set_from_body(call, ValueKind::secret); }
void delete_secret(Call&& call) { with_store<remove_secret>(std::move(call)); }

}  // namespace vibe::server
