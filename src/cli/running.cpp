#include "cli/running.h"

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

namespace vibe::cli {

namespace {

class Watching final : public app::Watcher {
 public:
  Watching(Terminal& terminal, std::size_t samples, bool quiet)
      : progress_(terminal, samples, quiet) {}

  void on_start(std::span<const app::PreparedModel>) override { progress_.draw(); }
  void on_result(std::size_t, const score::Result& result) override { progress_.add(result); }
  void on_tick() override { progress_.draw(); }
  bool wants_to_stop() const override { return interrupt_.pressed(); }

 private:
  Progress progress_;
  Interrupt interrupt_;
};

}  // namespace

std::vector<app::FinishedRun> follow(app::Runner& runner, std::span<app::Prepared> suites,
                                     Terminal& terminal, bool quiet, base::Diagnostics& out) {
  std::size_t samples = 0;
  for (const auto& suite : suites)
    for (const auto& run : suite.runs) samples += run.pending.size();
  Watching watching(terminal, samples, quiet);
  return runner.follow(suites, watching, out);
}

std::optional<std::vector<app::Prepared>> prepare_again(app::Runner& runner, const AskAgain& again,
                                                        base::Diagnostics& out) {
  std::vector<app::Prepared> suites;
  for (const auto& run : again.runs) {
    app::RunRequest request;
    request.earlier = run;
    request.how = app::Continue::again;
    request.budget = again.budget;
    request.run_timeout = again.run_timeout;
    request.tools.token = again.tools_token;
    request.version = version();
    auto prepared = runner.prepare(request, out);
    if (!prepared) return std::nullopt;
    suites.push_back(*std::move(prepared));
  }
  return suites;
}

}  // namespace vibe::cli
