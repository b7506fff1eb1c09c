#include "model/server.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>

#include "base/json.h"

namespace vibe::test {

namespace {

std::vector<std::string> command(const std::vector<std::string>& options) {
  std::vector<std::string> out{VIBE_TOOLS_DIR "/model_server"};
  out.insert(out.end(), options.begin(), options.end());
  return out;
}

}  // namespace

Listener::Listener(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (auto& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int failed =
      posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  if (failed == 0) {
    std::FILE* lines = fdopen(out[0], "r");
    if (std::fscanf(lines, "PORT %d", &port_) != 1) port_ = 0;
    std::fclose(lines);
  }
  if (port_ == 0) {
    std::fprintf(stderr, "cannot start %s\n", arguments[0]);
    std::abort();
  }
}

Listener::~Listener() {
  close(input_);
  int status = 0;
  waitpid(process_, &status, 0);
}

ModelServer::ModelServer(const std::vector<std::string>& options) : listener_(command(options)) {}

std::string ModelServer::url(std::string_view path) const {
  return fmt::format("http://127.0.0.1:{}{}", port(), path);
}

base::JsonValue ModelServer::stats() const {
  const auto answer = ask(port(), "GET /stats HTTP/1.1\r\nConnection: close\r\n\r\n");
  const auto body = answer.find("\r\n\r\n");
  if (body == answer.npos) return {};
  return base::parse_json(answer.substr(body + 4)).value_or(base::JsonValue());
}

std::int64_t ModelServer::count(std::string_view pointer) const {
  const auto all = stats();
  const auto* value = all.pointer(pointer);
  return value == nullptr ? -1 : value->integer().value_or(-1);
}

std::string chat_body(std::string_view prompt) {
  base::JsonWriter json;
  json.begin_object().key("model").string("test-small").key("messages").begin_array();
  json.begin_object().key("role").string("user").key("content").string(prompt).end_object();
  json.end_array().end_object();
  return json.text();
}

std::string ask(int port, std::string_view request) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size())) {
    std::array<char, 16384> buffer{};
    while (true) {
      const auto got = recv(descriptor, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      out.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  close(descriptor);
  return out;
}

}  // namespace vibe::test
