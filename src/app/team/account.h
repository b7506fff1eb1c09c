// Account: the organisation of a key on a server, and redeeming an invitation for a key.
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

// The key's organisation, as the server reports it.
struct Account {
  std::string name, slug, status, role;
  std::optional<double> credits;  // US dollars left; none: unlimited
  double spent = 0;
  std::optional<score::Millis> created_at;
};
base::Result<Account> account(remote::Server& server);

struct Joined {
  std::string organisation;   // its name
  std::string file;           // has the key and the server's address now
  std::string server;         // the address
  bool has_replaced = false;  // another key was in that file
  bool is_hidden = false;     // the environment has another key
  std::string hidden_by;      // the environment variable with another address; or empty
};
// Redeems an invitation for a key, and stores it in `HOME/.env`, which others may not read, with
// the server's address: a client with only the key might send it elsewhere. The rest of that file
// is unchanged. If that file cannot be written, nothing is sent. `variable`: the environment
// variable that names a server, and its value; empty: none. Code::not_found, Code::cannot_write
base::Result<Joined> redeem(remote::Server& server, const std::string& home, std::string_view code,
                            const std::pair<std::string, std::string>& variable);

}  // namespace vibe::app
