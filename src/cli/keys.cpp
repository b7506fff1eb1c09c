// The commands about a server's organisations, keys and invitations.
#include <fmt/format.h>

#include "app/team/master_key.h"
#include "app/team/organisations.h"
#include "app/team/server_folder.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "report/organisations.h"
#include "wire/organisations.h"

namespace vibe::cli {

using app::FolderUse;
using base::Code;

namespace {

constexpr std::int64_t kMillisADay = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kMostDays = 3650, kInviteDays = 7;

// ---- options

// Whether the option removes its limit: `none`.
bool is_none(const Arguments& arguments, std::string_view option) {
  return arguments.get(option) == "none";
}

// Copies the given options to `limits`. False: none was given.
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
            name ? fmt::format("`--role`: unknown role `{}`", base::printable(*name))
                 : "`--role` is missing",
            "choose one of `read`, `run`, `admin`; each includes the rights of those before it");
  return role;
}

std::optional<store::Millis> read_expiry(const Arguments& arguments, store::Millis now,
                                         base::Diagnostics& out) {
  const auto days = integer(arguments, "--expires", out, 1, kMostDays);
  return days ? std::optional(now + *days * kMillisADay) : std::nullopt;
}

// ---- the server's folder

// The organisation of `--org`, which is optional if there is only one.
base::Result<store::Organisation> chosen_organisation(const Arguments& arguments,
                                                      store::Directory& directory) {
  if (const auto named = arguments.get("--org")) return app::find_organisation(directory, *named);
  VIBE_TRY(auto all, directory.organisations().list());
  if (all.size() == 1) return std::move(all.front());
  if (all.empty())
    return base::fail(Code::not_found, {}, "there is no organisation yet",
                      "run `vibe serve` or `vibe orgs create NAME` first");
  return base::fail(Code::bad_usage, {}, "`--org` is missing, and there are several organisations",
                    "write `--org SLUG`; `vibe orgs list` lists them");
}

// The organisation of `--org`, or all.
base::Result<std::vector<store::Organisation>> listed_organisations(const Arguments& arguments,
                                                                    store::Directory& directory) {
  const auto named = arguments.get("--org");
  if (!named) return directory.organisations().list();
  VIBE_TRY(auto one, app::find_organisation(directory, *named));
  return std::vector{std::move(one)};
}

Exit show_organisation(const Arguments& arguments, const store::Organisation& organisation,
                       std::string_view what, Terminal& terminal) {
  terminal.out += arguments.has("--json")
                      ? wire::organisation_json(organisation)
                      : fmt::format("Organisation {} {}.\n", organisation.slug, what);
  return Exit::passed;
}

// Lists what belongs to organisations: keys or invitations.
template <class Row, class Find, class Json, class Table>
Exit show_owned(const Arguments& arguments, const Find& find, std::string_view none,
                const Json& to_json, const Table& to_table, Terminal& terminal) {
  base::Diagnostics found;
  const auto folder = app::open_server_folder(FolderUse::read, found);
  if (!folder) return fail(found, terminal);
  const auto organisations = listed_organisations(arguments, *folder->directory);
  if (!organisations) return fail(organisations.error(), terminal);
  std::vector<Row> rows;
  for (const auto& organisation : *organisations) {
    auto all = find(folder->directory->keys(), organisation.id);
    if (!all) return fail(all.error(), terminal);
    for (auto& one : *all) rows.push_back({std::move(one), organisation.slug});
  }
  const store::Millis now = base::now_millis();
  return show_list(
      arguments, rows, none, [&](const auto& list) { return to_json(list, now); },
      [&](const auto& list) { return to_table(list, now, style_of(terminal)); }, terminal);
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
      fmt::format("created. `vibe keys create --org {} --role run` creates a key for it",
                  made->slug),
      terminal);
}

Exit run_orgs_list(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto folder = app::open_server_folder(FolderUse::read, found);
  if (!folder) return fail(found, terminal);
  const auto all = folder->directory->organisations().list();
  if (!all) return fail(all.error(), terminal);
  return show_list(
      arguments, *all, "There are no organisations yet. `vibe orgs create NAME` creates one.\n",
      wire::organisations_json,
      [&](const auto& list) { return report::organisation_table(list, style_of(terminal)); },
      terminal);
}

Exit run_orgs_set(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  store::Limits ignored;
  const bool suspends = arguments.has("--suspend"), activates = arguments.has("--activate");
  if (!read_limits(arguments, ignored, found) && !suspends && !activates)
    found.add(Code::bad_usage, {}, "there is nothing to set",
              "`vibe orgs set --help` lists the limits, for example `--max-running 8`");
  if (suspends && activates)
    found.add(Code::bad_usage, {}, "`--suspend` and `--activate` cannot be combined");
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
    terminal.out += wire::new_key_json({made->key, organisation->slug}, made->text, now);
    return Exit::passed;
  }
  terminal.out += made->text + "\n";
  terminal.err += fmt::format(
      "The key is shown only once: keep it safe. Its role is `{}`, its organisation "
      "{}.\n`vibe keys revoke {}` revokes it.\n",
      store::to_string(*role), organisation->slug, made->key.id);
  return Exit::passed;
}

Exit run_keys_list(const Arguments& arguments, Terminal& terminal) {
  return show_owned<wire::KeyRow>(
      arguments, [](store::Keys& keys, std::string_view of) { return keys.list(of); },
      "There are no keys yet. `vibe keys create --org SLUG --role run` creates one.\n",
      wire::keys_json, report::key_table, terminal);
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
    terminal.out += wire::new_invite_json({made->invite, organisation->slug}, made->code, now);
    return Exit::passed;
  }
  terminal.out += made->code + "\n";
  terminal.err += fmt::format(
      "The code is shown only once. Before {}, `vibe redeem CODE` turns it into a key,\nonce, "
      "with the role `{}` in organisation {}.\n",
      base::iso_time(expires_at).substr(0, 16), store::to_string(*role), organisation->slug);
  return Exit::passed;
}

Exit run_invites_list(const Arguments& arguments, Terminal& terminal) {
  return show_owned<wire::InviteRow>(
      arguments, [](store::Keys& keys, std::string_view of) { return keys.list_invites(of); },
      "There are no invitations yet. `vibe invites create --org SLUG --role run` creates one.\n",
      wire::invites_json, report::invite_table, terminal);
}

}  // namespace vibe::cli
