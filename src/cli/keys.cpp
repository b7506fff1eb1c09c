// Organisations, keys and invitations of a server.
#include <fmt/format.h>

#include "app/team/master_key.h"
#include "app/team/organisations.h"
#include "app/team/server_folder.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "report/organisations.h"

namespace vibe::cli {

using app::FolderUse;
using base::Code;

namespace {

constexpr std::int64_t kMillisADay = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kMostDays = 3650, kInviteDays = 7;

// ---- options

// A limit that can be taken away: `none`.
bool is_none(const Arguments& arguments, std::string_view option) {
  return arguments.get(option) == "none";
}

// Those that are given go to `limits`. False: none is.
bool read_limits(const Arguments& arguments, store::Limits& limits, base::Diagnostics& out) {
  constexpr std::int64_t kMost = 1'000'000;
  constexpr double kMostCredits = store::kEndlessCredits;
  const auto queued = integer(arguments, "--max-queued", out, 0, kMost);
  const auto running = integer(arguments, "--max-running", out, 0, kMost);
  const auto requests = integer(arguments, "--requests-per-minute", out, 1, kMost);
  limits.queued_runs = queued.value_or(limits.queued_runs);
  limits.running_runs = running.value_or(limits.running_runs);
  limits.requests_a_minute = requests.value_or(limits.requests_a_minute);
  if (is_none(arguments, "--runs-per-day"))
    limits.runs_a_day.reset();
  else if (const auto runs = integer(arguments, "--runs-per-day", out, 0, kMost))
    limits.runs_a_day = runs;
  if (is_none(arguments, "--credits"))
    limits.credits.reset();
  else if (const auto credits = number(arguments, "--credits", out, 0, kMostCredits))
    limits.credits = credits;
  for (const auto option :
       {"--max-queued", "--max-running", "--requests-per-minute", "--runs-per-day", "--credits"})
    if (arguments.has(option)) return true;
  return false;
}

std::optional<store::Role> read_role(const Arguments& arguments, base::Diagnostics& out) {
  const auto name = arguments.get("--role");
  const auto role = name ? store::role(*name) : std::nullopt;
  if (!role)
    out.add(Code::bad_usage, {},
            name ? fmt::format("`--role`: there is no role `{}`", base::printable(*name))
                 : "`--role` is missing",
            "choose one of `read`, `run`, `admin`; each may do what those before it may");
  return role;
}

std::optional<store::Millis> read_expiry(const Arguments& arguments, store::Millis now,
                                         base::Diagnostics& out) {
  const auto days = integer(arguments, "--expires", out, 1, kMostDays);
  return days ? std::optional(now + *days * kMillisADay) : std::nullopt;
}

// ---- the folder of the server

// The organisation of `--org`, which may be left out where there is one alone.
base::Result<store::Organisation> chosen_organisation(const Arguments& arguments,
                                                      store::Directory& directory) {
  if (const auto named = arguments.get("--org")) return app::find_organisation(directory, *named);
  auto all = directory.organisations().list();
  if (!all) return tl::unexpected(std::move(all.error()));
  if (all->size() == 1) return std::move(all->front());
  if (all->empty())
    return base::fail(Code::not_found, {}, "there is no organisation yet",
                      "run `vibe serve` or `vibe orgs create NAME` first");
  return base::fail(Code::bad_usage, {}, "`--org` is missing, and there are several organisations",
                    "write `--org SLUG`; `vibe orgs list` lists them");
}

// That of `--org`, or all.
base::Result<std::vector<store::Organisation>> listed_organisations(const Arguments& arguments,
                                                                    store::Directory& directory) {
  const auto named = arguments.get("--org");
  if (!named) return directory.organisations().list();
  auto one = app::find_organisation(directory, *named);
  if (!one) return tl::unexpected(std::move(one.error()));
  return std::vector{*std::move(one)};
}

Exit show_organisation(const Arguments& arguments, const store::Organisation& organisation,
                       std::string_view what, Terminal& terminal) {
  terminal.out += arguments.has("--json")
                      ? report::organisation_json(organisation)
                      : fmt::format("Organisation {} {}.\n", organisation.slug, what);
  return Exit::passed;
}

}  // namespace

// ---- organisations

Exit run_orgs_create(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  store::Limits limits;
  read_limits(arguments, limits, found);
  const auto slug = arguments.get("--slug");
  if (slug && slug->empty()) found.add(Code::bad_usage, {}, "`--slug` cannot be empty");
  if (found.failed()) return fail(found, terminal);
  const auto folder = app::open_server_folder(FolderUse::make, found);
  if (!folder) return fail(found, terminal);
  const auto made = app::create_organisation(*folder->directory, arguments.positional[0],
                                             slug.value_or(""), limits, base::now_millis());
  if (!made) return fail(made.error(), terminal);
  return show_organisation(
      arguments, *made,
      fmt::format("created. `vibe keys create --org {} --role run` makes a key for it", made->slug),
      terminal);
}

Exit run_orgs_list(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto folder = app::open_server_folder(FolderUse::read, found);
  if (!folder) return fail(found, terminal);
  const auto all = folder->directory->organisations().list();
  if (!all) return fail(all.error(), terminal);
  if (arguments.has("--json"))
    terminal.out += report::organisations_json(*all);
  else if (all->empty())
    terminal.out += "There are no organisations yet. `vibe orgs create NAME` makes one.\n";
  else
    terminal.out += report::organisation_table(*all, style_of(terminal));
  return Exit::passed;
}

Exit run_orgs_set(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  store::Limits ignored;
  const bool suspends = arguments.has("--suspend"), activates = arguments.has("--activate");
  if (!read_limits(arguments, ignored, found) && !suspends && !activates)
    found.add(Code::bad_usage, {}, "there is nothing to be set",
              "`vibe orgs set --help` lists what can be, such as `--max-running 8`");
  if (suspends && activates)
    found.add(Code::bad_usage, {}, "`--suspend` and `--activate` exclude each other");
  if (found.failed()) return fail(found, terminal);
  const auto folder = app::open_server_folder(FolderUse::change, found);
  if (!folder) return fail(found, terminal);
  auto organisation = app::find_organisation(*folder->directory, arguments.positional[0]);
  if (!organisation) return fail(organisation.error(), terminal);
  read_limits(arguments, organisation->limits, found);
  if (suspends || activates) organisation->is_active = activates;
  if (const auto updated = folder->directory->organisations().update(*organisation); !updated)
    return fail(updated.error(), terminal);
  return show_organisation(arguments, *organisation,
                           suspends    ? "suspended: its keys are refused from now on"
                           : activates ? "activated"
                                       : "changed",
                           terminal);
}

// ---- keys

Exit run_keys_create(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const store::Millis now = base::now_millis();
  const auto role = read_role(arguments, found);
  const auto expires_at = read_expiry(arguments, now, found);
  if (found.failed()) return fail(found, terminal);
  const auto folder = app::open_server_folder(FolderUse::change, found);
  if (!folder) return fail(found, terminal);
  const auto organisation = chosen_organisation(arguments, *folder->directory);
  if (!organisation) return fail(organisation.error(), terminal);
  const auto master = app::open_master_key(folder->home, *folder->directory);
  if (!master) return fail(master.error(), terminal);
  const auto made = app::create_key(*folder->directory, *master, *organisation, *role,
                                    arguments.get("--name").value_or(""), expires_at, now);
  if (!made) return fail(made.error(), terminal);
  if (arguments.has("--json")) {
    terminal.out += report::new_key_json({made->key, organisation->slug}, made->text, now);
    return Exit::passed;
  }
  terminal.out += made->text + "\n";
  terminal.err += fmt::format(
      "This is the only time that the key is shown: keep it safe. Its role is `{}`, its "
      "organisation\n{}; `vibe keys revoke {}` ends it.\n",
      store::to_string(*role), organisation->slug, made->key.id);
  return Exit::passed;
}

Exit run_keys_list(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto folder = app::open_server_folder(FolderUse::read, found);
  if (!folder) return fail(found, terminal);
  const auto organisations = listed_organisations(arguments, *folder->directory);
  if (!organisations) return fail(organisations.error(), terminal);
  std::vector<report::KeyRow> rows;
  for (const auto& organisation : *organisations) {
    auto keys = folder->directory->keys().list(organisation.id);
    if (!keys) return fail(keys.error(), terminal);
    for (auto& key : *keys) rows.push_back({std::move(key), organisation.slug});
  }
  const store::Millis now = base::now_millis();
  if (arguments.has("--json"))
    terminal.out += report::keys_json(rows, now);
  else if (rows.empty())
    terminal.out += "There are no keys yet. `vibe keys create --org SLUG --role run` makes one.\n";
  else
    terminal.out += report::key_table(rows, now, style_of(terminal));
  return Exit::passed;
}

Exit run_keys_revoke(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto folder = app::open_server_folder(FolderUse::change, found);
  if (!folder) return fail(found, terminal);
  const std::string& id = arguments.positional[0];
  const auto revoked = app::revoke_key(*folder->directory, id, base::now_millis());
  if (!revoked) return fail(revoked.error(), terminal);
  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_object().key("id").string(id).key("revoked").boolean(true).end_object();
    terminal.out += json.text() + "\n";
  } else {
    terminal.out += fmt::format("Key {} revoked: it is refused from now on.\n", id);
  }
  return Exit::passed;
}

