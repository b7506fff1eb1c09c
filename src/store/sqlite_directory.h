// What sqlite.h opens in the file of a server, `FOLDER/server.db`, besides the directory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "store/accounts.h"

namespace vibe::store {

base::Result<std::unique_ptr<Accounts>> open_accounts(const std::string& folder);

// Where the store of an organisation is, below `folder`; empty: `folder` itself. None: there is no
// such organisation.
base::Result<std::optional<std::string>> organisation_folder(const std::string& folder,
                                                             std::string_view organisation);

}  // namespace vibe::store
