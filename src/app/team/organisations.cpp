#include "app/team/organisations.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::app {

using base::Code;

namespace {

constexpr std::size_t kMostNameBytes = 200, kMostSlugBytes = 63;
constexpr std::size_t kIdLetters = 10, kSecretLetters = 52;  // a secret has 260 bits
constexpr store::Millis kUseNoted = 60'000;                  // how often a use is recorded

// A text that is shown once: `PREFIX_ID_SECRET`. Each kind has its own hash key.
struct Kind {
  std::string_view prefix, purpose;
};
constexpr Kind kKey{"vibe_", "api keys"};
constexpr Kind kInvite{"invite_", "invites"};

struct Text {
  std::string id, text;
};

Text make_text(const Kind& kind) {
  std::string id = base::random_text(kIdLetters);
  std::string text = fmt::format("{}{}_{}", kind.prefix, id, base::random_text(kSecretLetters));
  return {std::move(id), std::move(text)};
}

std::string hash_of(const Kind& kind, const base::SealKey& master, std::string_view text) {
  return base::keyed_hash(base::derive_key(master, kind.purpose), text);
}

// The public part of a text; empty: it is not of this kind.
std::string_view id_of(const Kind& kind, std::string_view text) {
  const std::size_t size = kind.prefix.size() + kIdLetters + 1 + kSecretLetters;
  if (text.size() != size || !text.starts_with(kind.prefix)) return {};
  text.remove_prefix(kind.prefix.size());
  const auto id = text.substr(0, kIdLetters);
  const bool has_form = text[kIdLetters] == '_' && base::is_random_text(id) &&
                        base::is_random_text(text.substr(kIdLetters + 1));
  return has_form ? id : std::string_view();
}

// Compared with an unknown id, so that it takes as long as a known one.
std::string hash_of_nothing() { return std::string(64, '0'); }

bool is_slug(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= kMostSlugBytes &&
         std::all_of(text.begin(), text.end(), is_letter) && text.front() != '-' &&
         text.back() != '-' && !base::is_uuid(text);  // a UUID would be taken for an id
}

// `ACME & Sons` → `acme-sons`; may be empty.
std::string slug_of(std::string_view name) {
  std::string out;
  for (const char c : base::lower_ascii(name)) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_letter)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  out.resize(std::min(out.size(), kMostSlugBytes));
  while (out.ends_with('-')) out.pop_back();
  return out;
}

// Checks the name of an organisation or a key.
base::Result<void> check_name(std::string_view name, std::string_view whose) {
  if (base::first_invalid(name) || base::printable(name) != name)
    return base::fail(Code::bad_usage, {},
                      fmt::format("the name of {} contains an unprintable character", whose),
                      "use letters, digits and spaces");
  if (name.size() > kMostNameBytes)
    return base::fail(Code::bad_usage, {},
                      fmt::format("the name of {} is {} bytes long", whose, name.size()),
                      fmt::format("the limit is {}", kMostNameBytes));
  return {};
}

NewKey make_key(const base::SealKey& master, const std::string& organisation, store::Role role,
                std::string_view name, std::optional<store::Millis> expires_at, store::Millis now) {
  Text text = make_text(kKey);
  NewKey made;
  made.key.id = std::move(text.id);
  made.key.organisation = organisation;
  made.key.role = role;
  made.key.name = name;
  made.key.hash = hash_of(kKey, master, text.text);
  made.key.created_at = now;
  made.key.expires_at = expires_at;
  made.text = std::move(text.text);
  return made;
}

}  // namespace

base::Result<store::Organisation> create_organisation(store::Directory& directory,
                                                      std::string_view name, std::string_view slug,
                                                      const store::Limits& limits,
                                                      store::Millis now) {
  name = base::trim(name);
  if (name.empty())
    return base::fail(Code::bad_usage, {}, "the name of an organisation cannot be empty");
  VIBE_TRY(check_name(name, "an organisation"));
  store::Organisation organisation;
  organisation.id = base::uuid7(now);
  organisation.slug = slug.empty() ? slug_of(name) : std::string(slug);
  organisation.name = name;
  organisation.created_at = now;
  organisation.limits = limits;
  if (!is_slug(organisation.slug))
    return base::fail(
        Code::bad_usage, {},
        slug.empty() ? fmt::format("no slug can be made from `{}`", name)
                     : fmt::format("`{}` cannot be a slug", base::printable(slug)),
        fmt::format("use up to {} lower-case letters and digits, with hyphens between them{}",
                    kMostSlugBytes, slug.empty() ? ": `--slug my-team`" : ""));
  return directory.organisations().add(organisation);
}

base::Result<std::optional<NewKey>> begin_server(store::Directory& directory,
                                                 const base::SealKey& master, store::Millis now) {
  store::Organisation organisation;
  organisation.id = base::uuid7(now);
  organisation.slug = organisation.name = "default";
  organisation.created_at = now;
  NewKey made =
      make_key(master, organisation.id, store::Role::admin, "first start", std::nullopt, now);
  VIBE_TRY(const auto begun, directory.organisations().begin(organisation, made.key));
  return begun ? std::optional(std::move(made)) : std::nullopt;
}

