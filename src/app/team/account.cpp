#include "app/team/account.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/line_log.h"
#include "base/output_file.h"
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

// The text with one line for the variable, at the end.
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

// The file that stores keys.
class KeyFile {
 public:
  KeyFile(std::string home, std::string server)
      : home_(std::move(home)), server_(std::move(server)) {}

  // Creates its folder, and checks that a key could be stored; changes nothing else.
  base::Result<void> prepare() const {
    VIBE_TRY(base::make_private_folder(home_));
    VIBE_TRY(const auto changed, with(std::string(kMostKeyBytes, '0')));
    VIBE_TRY(const auto file, output());
    return file.check_room(changed.text);
  }

  // All or nothing. True: it replaced another key.
  base::Result<bool> keep(std::string_view key) const {
    VIBE_TRY(const auto changed, with(key));
    VIBE_TRY(const auto file, output());
    VIBE_TRY(file.write(changed.text));
    return changed.has_replaced;
  }

  std::string path() const { return home_ + "/.env"; }

 private:
  static constexpr std::size_t kMostKeyBytes = 200;

  base::Result<base::OutputFile> output() const {
    return base::OutputFile::prepare(path(), base::OutputFile::Readers::owner);
  }

  // Its text, with this key and the server's address replacing others.
  base::Result<Changed> with(std::string_view key) const {
    std::string before;
    std::error_code error;
    if (std::filesystem::exists(path(), error)) {
      VIBE_TRY(auto text, base::read_file(path(), kMostEnvBytes));
      before = std::move(text);
    }
    Changed out = with_variable(before, kKeyName, key);
    for (const auto name : config::kServerVariables)
      out.text = with_variable(out.text, name, server_).text;
    return out;
  }

  std::string home_, server_;
};

// Whether the environment overrides the file.
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
  VIBE_TRY(const auto answer, server.ask({.path = "/api/orginfo"}));
  const auto& body = answer.body;
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
  // First, because an invitation gives only one key, which must not be lost.
  const KeyFile file(home, server.url());
  VIBE_TRY(file.prepare());
  base::JsonWriter body;
  body.begin_object().key("code").string(code).end_object();
  VIBE_TRY(const auto answer, server.ask({.method = "POST",
                                          .path = "/api/invites/redeem",
                                          .body = body.text(),
                                          .may_be_missing = true}));
  if (answer.status == 404)
    return base::fail(Code::not_found, {}, "the server does not know this invitation",
                      "check that the code is complete; each code works only once");
  const std::string key(answer.body.text_of("apiKey"));
  if (key.empty() || key.find_first_of(" \t\r\n'\"#") != std::string::npos)
    return base::fail(Code::strange_server, {},
                      fmt::format("the server `{}` did not send a key", server.url()));
  auto kept = file.keep(key);
  if (!kept) {
    kept.error().add(Code::cannot_write, {}, "the invitation is used up, and its key is lost",
                     "ask for another invitation");
    return tl::unexpected(kept.error());
  }
  Joined out;
  if (const auto* organisation = answer.body.find("org"))
    out.organisation = organisation->text_of("name");
  out.file = file.path();
  out.has_replaced = *kept;
  out.is_hidden = is_in_environment(kKeyName);
  out.server = server.url();
  if (!is_address(variable.second, out.server)) out.hidden_by = variable.first;
  return out;
}

}  // namespace vibe::app
