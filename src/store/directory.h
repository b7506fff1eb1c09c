// Directory: who may use a server: organisations, their keys, invitations, what they spent. What
// an organisation keeps is in a Store of its own (store/store.h). Every call is all or nothing. A
// Directory belongs to one thread; several, in one process or in many, may work on the same data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "store/store.h"

namespace vibe::store {

// What a key may do. Each may do what those before it may.
enum class Role : std::uint8_t { read, run, admin };
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
  double spent = 0;    // US dollars, of all its runs
  std::string folder;  // of its store, below that of the server; empty: the server's own
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

// A run as often as it was queued: what was paid for it since then is one charge.
struct Charged {
  std::string_view run;
  std::int64_t queued_after = 0;  // the number of its last arrival then; 0: it had none
};

class Directory {
 public:
  virtual ~Directory() = default;

  // The first gets the server's own folder, others get one of their own, whatever `folder` says.
  // Code::conflict: the slug is taken.
  virtual base::Result<Organisation> add_organisation(const Organisation& organisation) = 0;
  // Where there is no organisation yet: adds the first, and a key for it, both or neither. False:
  // there is one.
  virtual base::Result<bool> begin(const Organisation& organisation, const ApiKey& key) = 0;
  // All but id, slug, times, folder and what it spent.
  virtual base::Result<void> update_organisation(const Organisation& organisation) = 0;
  // By id or slug.
  virtual base::Result<std::optional<Organisation>> organisation(std::string_view id_or_slug) = 0;
  virtual base::Result<std::vector<Organisation>> organisations() = 0;  // oldest first
  // So much was spent for it in all: with more, or the same again, the difference is added to what
  // the organisation spent, and returned; less than before changes nothing.
  virtual base::Result<double> charge(std::string_view organisation, const Charged& what,
                                      double dollars) = 0;

  virtual base::Result<void> add_key(const ApiKey& key) = 0;
  virtual base::Result<std::optional<ApiKey>> key(std::string_view id) = 0;
  virtual base::Result<std::vector<ApiKey>> keys(
      std::string_view organisation) = 0;  // by its id; oldest first
  virtual base::Result<bool> revoke_key(std::string_view id, Millis now) = 0;  // false: no such key
  virtual base::Result<void> note_use(std::string_view key, Millis now) = 0;

  virtual base::Result<void> add_invite(const Invite& invite) = 0;
  virtual base::Result<std::optional<Invite>> invite(std::string_view id) = 0;
  virtual base::Result<std::vector<Invite>> invites(std::string_view organisation) = 0;
  // Marks it as used and adds the key, both or neither. False: it was used before.
  virtual base::Result<bool> use_invite(std::string_view id, const ApiKey& key, Millis now) = 0;

  // Tells the master key that hashes were made with; empty: none was yet.
  virtual base::Result<std::string> key_mark() = 0;
  // Keeps it where there is none. The one that is kept.
  virtual base::Result<std::string> keep_key_mark(std::string_view mark) = 0;
};

}  // namespace vibe::store
