// `vibe serve`: applies the options to the configuration, then waits for signals: those that stop
// the server, and SIGHUP, which reopens the access log.
#include "server/serve.h"

#include <array>
#include <csignal>
#include <string>

#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>
#include <malloc.h>

#include "base/environment.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "config/config.h"

namespace vibe::cli {

using base::Code;

namespace {

// While it lives, wait() receives the signals for a server, from this thread and all threads it
// starts. Child programs of a run are not affected (base/process.h). An ignored signal stays
// ignored.
class StopSignals {
 public:
  StopSignals() {
    std::signal(SIGPIPE, SIG_IGN);  // writing to a closed connection gives an error instead
    sigemptyset(&set_);
    for (const int number : kNumbers) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int wait() {
    int number = 0;
    while (sigwait(&set_, &number) != 0) continue;
    return number;
  }
  // From now on each of these signals ends the program at once, with its child programs.
  void let_through() {
    for (const int number : kNumbers) {
      struct sigaction before{};
      sigaction(number, nullptr, &before);
      if (before.sa_handler == SIG_DFL) std::signal(number, end_at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static constexpr std::array kNumbers{SIGINT, SIGTERM, SIGHUP};

  sigset_t set_{}, before_{};
};

// A message that nobody reads must not block the shutdown.
bool can_write(int file) {
  pollfd place{.fd = file, .events = POLLOUT, .revents = 0};
  return poll(&place, 1, 0) == 1;
}

std::optional<std::int64_t> whole(const Arguments& arguments, std::string_view option,
                                  const config::Field& key, base::Diagnostics& out) {
  return integer(arguments, option, out, static_cast<std::int64_t>(key.range.least),
                 static_cast<std::int64_t>(key.range.most));
}

// Applies the options to the configuration. The ranges are those of the configuration keys.
void read_options(const Arguments& arguments, config::ServeSettings& serve,
                  base::Diagnostics& out) {
  constexpr const auto& kKeys = config::kServeSection;
  serve.host = arguments.get("--host").value_or(serve.host);
  if (const auto port = whole(arguments, "--port", field(kKeys, "port"), out))
    serve.port = static_cast<std::uint16_t>(*port);
  serve.tls_certificate = arguments.get("--tls-cert").value_or(serve.tls_certificate);
  serve.tls_key = arguments.get("--tls-key").value_or(serve.tls_key);
  serve.access_log = arguments.get("--access-log").value_or(serve.access_log);
  if (const auto workers = whole(arguments, "--workers", field(kKeys, "workers"), out))
    serve.workers = static_cast<std::size_t>(*workers);
  constexpr auto kLease = field(kKeys, "lease").range;
  serve.lease = number(arguments, "--lease", out, kLease.least, kLease.most).value_or(serve.lease);
  if (serve.host.starts_with('[') && serve.host.ends_with(']'))  // as in an URL
    serve.host = serve.host.substr(1, serve.host.size() - 2);
  if (serve.host.empty())
    out.add(Code::bad_usage, {}, "`--host` is empty",
            "`0.0.0.0` means every address of this machine");
  if (serve.tls_certificate.empty() != serve.tls_key.empty())
    out.add(Code::bad_usage, {},
            fmt::format("TLS has {} but no {}", serve.tls_key.empty() ? "a certificate" : "a key",
                        serve.tls_key.empty() ? "key" : "certificate"),
            "give both `--tls-cert` and `--tls-key`");
}

}  // namespace

Exit run_serve(const Arguments& arguments, Terminal& terminal) {
  // Memory of large answers returns to the system once they are sent.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  base::forbid_tracing();
  base::Diagnostics found;
  auto config = config::load(found);
  if (!config) return fail(found, terminal);
  read_options(arguments, config->serve, found);
  if (found.failed()) return fail(found, terminal);
  terminal.write_now(render(found, terminal.style));
  const bool has_log = !config->serve.access_log.empty();

  StopSignals signals;  // before any other thread starts
  server::ServeRequest request{
      *std::move(config), version(), arguments.has("--insecure"),
      [&](std::string_view line) { terminal.print_now(fmt::format("{}\n", line)); }};
  const auto serving = server::Serving::start(std::move(request));
  if (!serving) return fail(serving.error(), terminal);
  while (signals.wait() == SIGHUP && has_log) (*serving)->reopen_log();
  signals.let_through();
  if (can_write(STDERR_FILENO))
    terminal.write_now("stopping: requests in flight may finish; a second signal stops at once\n");
  (*serving)->stop();
  return Exit::passed;
}

}  // namespace vibe::cli
