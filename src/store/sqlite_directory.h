// What sqlite.h opens in a server's file, `FOLDER/server.db`, in addition to the directory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "store/accounts.h"

namespace vibe::store {

base::Result<std::unique_ptr<Accounts>> open_accounts(const std::string& folder);

// The folder of an organisation's store, below `folder`; empty: `folder` itself. None: there is no
// such organisation.
base::Result<std::optional<std::string>> organisation_folder(const std::string& folder,
                                                             std::string_view organisation);

}  // namespace vibe::store
