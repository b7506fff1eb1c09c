// The members of organisations, keys and invitations, by their columns, and those of organisations
// by their keys in JSON (base/shape.h). In the order of the JSON.
#pragma once

#include "base/shape.h"
#include "store/directory.h"

namespace vibe::store {

inline std::string_view organisation_status(const Organisation& organisation) {
  return status_of(organisation);
}
// `none` for the role of a newer program, or in a damaged file.
inline std::optional<Role> kept_role(std::string_view name) {
  return role(name).value_or(Role::none);
}

}  // namespace vibe::store

namespace vibe::base {

template <>
inline constexpr auto kReadName<store::Role> = &store::kept_role;

template <>
inline constexpr auto kRows<store::Organisation> = Rows{
    Row<&store::Organisation::id>{"id", "id", Wire::value, {}, Kept::text},
    Row<&store::Organisation::slug>{"slug", "slug", Wire::value, {}, Kept::text},
    Row<&store::Organisation::name>{"name", "name", Wire::value, {}, Kept::text},
    Row<&store::Organisation::is_active>{"is_active"},
    Derived<store::organisation_status>{"status"},
    Row<&store::Organisation::created_at>{"created_at", "created_at", Wire::time},
    Row<&store::Organisation::limits, &store::Limits::queued_runs>{"queued_runs", "max_queued"},
    Row<&store::Organisation::limits, &store::Limits::running_runs>{"running_runs", "max_running"},
    Row<&store::Organisation::limits, &store::Limits::runs_a_day>{"runs_a_day", "runs_per_day",
                                                                  Wire::known},
    Row<&store::Organisation::limits, &store::Limits::requests_a_minute>{"requests_a_minute",
                                                                         "requests_per_minute"},
    Row<&store::Organisation::limits, &store::Limits::credits>{"credits", "credits", Wire::known},
    Row<&store::Organisation::spent>{"spent", "spent"},
    Row<&store::Organisation::is_operator>{},  // follows from the folder
};
static_assert(has_row_for_each<store::Organisation>());

template <>
inline constexpr auto kRows<store::ApiKey> = Rows{
    Row<&store::ApiKey::id>{.column = "id", .kept = Kept::text},
    Row<&store::ApiKey::organisation>{.column = "organisation", .kept = Kept::text},
    Row<&store::ApiKey::role>{"role"},
    Row<&store::ApiKey::name>{.column = "name", .kept = Kept::text},
    Row<&store::ApiKey::hash>{.column = "hash", .kept = Kept::text},
    Row<&store::ApiKey::created_at>{"created_at"},
    Row<&store::ApiKey::expires_at>{"expires_at"},
    Row<&store::ApiKey::revoked_at>{"revoked_at"},
    Row<&store::ApiKey::last_used_at>{"last_used_at"},
};
static_assert(has_row_for_each<store::ApiKey>());

template <>
inline constexpr auto kRows<store::Invite> = Rows{
    Row<&store::Invite::id>{.column = "id", .kept = Kept::text},
    Row<&store::Invite::organisation>{.column = "organisation", .kept = Kept::text},
    Row<&store::Invite::role>{"role"},
    Row<&store::Invite::hash>{.column = "hash", .kept = Kept::text},
    Row<&store::Invite::created_at>{"created_at"},
    Row<&store::Invite::expires_at>{"expires_at"},
    Row<&store::Invite::used_at>{"used_at"},
};
static_assert(has_row_for_each<store::Invite>());

}  // namespace vibe::base
