// Organisations of a server, their keys and invitations, as people read them. Hashes are not shown.
// Pure.
#pragma once

#include <span>
#include <string>

#include "report/run.h"
#include "wire/organisations.h"

namespace vibe::report {

std::string organisation_table(std::span<const store::Organisation> organisations,
                               const TextStyle& style);
std::string key_table(std::span<const wire::KeyRow> keys, store::Millis now,
                      const TextStyle& style);
std::string invite_table(std::span<const wire::InviteRow> invites, store::Millis now,
                         const TextStyle& style);

}  // namespace vibe::report
