// The commands about your account on a server: `get org`, `redeem`.
#include "app/team/account.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/workspace.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "config/config.h"
#include "score/numbers.h"

namespace vibe::cli {

namespace {

std::string to_json(const app::Account& account) {
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_object().key("name").string(account.name).key("slug").string(account.slug);
  json.key("status").string(account.status).key("role").known(account.role);
  json.key("credits").known(account.credits).key("spent").number(account.spent);
  json.key("created_at");
  account.created_at ? json.string(base::iso_time(*account.created_at)) : json.null();
  return json.end_object().text() + "\n";
}

std::string to_text(const app::Account& account) {
  std::string out = fmt::format("Organisation: {} ({})\n", base::printable(account.name),
                                base::printable(account.slug));
  out += fmt::format("Status: {}\n", base::printable(account.status));
  if (!account.role.empty()) out += fmt::format("Your key: {}\n", base::printable(account.role));
  out += fmt::format("Credits: {}\nSpent: {}\n",
                     account.credits ? score::show_cost(*account.credits) + " left" : "unlimited",
                     score::show_cost(account.spent));
  if (account.created_at) out += fmt::format("Since: {}\n", base::iso_time(*account.created_at));
  return out;
}

struct NamedServer {
  std::shared_ptr<remote::Server> server;
  std::string home;  // the folder with its key
};

tl::expected<NamedServer, Exit> open_named_server(Terminal& terminal) {
  base::Diagnostics found;
  const auto config = config::load(found, terminal.overrides);
  auto server = config ? app::open_server(*config, found) : nullptr;
  if (!server) return tl::unexpected(fail(found, terminal));
  terminal.show(found);
  return NamedServer{std::move(server), config->home};
}

}  // namespace

Exit run_get_org(const Arguments& arguments, Terminal& terminal) {
  const auto named = open_named_server(terminal);
  if (!named) return named.error();
  const auto account = app::account(*named->server);
  if (!account) return fail(account.error(), terminal);
  terminal.out += arguments.has("--json") ? to_json(*account) : to_text(*account);
  return Exit::passed;
}

Exit run_redeem(const Arguments& arguments, Terminal& terminal) {
  const auto named = open_named_server(terminal);
  if (!named) return named.error();
  const auto joined =
      app::redeem(*named->server, named->home, arguments.positional[0], terminal.server_variable);
  if (!joined) return fail(joined.error(), terminal);
  if (joined->has_replaced)
    terminal.err += fmt::format("The key replaced the one in `{}`.\n", joined->file);
  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_object().key("organisation").string(joined->organisation);
    json.key("file").string(joined->file);
    json.key("server").string(joined->server).end_object();
    terminal.out += json.text() + "\n";
    return Exit::passed;
  }
  terminal.out += fmt::format("You have a key for {}. It is in `{}`, with the server's address{}\n",
                              base::printable(joined->organisation), joined->file,
                              joined->hidden_by.empty()
                                  ? fmt::format(":\ncommands use `{}` from now on.", joined->server)
                                  : ".");
  if (!joined->hidden_by.empty())
    terminal.out +=
        fmt::format("But your environment sets `{}`, which takes precedence.\n", joined->hidden_by);
  if (joined->is_hidden)
    terminal.out +=
        "But your environment has another `VIBECHECK_API_KEY`, which takes precedence.\n";
  return Exit::passed;
}

}  // namespace vibe::cli
