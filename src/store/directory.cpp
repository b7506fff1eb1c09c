#include "store/directory.h"

#include <cstdlib>

#include "score/score.h"

namespace vibe::store {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::none: return "unknown";
    case Role::read: return "read";
    case Role::run: return "run";
    case Role::admin: return "admin";
  }
  std::abort();
}

std::optional<Role> role(std::string_view name) {
  for (const Role one : {Role::read, Role::run, Role::admin})
    if (to_string(one) == name) return one;
  return std::nullopt;
}

double credits_left(const Organisation& organisation) {
  const auto& credits = organisation.limits.credits;
  if (!credits) return kEndlessCredits;
  const double left = *credits - organisation.spent;
  return left > score::kLeastDollars ? left : 0;
}

std::string_view status_of(const Organisation& organisation) {
  return organisation.is_active ? "active" : "suspended";
}

std::string_view status_of(const ApiKey& key, Millis now) {
  if (key.revoked_at) return "revoked";
  return key.expires_at && *key.expires_at <= now ? "expired" : "active";
}

std::string_view status_of(const Invite& invite, Millis now) {
  if (invite.used_at) return "used";
  return invite.expires_at <= now ? "expired" : "open";
}

}  // namespace vibe::store
