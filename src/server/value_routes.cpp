// Variables and secrets for suites. A secret's value goes in and never comes out.
#include "app/suites/values.h"
#include "base/json.h"
#include "server/body_schema.h"
#include "server/handlers.h"
#include "wire/kept.h"

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

Response set(const Call& call, app::Local& local, ValueKind kind, std::string_view name,
             const Body& body) {
  const auto is_new = app::set_value(local.variables(), kind, name, *body.text("value"));
  return is_new ? was_set(name, *is_new) : error(call, is_new.error());
}

// The body is `{name, value}` for a list, or `{value}` if the path has the name.
template <ValueKind Kind>
Response set_named(const Call& call, app::Local& local, const Body& body) {
  return set(call, local, Kind, *body.text("name"), body);
}
template <ValueKind Kind>
Response set_one(const Call& call, app::Local& local, const Body& body) {
  return set(call, local, Kind, call.parameters[0], body);
}

Response remove(const Call& call, app::Local& local, ValueKind kind) {
  const auto deleted = app::delete_value(local.variables(), kind, call.parameters[0]);
  return deleted ? json(R"({"success":true})") : error(call, deleted.error());
}

Response variables_of(const Call& call, app::Local& local) {
  const auto all = local.variables().list();
  return all ? json(wire::variables_json(*all)) : error(call, all.error());
}

Response variable_of(const Call& call, app::Local& local) {
  const auto value = app::variable_value(local.variables(), call.parameters[0]);
  return value ? json(wire::variable_json({call.parameters[0], *value}))
               : error(call, value.error());
}

Response secrets_of(const Call& call, app::Local& local) {
  const auto names = local.variables().secret_names();
  return names ? json(wire::secrets_json(*names)) : error(call, names.error());
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
void set_variable(Call&& call) { with_body<set_named<ValueKind::variable>>(std::move(call)); }
void put_variable(Call&& call) { with_body<set_one<ValueKind::variable>>(std::move(call)); }
void delete_variable(Call&& call) { with_store<remove_variable>(std::move(call)); }

void get_secrets(Call&& call) { with_store<secrets_of>(std::move(call)); }
void set_secret(Call&& call) { with_body<set_named<ValueKind::secret>>(std::move(call)); }
void put_secret(Call&& call) { with_body<set_one<ValueKind::secret>>(std::move(call)); }
void delete_secret(Call&& call) { with_store<remove_secret>(std::move(call)); }

}  // namespace vibe::server