base::Result<store::Organisation> find_organisation(store::Directory& directory,
                                                    std::string_view id_or_slug) {
  VIBE_TRY(auto found, directory.organisations().find(id_or_slug));
  if (found) return *std::move(found);
  VIBE_TRY(const auto all, directory.organisations().list());
  std::vector<std::string_view> slugs;
  for (const auto& one : all) slugs.push_back(one.slug);
  std::string hint = base::did_you_mean(base::nearest(id_or_slug, slugs));
  if (hint.empty())
    hint = all.empty() ? "`vibe serve` or `vibe orgs create NAME` creates one"
                       : "`vibe orgs list` lists them";
  return base::fail(Code::not_found, {},
                    fmt::format("there is no organisation `{}`", base::printable(id_or_slug)),
                    std::move(hint));
}

base::Result<NewKey> create_key(store::Directory& directory, const base::SealKey& master,
                                const store::Organisation& organisation, store::Role role,
                                std::string_view name, std::optional<store::Millis> expires_at,
                                store::Millis now) {
  name = base::trim(name);
  VIBE_TRY(check_name(name, "a key"));
  NewKey made = make_key(master, organisation.id, role, name, expires_at, now);
  VIBE_TRY(directory.keys().add(made.key));
  return made;
}

base::Result<void> revoke_key(store::Directory& directory, std::string_view id, store::Millis now) {
  VIBE_TRY(const auto revoked, directory.keys().revoke(id, now));
  if (revoked) return {};
  VIBE_TRY(const auto organisations, directory.organisations().list());
  std::vector<std::string> ids;
  for (const auto& organisation : organisations) {
    VIBE_TRY(const auto keys, directory.keys().list(organisation.id));
    for (const auto& key : keys) ids.push_back(key.id);
  }
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  std::string hint = base::did_you_mean(base::nearest(id, views));
  // A user who pastes the whole key gets its id, and the key is not repeated.
  const auto part = id_of(kKey, id);
  if (hint.empty())
    hint = !part.empty() ? fmt::format("the id of that key is `{}`", part)
                         : "`vibe keys list` lists them";
  return base::fail(
      Code::not_found, {},
      part.empty() ? fmt::format("there is no key `{}`", base::printable(base::shorten(id, 20)))
                   : "that is a key, not its id",
      std::move(hint));
}

base::Result<std::optional<Caller>> check_key(store::Directory& directory,
                                              const base::SealKey& master, std::string_view text,
                                              store::Millis now) {
  const std::string hash = hash_of(kKey, master, text);
  VIBE_TRY(auto key, directory.keys().find(id_of(kKey, text)));
  const bool is_right = base::same_secret(hash, key ? key->hash : hash_of_nothing());
  VIBE_TRY(auto organisation, directory.organisations().find(key ? key->organisation : ""));
  if (!key || !organisation || !is_right || key->revoked_at ||
      key->expires_at.value_or(now + 1) <= now || !organisation->is_active)
    return std::optional<Caller>();
  Caller caller{*std::move(key), *std::move(organisation)};
  // If the use cannot be recorded, on a full disk, the caller is still admitted.
  if (now - caller.key.last_used_at.value_or(now - kUseNoted) >= kUseNoted)
    static_cast<void>(directory.keys().note_use(caller.key.id, now));
  return std::optional(std::move(caller));
}

base::Result<NewInvite> create_invite(store::Directory& directory, const base::SealKey& master,
                                      const store::Organisation& organisation, store::Role role,
                                      store::Millis expires_at, store::Millis now) {
  Text text = make_text(kInvite);
  NewInvite made;
  made.invite.id = std::move(text.id);
  made.invite.organisation = organisation.id;
  made.invite.role = role;
  made.invite.hash = hash_of(kInvite, master, text.text);
  made.invite.created_at = now;
  made.invite.expires_at = expires_at;
  made.code = std::move(text.text);
  VIBE_TRY(directory.keys().add_invite(made.invite));
  return made;
}

base::Result<Redeemed> redeem_invite(store::Directory& directory, const base::SealKey& master,
                                     std::string_view code, store::Millis now) {
  const auto used = [] {
    return base::fail(Code::bad_usage, {}, "this invitation has already been used",
                      "ask the sender for a new one");
  };
  code = base::trim(code);
  const std::string hash = hash_of(kInvite, master, code);
  VIBE_TRY(auto found, directory.keys().find_invite(id_of(kInvite, code)));
  const bool is_right = base::same_secret(hash, found ? found->hash : hash_of_nothing());
  VIBE_TRY(auto organisation, directory.organisations().find(found ? found->organisation : ""));
  if (!found || !is_right || !organisation)
    return base::fail(Code::not_found, {}, "there is no such invitation",
                      "copy the whole code, as it was sent");
  const store::Invite& invite = *found;
  if (invite.used_at) return used();
  if (invite.expires_at <= now)
    return base::fail(Code::bad_usage, {}, "this invitation has expired",
                      "ask the sender for a new one");
  if (!organisation->is_active)
    return base::fail(Code::bad_usage, {},
                      fmt::format("the organisation `{}` is suspended", organisation->slug));
  if (invite.role == store::Role::none)
    return base::fail(Code::bad_usage, {}, "this server does not know the invitation's role",
                      "upgrade the server, or ask for an invitation with another role");
  Redeemed redeemed{make_key(master, invite.organisation, invite.role,
                             fmt::format("invitation {}", invite.id), std::nullopt, now),
                    *std::move(organisation)};
  VIBE_TRY(const auto won, directory.keys().use_invite(invite.id, redeemed.key.key, now));
  if (!won) return used();
  return redeemed;
}

}  // namespace vibe::app
