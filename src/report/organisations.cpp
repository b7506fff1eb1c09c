#include "report/organisations.h"

#include "base/text.h"
#include "base/time.h"
#include "report/table.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

std::string day(store::Millis time) { return base::iso_time(time).substr(0, 10); }

}  // namespace

std::string organisation_table(std::span<const store::Organisation> organisations,
                               const TextStyle& style) {
  Table table({{"Slug", Align::left, 8},
               {"Name", Align::left, 8},
               {"Status", Align::left, 0},
               {"Queued", Align::right, 0},
               {"Running", Align::right, 0},
               {"Runs/day", Align::right, 0},
               {"Requests/min", Align::right, 0},
               {"Credits", Align::right, 0},
               {"Spent", Align::right, 0}});
  for (const auto& one : organisations) {
    const store::Limits& limits = one.limits;
    table.add({one.slug, base::printable(one.name), std::string(store::status_of(one)),
               std::to_string(limits.queued_runs), std::to_string(limits.running_runs),
               limits.runs_a_day ? std::to_string(*limits.runs_a_day) : "any",
               std::to_string(limits.requests_a_minute),
               limits.credits ? score::show_cost(*limits.credits) : "any",
               score::show_cost(one.spent)});
  }
  return table.to_text(style.width);
}

std::string key_table(std::span<const wire::KeyRow> keys, store::Millis now,
                      const TextStyle& style) {
  Table table({{"Id", Align::left, 0},
               {"Organisation", Align::left, 8},
               {"Role", Align::left, 0},
               {"Status", Align::left, 0},
               {"Created", Align::left, 0},
               {"Expires", Align::left, 0},
               {"Last used", Align::left, 0},
               {"Name", Align::left, 8}});
  for (const auto& [key, slug] : keys)
    table.add({key.id, slug, std::string(store::to_string(key.role)),
               std::string(store::status_of(key, now)), day(key.created_at),
               key.expires_at ? day(*key.expires_at) : "never",
               key.last_used_at ? ago(*key.last_used_at, now) : "never",
               base::printable(key.name)});
  return table.to_text(style.width);
}

std::string invite_table(std::span<const wire::InviteRow> invites, store::Millis now,
                         const TextStyle& style) {
  Table table({{"Id", Align::left, 0},
               {"Organisation", Align::left, 8},
               {"Role", Align::left, 0},
               {"Status", Align::left, 0},
               {"Created", Align::left, 0},
               {"Expires", Align::left, 0},
               {"Used", Align::left, 0}});
  for (const auto& [invite, slug] : invites)
    table.add({invite.id, slug, std::string(store::to_string(invite.role)),
               std::string(store::status_of(invite, now)), day(invite.created_at),
               day(invite.expires_at), invite.used_at ? ago(*invite.used_at, now) : "never"});
  return table.to_text(style.width);
}

}  // namespace vibe::report
