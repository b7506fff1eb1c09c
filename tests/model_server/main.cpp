// A server on the loopback that speaks as the providers of models do, for tests and benchmarks.
//
//   model_server [--latency MS] [--usage on|off] [--require-key KEY]
//   model_server --directives
//
// Prints `PORT n` and serves until its standard input ends, or SIGTERM. What it answers is chosen
// by directives in the prompt (directive.cpp has the table): so tests need no state of it. Without
// one it does arithmetic (`What is 15 * 7?`) or answers the prompt itself. Routes: answer.cpp.
// `GET /stats` tells what it saw, `POST /reset` forgets that.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/resource.h>

#include "model_server/directive.h"
#include "model_server/server.h"

int main(int count, char** words) {
  using namespace model_server;
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--directives") {
      for (const auto& row : kDirectives)
        std::printf("%-10s %-12s %s\n", row.name.data(), row.takes.data(), row.does.data());
      return 0;
    }
    if (i + 1 == count) {
      std::fprintf(stderr, "model_server: `%s` is unknown or lacks its value\n", words[i]);
      return 2;
    }
    const char* value = words[++i];
    if (word == "--latency") {
      options.latency = std::strtod(value, nullptr);
    } else if (word == "--usage") {
      options.usage = std::string_view(value) != "off";
    } else if (word == "--require-key") {
      options.required_key = value;
    } else {
      std::fprintf(stderr, "model_server: unknown option `%s`\n", words[i - 1]);
      return 2;
    }
  }
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  Server server(options);
  const int port = server.listen();
  if (port == 0) {
    std::perror("model_server");
    return 1;
  }
  std::printf("PORT %d\n", port);
  std::fflush(stdout);
  server.run();
  return 0;
}
