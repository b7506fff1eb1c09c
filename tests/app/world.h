// Fixtures for use cases: UserHome isolates a test from the environment, Machine runs suites with a
// SQLite store and fake models.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/environment.h"
#include "app/runs/prepare_run.h"
#include "app/runs/run_suite.h"
#include "app/server_world.h"
#include "base/temp_folder.h"
#include "config/schema.h"
#include "store/folder.h"

namespace vibe::app {

// The codes of all diagnostics, in order.
inline std::vector<base::Code> all_codes(const base::Diagnostics& found) {
  std::vector<base::Code> out;
  for (const auto& one : found.all()) out.push_back(one.code);
  return out;
}
using Found = std::vector<base::Code>;

// Of the first diagnostic; empty: there is none.
inline std::string first_message(const base::Diagnostics& found) {
  return found.empty() ? std::string() : found.all().front().message;
}
inline std::string first_hint(const base::Diagnostics& found) {
  return found.empty() ? std::string() : found.all().front().hint;
}

// A home, a current folder, and an environment without any variable that vibe reads. The destructor
// restores what was there. One at a time per process.
class UserHome {
 public:
  UserHome() : folder_(base::TempFolder::make().value()), before_(std::filesystem::current_path()) {
    for (const auto& row : config::kVariables) unset(std::string(row.name));
    for (const auto* name : {"CLAUDE_CONFIG_DIR", "CODEX_HOME"}) unset(name);
    environment_.unset_proxies();
    std::filesystem::create_directories(folder_.path() + "/user");
    std::filesystem::create_directories(folder_.path() + "/project");
    std::filesystem::current_path(folder_.path() + "/project");
    set("HOME", user());
    set("VIBECHECK_HOME", home());
    set("VIBECHECK_RETRY_SCALE", "0.001");
  }
  UserHome(const UserHome&) = delete;
  UserHome& operator=(const UserHome&) = delete;
  ~UserHome() { std::filesystem::current_path(before_); }

  std::string user() const { return folder_.path() + "/user"; }
  std::string home() const { return folder_.path() + "/home"; }  // not there at first
  std::string path(std::string_view name) const {                // in the current folder
    return folder_.path() + "/project/" + std::string(name);
  }

  void set(const std::string& name, const std::string& value) { environment_.set(name, value); }
  void unset(const std::string& name) { environment_.unset(name); }
  // Returns the path of the file.
  std::string write(std::string_view name, const std::string& text) const {
    test::write_bytes(path(name), text);
    return path(name);
  }
  void write_home(const std::string& name, const std::string& text) const {
    test::write_bytes(home() + "/" + name, text);
  }

 private:
  base::TempFolder folder_;
  std::filesystem::path before_;
  test::Environment environment_;
};

inline RunRequest request_for(std::string suite) {
  RunRequest out;
  out.suite = std::move(suite);
  return out;
}

// Records what a command sees of its runs.
class SeenRuns : public Watcher {
 public:
  std::vector<std::string> started;  // ids
  std::vector<std::pair<std::size_t, score::Result>> results;
  std::size_t stops_after = static_cast<std::size_t>(-1);  // results
  bool is_handed_over = false;
  int retries = 0;  // wanted after a failure of the store
  base::Diagnostics troubles;
  base::Result<void> end{};  // returned by before_end()

  void on_start(std::span<const PreparedModel> runs) override {
    for (const auto& one : runs) started.push_back(one.run.id);
  }
  void on_result(std::size_t run, const score::Result& result) override {
    results.emplace_back(run, result);
  }
  void on_tick() override {}
  bool wants_to_stop() const override { return results.size() >= stops_after; }
  bool hands_over() const override { return is_handed_over; }
  base::Result<void> before_end() override { return end; }
  bool wants_retry(const base::Diagnostics& problem) override {
    troubles.append(problem);
    return retries-- > 0;
  }
};

// A machine with a store, a folder for files, and OpenAI's models, which answer `it is 4` for
// kAnswerCost (server_world.h).
struct Machine {
  test::Folder folder;
  const base::TempFolder files = base::TempFolder::make().value();
  Wire wire;
  Local local;
  base::Diagnostics out;

  Machine() {
    local.config.home = folder.home();
    local.config.models.variable = [](std::string_view name) -> std::optional<std::string> {
      return name == "OPENAI_API_KEY" ? std::optional<std::string>("sk-test") : std::nullopt;
    };
    local.config.models.make_client =
        [this](const model::HttpOptions&) -> base::Result<std::unique_ptr<model::HttpClient>> {
      return std::make_unique<WireClient>(wire);
    };
    local.store = folder.open();
  }

  std::string path(const std::string& name) const { return files.path() + "/" + name; }
  // Returns the path of the file.
  std::string write(const std::string& name, const std::string& text) const {
    test::write_bytes(path(name), text);
    return path(name);
  }

  // Clears `out` first.
  std::optional<Prepared> prepare(const RunRequest& request) {
    out = {};
    return prepare_run(request, local, out);
  }
  std::optional<Prepared> prepare(const std::string& suite) { return prepare(request_for(suite)); }
  std::vector<FinishedRun> run(Prepared& prepared, Watcher& watcher) {
    EXPECT_TRUE(start_suite(prepared, *local.store, out)) << base::render(out);
    return run_suite(prepared, *local.store, watcher);
  }
  // Prepares and runs one model.
  FinishedRun run(const RunRequest& request) {
    auto prepared = prepare(request);
    if (!prepared) {
      ADD_FAILURE() << base::render(out);
      return {};
    }
    SeenRuns seen;
    return std::move(run(*prepared, seen).front());
  }
  FinishedRun run(const std::string& suite) { return run(request_for(suite)); }
  score::Run stored(const std::string& id) {
    auto found = local.runs().find(id);
    EXPECT_TRUE(found && *found) << id;
    return found && *found ? **std::move(found) : score::Run{};
  }
};

// A suite with evals `e1`, `e2`, …, each with its own prompt; they pass if the answer has a 4.
inline std::string suite_of(std::size_t evals, std::string_view more_metadata = {},
                            std::string_view model = "openai/gpt-4o-mini") {
  std::string out = "metadata:\n  name: sums\n  model: " + std::string(model) + "\n" +
                    std::string(more_metadata) + "evals:\n";
  for (std::size_t i = 1; i <= evals; ++i)
    out += "  - name: e" + std::to_string(i) + "\n    prompt: question " + std::to_string(i) +
           "\n    checks:\n      - match: \"*4*\"\n";
  return out;
}

// A recording for suite_of(); the answers to `wrong` have no 4.
inline std::string recording_of(std::size_t evals, const std::vector<std::size_t>& wrong = {}) {
  std::string out = "{\"vibecheck_recording\": 1, \"model\": \"openai/gpt-4o-mini\"}\n";
  for (std::size_t i = 1; i <= evals; ++i) {
    const bool is_wrong = std::ranges::find(wrong, i) != wrong.end();
    out += "{\"prompt\": \"question " + std::to_string(i) + "\", \"answer\": {\"text\": \"" +
           (is_wrong ? "no" : "it is 4") + "\", \"latency\": 0.5, \"cost\": 0.001}}\n";
  }
  return out;
}

// One tool call in a hook log.
inline std::string log_line(std::string_view session, int exit, std::string_view time = {}) {
  std::string out = "{\"session\":\"" + std::string(session) + "\",";
  if (!time.empty()) out += "\"ts\":\"" + std::string(time) + "\",";
  return out + "\"tool\":\"Bash\",\"exit\":" + std::to_string(exit) + "}\n";
}

}  // namespace vibe::app
