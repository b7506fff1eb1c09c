#include "app/team/account.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/line_log.h"
#include "base/text.h"
#include "base/time.h"
#include "config/schema.h"
#include "remote/server.h"

namespace vibe::app {

using base::Code;

namespace {

constexpr std::string_view kKeyName = "VIBECHECK_API_KEY";
constexpr std::size_t kMostEnvBytes = 1u << 20;

// `NAME=…`, `export NAME = …`
bool sets(std::string_view line, std::string_view name) {
  line = base::trim(line);
  if (line.starts_with("export ")) line = base::trim(line.substr(7));
  return line.starts_with(name) && base::trim(line.substr(name.size())).starts_with('=');
}

struct Changed {
  std::string text;
  bool has_replaced = false;  // another value
};

// The text with one line for the variable, at its end.
Changed with_variable(std::string_view text, std::string_view name, std::string_view value) {
  Changed out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (sets(text.substr(0, end), name))
      out.has_replaced = true;
    else
      out.text.append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out.text += fmt::format("{}={}\n", name, value);
  return out;
}

tl::unexpected<base::Diagnostics> cannot_write(const std::string& path) {
  const int error = errno;
  return base::fail(Code::cannot_write, {},
                    fmt::format("cannot write `{}`: {}", path, base::reason(error)),
                    base::hint_for(error));
}

// A file beside `path`, for its owner alone, that is to take its place.
base::Result<std::string> write_draft(const std::string& path, std::string_view text) {
  std::string draft = path + ".new";
  ::unlink(draft.c_str());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return cannot_write(draft);
  const bool is_written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  if (is_written) return draft;
  ::unlink(draft.c_str());
  errno = error;
  return cannot_write(draft);
}

// The file where keys are kept.
class KeyFile {
 public:
  KeyFile(std::string home, std::string server)
      : home_(std::move(home)), server_(std::move(server)) {}

  // Makes its folder, and tries whether a key could be kept; changes nothing else.
  base::Result<void> prepare() const {
    if (auto made = base::make_private_folder(home_); !made) return made;
    const auto changed = with(std::string(kMostKeyBytes, '0'));
    if (!changed) return tl::unexpected(changed.error());
    const auto draft = write_draft(path(), changed->text);
    if (!draft) return tl::unexpected(draft.error());
    ::unlink(draft->c_str());
    return {};
  }

  // All or nothing. True: in place of another one.
  base::Result<bool> keep(std::string_view key) const {
    const auto changed = with(key);
    if (!changed) return tl::unexpected(changed.error());
    const auto draft = write_draft(path(), changed->text);
    if (!draft) return tl::unexpected(draft.error());
    if (std::rename(draft->c_str(), path().c_str()) == 0) return changed->has_replaced;
    const auto failure = cannot_write(path());
    ::unlink(draft->c_str());
    return failure;
  }

  std::string path() const { return home_ + "/.env"; }

 private:
  static constexpr std::size_t kMostKeyBytes = 200;

  // Its text, with this key and the server's address in place of others.
  base::Result<Changed> with(std::string_view key) const {
    std::string before;
    std::error_code error;
    if (std::filesystem::exists(path(), error)) {
      auto text = base::read_file(path(), kMostEnvBytes);
      if (!text) return tl::unexpected(text.error());
      before = *std::move(text);
    }
    Changed out = with_variable(before, kKeyName, key);
    for (const auto name : config::kServerVariables)
      out.text = with_variable(out.text, name, server_).text;
    return out;
  }

  std::string home_, server_;
};

// The environment hides what is in the file.
bool is_in_environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr && *value != '\0';
}

bool is_address(std::string_view written, std::string_view url) {
  const auto read = remote::server_url(written);
  return read && *read == url;
}

}  // namespace

base::Result<Account> account(remote::Server& server) {
  const auto answer = server.ask({.path = "/api/orginfo"});
  if (!answer) return tl::unexpected(answer.error());
  const auto& body = answer->body;
  Account out;
  out.name = body.text_of("name");
  out.slug = body.text_of("slug");
  out.status = body.text_of("status");
  out.role = body.text_of("role");
  const auto* unlimited = body.find("unlimited");
  if (!unlimited || unlimited->boolean() != true) out.credits = body.number_of("credits");
  out.spent = body.number_of("spent").value_or(0);
  out.created_at = base::parse_time(body.text_of("created_at"));
  return out;
}

base::Result<Joined> redeem(remote::Server& server, const std::string& home, std::string_view code,
                            const std::pair<std::string, std::string>& variable) {
  // First, for an invitation is good for one key, which must not be lost.
  const KeyFile file(home, server.url());
  if (const auto ready = file.prepare(); !ready) return tl::unexpected(ready.error());
  base::JsonWriter body;
  body.begin_object().key("code").string(code).end_object();
  const auto answer = server.ask({.method = "POST",
                                  .path = "/api/invites/redeem",
                                  .body = body.text(),
                                  .may_be_missing = true});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 404)
    return base::fail(Code::not_found, {}, "the server does not know this invitation",
                      "is the code complete? each is good for one key");
  const std::string key(answer->body.text_of("apiKey"));
  if (key.empty() || key.find_first_of(" \t\r\n'\"#") != std::string::npos)
    return base::fail(Code::strange_server, {},
                      fmt::format("the server `{}` did not send a key", server.url()));
  auto kept = file.keep(key);
  if (!kept) {
    kept.error().add(Code::cannot_write, {}, "the invitation is used up, and its key is lost",
                     "ask whoever invited you for another one");
    return tl::unexpected(kept.error());
  }
  Joined out;
  if (const auto* organisation = answer->body.find("org"))
    out.organisation = organisation->text_of("name");
  out.file = file.path();
  out.has_replaced = *kept;
  out.is_hidden = is_in_environment(kKeyName);
  out.server = server.url();
  if (!is_address(variable.second, out.server)) out.hidden_by = variable.first;
  return out;
}

}  // namespace vibe::app
