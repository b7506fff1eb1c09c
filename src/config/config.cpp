#include "config/config.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <pwd.h>

#include "base/file.h"
#include "base/text.h"
#include "check/reading.h"
#include "config/schema.h"
#include "config/settings.h"

namespace vibe::config {

using base::Code;

namespace {

constexpr std::size_t kMaxBytes = 1u << 20;

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<std::string> look_up(const Variables& env_file, std::string_view name) {
  if (auto value = environment(name)) return value;
  const auto found = env_file.find(std::string(name));
  if (found == env_file.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::optional<std::string> user_folder() {
  if (auto home = environment("HOME")) return home;
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr || found->pw_dir == nullptr || *found->pw_dir == '\0')
    return std::nullopt;
  return found->pw_dir;
}

// None: there is no such file, or it cannot be read, which is reported.
std::optional<std::string> read_if_there(const std::string& path, base::Diagnostics& out) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return std::nullopt;
  auto text = base::read_file(path, kMaxBytes);
  if (text) return *std::move(text);
  out.append(text.error());
  return std::nullopt;
}

FileSettings read_file_settings(const std::string& path, Place place, Config& config,
                                base::Diagnostics& out) {
  auto text = read_if_there(path, out);
  if (!text) return {};
  config.files.push_back(path);
  return read_settings(base::make_source(path, *std::move(text)), place, out);
}

// A variable whose value does not fit the key's row is reported and ignored.
std::optional<double> number_of(const Field& field, std::string_view name, const std::string& text,
                                base::Diagnostics& out) {
  const auto number = base::parse_double(base::trim(text));
  const bool whole = field.type != Type::integer || base::parse_integer(base::trim(text));
  if (number && whole && field.range.holds(*number)) return number;
  out.add(
      Code::bad_config, {},
      fmt::format("the variable `{}` is {}, expected {}", name, check::quoted(text), takes(field)));
  return std::nullopt;
}

// The settings that variables override, by key.
void read_variables(FileSettings& settings, const Variables& env_file, base::Diagnostics& out) {
  for (const auto& [name, key, doc] : kVariables) {
    if (key.empty()) continue;
    const auto text = look_up(env_file, name);
    if (!text) continue;
    if (auto* const to = key == "model"             ? &settings.model
                         : key == "judge_model"     ? &settings.judge_model
                         : key == "embedding_model" ? &settings.embedding_model
                                                    : nullptr) {
      *to = *text;
      continue;
    }
    for (const auto& field : kConfigFields) {
      if (field.name != key) continue;
      const auto number = number_of(field, name, *text, out);
      if (!number) continue;
      if (key == "threads") settings.threads = static_cast<std::int64_t>(*number);
      if (key == "budget") settings.budget = number;
      if (key == "run_timeout") settings.run_timeout = number;
      if (key == "max_prompt_mib") settings.max_prompt_mib = static_cast<std::int64_t>(*number);
      if (key == "max_plan_mib") settings.max_plan_mib = static_cast<std::int64_t>(*number);
    }
  }
}

// The weaker settings count only if the stronger ones are not set.
FileSettings merge(FileSettings strong, FileSettings weak) {
  const auto fill = [](auto& to, auto& from) {
    if (!to) to = std::move(from);
  };
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  fill(strong.model, weak.model);
  fill(strong.judge_model, weak.judge_model);
  fill(strong.embedding_model, weak.embedding_model);
  fill(strong.threads, weak.threads);
  fill(strong.budget, weak.budget);
  fill(strong.run_timeout, weak.run_timeout);
  fill(strong.max_prompt_mib, weak.max_prompt_mib);
  fill(strong.max_plan_mib, weak.max_plan_mib);
  append(strong.endpoints, weak.endpoints);
  append(strong.http, weak.http);
  append(strong.prices, weak.prices);  // the first of equal ones counts
  fill(strong.serve, weak.serve);
  return strong;
}

// For tests of retries, which would otherwise wait for seconds.
void read_retry_scale(model::Settings& models, base::Diagnostics& out) {
  constexpr std::string_view kName = "VIBECHECK_RETRY_SCALE";
  static constexpr Field kField{.name = "retry_scale", .type = Type::number, .range = {.least = 0}};
  if (const auto text = environment(kName))
    models.client.retry_scale = number_of(kField, kName, *text, out).value_or(1);
}

// The server that commands talk to. A key without a server is fine: users of several programs have
// one. The client checks that the server is an address.
void read_server(Config& config, const Overrides& overrides) {
  config.server = overrides.server;
  for (const auto name : kServerVariables)
    if (config.server.empty()) config.server = environment(name).value_or("");
  for (const auto name : kServerVariables)
    if (config.server.empty()) config.server = look_up(config.env_file, name).value_or("");
  config.api_key = look_up(config.env_file, "VIBECHECK_API_KEY").value_or("");
  while (config.server.ends_with('/')) config.server.pop_back();
}

// Paths in a configuration are relative to it, in whatever folder the server is started.
ServeSettings from_home(ServeSettings settings, const std::string& home) {
  for (auto* const file : {&settings.tls_certificate, &settings.tls_key, &settings.access_log})
    if (!file->empty() && !file->starts_with('/')) *file = home + "/" + *file;
  return settings;
}

}  // namespace

std::optional<std::string> home(base::Diagnostics& out) {
  if (auto named = environment("VIBECHECK_HOME")) return named;
  if (auto user = user_folder()) return *user + "/.vibecheck";
  out.add(Code::bad_config, {}, "cannot find the folder for your settings",
          "set `HOME` or `VIBECHECK_HOME`");
  return std::nullopt;
}

std::optional<std::string> variable(const Config& config, std::string_view name) {
  return look_up(config.env_file, name);
}

std::optional<Config> load(base::Diagnostics& out, const Overrides& overrides) {
  base::Diagnostics found;
  Config config;
  if (auto home = config::home(found)) {
    config.home = *std::move(home);
    const auto env_path = config.home + "/.env";
    if (const auto text = read_if_there(env_path, found))
      config.env_file = read_env_file(env_path, *text, found);
    auto project = read_file_settings(std::string(kProjectFile), Place::project, config, found);
    FileSettings variables;
    read_variables(variables, config.env_file, found);
    auto settings =
        merge(merge(std::move(variables), std::move(project)),
              read_file_settings(config.home + "/config.yaml", Place::home, config, found));
    config.model = std::move(settings.model);
    config.judge_model = std::move(settings.judge_model).value_or(config.judge_model);
    config.embedding_model = std::move(settings.embedding_model).value_or(config.embedding_model);
    config.threads = settings.threads;
    config.budget = settings.budget;
    config.run_timeout = settings.run_timeout;
    config.max_prompt_mib = settings.max_prompt_mib;
    config.max_plan_mib = settings.max_plan_mib;
    config.models.endpoints = std::move(settings.endpoints);
    config.models.http = std::move(settings.http);
    config.models.prices = price::PriceTable(std::move(settings.prices));
    config.models.variable = [env_file = config.env_file](std::string_view name) {
      return look_up(env_file, name);
    };
    config.serve = from_home(std::move(settings.serve).value_or(ServeSettings{}), config.home);
    read_server(config, overrides);
    read_retry_scale(config.models, found);
  }
  out.append(found);
  if (found.failed()) return std::nullopt;
  return config;
}

}  // namespace vibe::config
