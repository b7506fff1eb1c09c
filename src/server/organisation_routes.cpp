// The organisation of a key, and redeeming invitations for keys.

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "server/body_schema.h"
#include "server/handlers.h"
#include "wire/json.h"

namespace vibe::server {

namespace {

void write_credits(base::JsonWriter& out, const store::Organisation& organisation) {
  out.key("credits").number(store::credits_left(organisation));
}

Response organisation_of(const Call& call) {
  const store::Organisation& organisation = call.caller->organisation;
  base::JsonWriter out;
  out.begin_object().key("name").string(organisation.name).key("slug").string(organisation.slug);
  out.key("status").string(store::status_of(organisation));
  write_credits(out, organisation);
  wire::write_time(out, "created_at", organisation.created_at);
  out.key("id").string(organisation.id);
  out.key("unlimited").boolean(!organisation.limits.credits);
  out.key("spent").number(organisation.spent);
  out.key("role").string(to_string(call.caller->key.role));
  return json(out.end_object().text());
}

Response redeemed(const Call& call, const Body& body) {
  auto directory = call.service.tenants.directory();
  if (!directory) return error(call, directory.error());
  const std::string code = *body.text("code");
  const auto found = app::redeem_invite(**directory, call.service.tenants.master_key(),
                                        base::trim(code), base::now_millis());
  if (!found) return error(call, found.error());
  base::JsonWriter out;
  out.begin_object().key("apiKey").string(found->key.text);
  out.key("org").begin_object().key("id").string(found->organisation.id);
  out.key("slug").string(found->organisation.slug).key("name").string(found->organisation.name);
  write_credits(out, found->organisation);
  return json(out.end_object().end_object().text());
}

}  // namespace

void get_organisation(Call&& call) { plainly<organisation_of>(std::move(call)); }
void redeem_invite(Call&& call) { with_body<redeemed>(std::move(call)); }

}  // namespace vibe::server
