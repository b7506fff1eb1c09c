// Directory: who may use a server: organisations, their keys and invitations. The data of an
// organisation is in its own Store (backend.h). Every call is all or nothing. A Directory belongs
// to one thread; several, in one process or in many, may use the same data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "score/run.h"

namespace vibe::store {

using score::Millis;

// What a key may do. Each role includes the rights of those before it; `none` is a role that this
// program does not know, and allows nothing.
enum class Role : std::uint8_t { none, read, run, admin };
std::string_view to_string(Role role);
std::optional<Role> role(std::string_view name);

struct Limits {
  std::int64_t queued_runs = 100;          // waiting at a time
  std::int64_t running_runs = 4;           // at a time
  std::optional<std::int64_t> runs_a_day;  // started within 24 hours; none: unlimited
  std::int64_t requests_a_minute = 600;    // per key
  std::optional<double> credits;           // US dollars, total; none: unlimited

  bool operator==(const Limits&) const = default;
};

struct Organisation {
  std::string id;          // UUID, version 7
  std::string slug, name;  // a slug has lower-case letters, digits and hyphens, and is unique
  bool is_active = true;
  Millis created_at = 0;
  Limits limits;
  double spent = 0;  // US dollars, for all its runs
  // The first organisation: its admins may also see data about the whole server.
  bool is_operator = false;
};

// The remaining credits in US dollars, at least 0. Unlimited credits are shown as this number, for
// programs that expect one.
inline constexpr double kEndlessCredits = 999'999'999;
double credits_left(const Organisation& organisation);
std::string_view status_of(const Organisation& organisation);  // `active` or `suspended`

// A stored key. Only its owner knows the text itself.
struct ApiKey {
  std::string id;            // public: the first part of the key's text
  std::string organisation;  // its id
  Role role = Role::read;
  std::string name;  // what it is for; may be empty
  std::string hash;  // keyed hash of the text
  Millis created_at = 0;
  std::optional<Millis> expires_at, revoked_at, last_used_at;
};

struct Invite {
  std::string id;  // like a key's
  std::string organisation;
  Role role = Role::run;  // role of the key it gives
  std::string hash;       // keyed hash of the code
  Millis created_at = 0, expires_at = 0;
  std::optional<Millis> used_at;
};

std::string_view status_of(const ApiKey& key, Millis now);     // `active`, `revoked`, `expired`
std::string_view status_of(const Invite& invite, Millis now);  // `open`, `used`, `expired`

class Organisations {
 public:
  virtual ~Organisations() = default;
  // The first organisation is always the operator's. Code::conflict: the slug is taken.
  virtual base::Result<Organisation> add(const Organisation& organisation) = 0;
  // If there is no organisation yet, adds the first with a key, both or neither. False: there is
  // one.
  virtual base::Result<bool> begin(const Organisation& organisation, const ApiKey& key) = 0;
  // Updates the name, the limits and whether it is active.
  virtual base::Result<void> update(const Organisation& organisation) = 0;
  virtual base::Result<std::optional<Organisation>> find(std::string_view id_or_slug) = 0;
  virtual base::Result<std::vector<Organisation>> list() = 0;  // oldest first
};

class Keys {
 public:
  virtual ~Keys() = default;
  virtual base::Result<void> add(const ApiKey& key) = 0;
  virtual base::Result<std::optional<ApiKey>> find(std::string_view id) = 0;
  // The keys of an organisation, by its id; oldest first.
  virtual base::Result<std::vector<ApiKey>> list(std::string_view organisation) = 0;
  virtual base::Result<bool> revoke(std::string_view id, Millis now) = 0;  // false: no such key
  virtual base::Result<void> note_use(std::string_view id, Millis now) = 0;

  virtual base::Result<void> add_invite(const Invite& invite) = 0;
  virtual base::Result<std::optional<Invite>> find_invite(std::string_view id) = 0;
  virtual base::Result<std::vector<Invite>> list_invites(std::string_view organisation) = 0;
  // Marks it as used and adds the key, both or neither. False: it was already used.
  virtual base::Result<bool> use_invite(std::string_view id, const ApiKey& key, Millis now) = 0;
};

class Directory {
 public:
  virtual ~Directory() = default;
  virtual Organisations& organisations() = 0;
  virtual Keys& keys() = 0;
  // Identifies the master key that made the hashes; empty: none yet.
  virtual base::Result<std::string> key_mark() = 0;
  // Stores it if there is none. Returns the stored one.
  virtual base::Result<std::string> keep_key_mark(std::string_view mark) = 0;
};

}  // namespace vibe::store
