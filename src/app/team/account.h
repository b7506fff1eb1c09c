// Account: whose key it is on a server, and how an invitation becomes a key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.h"
#include "score/run.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

// The organisation of the key, as the server tells it.
struct Account {
  std::string name, slug, status, role;
  std::optional<double> credits;  // US dollars that are left; none: any sum
  double spent = 0;
  std::optional<score::Millis> created_at;
};
base::Result<Account> account(remote::Server& server);

struct Joined {
  std::string organisation;   // its name
  std::string file;           // where the key and the address of the server are now
  std::string server;         // the address
  bool has_replaced = false;  // another key that was in that file
  bool is_hidden = false;     // by another one, which is in the environment
  std::string hidden_by;      // the variable of the environment with another address; or empty
};
// Asks the server for the key of an invitation, and keeps it in `HOME/.env`, which others may not
// read, with the address of the server: a client that has the key alone might send it elsewhere.
// What else is in that file stays. Nothing is asked where that file cannot be written. `variable`:
// by which the user's environment names a server, and its value; empty: it names none.
// Code::not_found, Code::cannot_write
base::Result<Joined> redeem(remote::Server& server, const std::string& home, std::string_view code,
                            const std::pair<std::string, std::string>& variable);

}  // namespace vibe::app
