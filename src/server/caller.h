// Who asks: the key of a request, and whose it is. Answers that wait look it up again: it may
// have been revoked or have expired meanwhile, or its organisation been suspended. Safe from any
// thread.
#pragma once

#include <optional>
#include <string_view>

#include "app/team/organisations.h"
#include "base/diagnostic.h"
#include "server/http.h"
#include "server/service.h"

namespace vibe::server {

// `X-API-KEY: K` or `Authorization: Bearer K`; empty: none.
std::string_view key_of(const Head& head);

// None where the key is not good.
base::Result<std::optional<app::Caller>> find_caller(Service& service, std::string_view key);

inline constexpr std::string_view kRefusedKey =
    "the key is not known, has expired or was revoked, or its organisation is suspended";
Response refused_key(std::string_view sentence = kRefusedKey);  // 401

}  // namespace vibe::server
