#include "app/account.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/line_log.h"
#include "base/text.h"
#include "base/time.h"
#include "remote/server.h"

namespace vibe::app {

using base::Code;

namespace {

constexpr std::string_view kKeyName = "VIBECHECK_API_KEY", kServerName = "VIBECHECK_API_URL";
constexpr std::size_t kMostEnvBytes = 1u << 20;

tl::unexpected<base::Diagnostics> no_server() {
  return base::fail(Code::bad_usage, {}, "this is about a server, and none is named",
                    "`VIBECHECK_API_URL` or `--server` names one");
}

// `NAME=…`, `export NAME = …`
bool sets(std::string_view line, std::string_view name) {
  line = base::trim(line);
  if (line.starts_with("export ")) line = base::trim(line.substr(7));
  return line.starts_with(name) && base::trim(line.substr(name.size())).starts_with('=');
}

// The text with one line for the variable, at its end.
std::string with_variable(std::string_view text, std::string_view name, std::string_view value) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!sets(text.substr(0, end), name)) out.append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + fmt::format("{}={}\n", name, value);
}

tl::unexpected<base::Diagnostics> cannot_write(const std::string& path) {
  return base::fail(Code::cannot_write, {},
                    fmt::format("cannot write `{}`: {}", path, base::reason(errno)));
}

// All or nothing, and for its owner alone.
base::Result<void> write_secret_file(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  ::unlink(draft.c_str());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return cannot_write(draft);
  const bool is_written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file) == 0;
  ::close(file);
  if (is_written && ::rename(draft.c_str(), path.c_str()) == 0) return {};
  const auto failure = cannot_write(path);
  ::unlink(draft.c_str());
  return failure;
}

base::Result<std::string> keep_key(const std::string& home, std::string_view key) {
  if (const auto made = base::make_private_folder(home); !made) return tl::unexpected(made.error());
  const std::string path = home + "/.env";
  std::string before;
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    auto text = base::read_file(path, kMostEnvBytes);
    if (!text) return tl::unexpected(text.error());
    before = *std::move(text);
  }
  if (auto written = write_secret_file(path, with_variable(before, kKeyName, key)); !written)
    return tl::unexpected(written.error());
  return path;
}

// The environment hides what is in the file.
bool is_in_environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr && *value != '\0';
}

}  // namespace

base::Result<Account> account(const Local& local) {
  if (!local.server) return no_server();
  const auto answer = local.server->ask({.path = "/api/orginfo"});
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

base::Result<Joined> redeem(const Local& local, std::string_view code) {
  if (!local.server) return no_server();
  base::JsonWriter body;
  body.begin_object().key("code").string(code).end_object();
  const auto answer = local.server->ask({.method = "POST",
                                         .path = "/api/invites/redeem",
                                         .body = body.text(),
                                         .may_be_missing = true});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status == 404)
    return base::fail(Code::not_found, {}, "the server knows no such invitation",
                      "is the code complete? each is good for one key");
  const std::string key(answer->body.text_of("apiKey"));
  if (key.empty() || key.find_first_of(" \t\r\n'\"#") != std::string::npos)
    return base::fail(Code::strange_server, {},
                      fmt::format("the server `{}` gives no key", local.server->url()));
  const auto file = keep_key(local.config.home, key);
  if (!file) return tl::unexpected(file.error());
  Joined out;
  if (const auto* organisation = answer->body.find("org"))
    out.organisation = organisation->text_of("name");
  out.file = *file;
  out.is_hidden = is_in_environment(kKeyName);
  out.is_server_kept = local.config.env_file.contains(std::string(kServerName));
  return out;
}

}  // namespace vibe::app
