// Caller: the key of a request, and its organisation. Answers that wait check it again, because the
// key may be revoked or expire meanwhile, or its organisation may be suspended. Safe from any
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

// None if the key is not valid.
base::Result<std::optional<app::Caller>> find_caller(Service& service, std::string_view key);

inline constexpr std::string_view kRefusedKey =
    "the key is unknown, expired or revoked, or its organisation is suspended";
Response refused_key(std::string_view sentence = kRefusedKey);  // 401

}  // namespace vibe::server