// ---- invitations

Exit run_invites_create(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const store::Millis now = base::now_millis();
  const auto role = read_role(arguments, found);
  const auto expires_at =
      read_expiry(arguments, now, found).value_or(now + kInviteDays * kMillisADay);
  if (found.failed()) return fail(found, terminal);
  const auto folder = app::open_server_folder(FolderUse::change, found);
  if (!folder) return fail(found, terminal);
  const auto organisation = chosen_organisation(arguments, *folder->directory);
  if (!organisation) return fail(organisation.error(), terminal);
  const auto master = app::open_master_key(folder->home, *folder->directory);
  if (!master) return fail(master.error(), terminal);
  const auto made =
      app::create_invite(*folder->directory, *master, *organisation, *role, expires_at, now);
  if (!made) return fail(made.error(), terminal);
  if (arguments.has("--json")) {
    terminal.out += report::new_invite_json({made->invite, organisation->slug}, made->code, now);
    return Exit::passed;
  }
  terminal.out += made->code + "\n";
  terminal.err += fmt::format(
      "This is the only time that the code is shown. `vibe redeem CODE` turns it, once and before "
      "{},\ninto a key of role `{}` of organisation {}.\n",
      base::iso_time(expires_at).substr(0, 16), store::to_string(*role), organisation->slug);
  return Exit::passed;
}

Exit run_invites_list(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto folder = app::open_server_folder(FolderUse::read, found);
  if (!folder) return fail(found, terminal);
  const auto organisations = listed_organisations(arguments, *folder->directory);
  if (!organisations) return fail(organisations.error(), terminal);
  std::vector<report::InviteRow> rows;
  for (const auto& organisation : *organisations) {
    auto invites = folder->directory->keys().list_invites(organisation.id);
    if (!invites) return fail(invites.error(), terminal);
    for (auto& invite : *invites) rows.push_back({std::move(invite), organisation.slug});
  }
  const store::Millis now = base::now_millis();
  if (arguments.has("--json"))
    terminal.out += report::invites_json(rows, now);
  else if (rows.empty())
    terminal.out +=
        "There are no invitations yet. `vibe invites create --org SLUG --role run` makes one.\n";
  else
    terminal.out += report::invite_table(rows, now, style_of(terminal));
  return Exit::passed;
}

}  // namespace vibe::cli
