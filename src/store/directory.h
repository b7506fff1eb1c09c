// Directory: who may use a server: organisations, their keys and invitations. What is kept of an
// organisation is in a Store of its own (backend.h). Every call is all or nothing. A Directory
// belongs to one thread; several, in one process or in many, may work on the same data.
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

// What a key may do. Each may do what those before it may; `none` is a role that this program does
// not know, which admits nothing.
enum class Role : std::uint8_t { none, read, run, admin };
std::string_view to_string(Role role);
std::optional<Role> role(std::string_view name);

struct Limits {
  std::int64_t queued_runs = 100;          // that wait at a time
  std::int64_t running_runs = 4;           // at a time
  std::optional<std::int64_t> runs_a_day;  // started within 24 hours; none: any number
  std::int64_t requests_a_minute = 600;    // of each key
  std::optional<double> credits;           // US dollars in all; none: no limit

  bool operator==(const Limits&) const = default;
};

struct Organisation {
  std::string id;          // UUID, version 7
  std::string slug, name;  // a slug has lower-case letters, digits and hyphens, and is unique
  bool is_active = true;
  Millis created_at = 0;
  Limits limits;
  double spent = 0;          // US dollars, of all its runs
  bool is_operator = false;  // the first: its admins may also see what concerns the whole server
};

// US dollars that are left of the credits, at least 0. What has no limit has this much, for
// programs that expect a number.
inline constexpr double kEndlessCredits = 999'999'999;
double credits_left(const Organisation& organisation);
std::string_view status_of(const Organisation& organisation);  // `active` or `suspended`

// A key as it is kept. The text itself is known to its owner alone.
struct ApiKey {
  std::string id;            // public: it is the first part of the key's text
  std::string organisation;  // its id
  Role role = Role::read;
  std::string name;  // what it is for; may be empty
  std::string hash;  // keyed, of the text
  Millis created_at = 0;
  std::optional<Millis> expires_at, revoked_at, last_used_at;
};

struct Invite {
  std::string id;  // as of a key
  std::string organisation;
  Role role = Role::run;  // of the key that it gives
  std::string hash;       // keyed, of the code
  Millis created_at = 0, expires_at = 0;
  std::optional<Millis> used_at;
};

class Organisations {
 public:
  virtual ~Organisations() = default;
  // The first is the operator's, whatever it says. Code::conflict: the slug is taken.
  virtual base::Result<Organisation> add(const Organisation& organisation) = 0;
  // If there is no organisation yet: adds the first, and a key for it, both or neither. False:
  // there is one.
  virtual base::Result<bool> begin(const Organisation& organisation, const ApiKey& key) = 0;
  // Name, limits and whether it is active.
  virtual base::Result<void> update(const Organisation& organisation) = 0;
  virtual base::Result<std::optional<Organisation>> find(std::string_view id_or_slug) = 0;
  virtual base::Result<std::vector<Organisation>> list() = 0;  // oldest first
};

class Keys {
 public:
  virtual ~Keys() = default;
  virtual base::Result<void> add(const ApiKey& key) = 0;
  virtual base::Result<std::optional<ApiKey>> find(std::string_view id) = 0;
  // Of an organisation, by its id; oldest first.
  virtual base::Result<std::vector<ApiKey>> list(std::string_view organisation) = 0;
  virtual base::Result<bool> revoke(std::string_view id, Millis now) = 0;  // false: no such key
  virtual base::Result<void> note_use(std::string_view id, Millis now) = 0;

  virtual base::Result<void> add_invite(const Invite& invite) = 0;
  virtual base::Result<std::optional<Invite>> find_invite(std::string_view id) = 0;
  virtual base::Result<std::vector<Invite>> list_invites(std::string_view organisation) = 0;
  // Marks it as used and adds the key, both or neither. False: it was used before.
  virtual base::Result<bool> use_invite(std::string_view id, const ApiKey& key, Millis now) = 0;
};

class Directory {
 public:
  virtual ~Directory() = default;
  virtual Organisations& organisations() = 0;
  virtual Keys& keys() = 0;
  // Identifies the master key that hashes were made with; empty: none was yet.
  virtual base::Result<std::string> key_mark() = 0;
  // Keeps it if there is none. The one that is kept.
  virtual base::Result<std::string> keep_key_mark(std::string_view mark) = 0;
};

}  // namespace vibe::store
