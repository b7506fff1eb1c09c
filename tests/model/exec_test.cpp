#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "model/open.h"

namespace vibe::model {
namespace {

using Kind = Failure::Kind;

// Waits for as many outcomes as are asked for.
class GatheredOutcomes {
 public:
  Done done() {
    return [this](Outcome outcome) {
      const std::lock_guard lock(mutex_);
      outcomes_.push_back(std::move(outcome));
      changed_.notify_all();
    };
  }
  std::vector<Outcome> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outcomes_.size() >= count; });
    return outcomes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Outcome> outcomes_;
};

Request prompt(std::string text) {
  Request request;
  request.messages = {{Message::Role::user, std::move(text)}};
  return request;
}

Opened open(const std::string& name, Settings settings = {}) {
  auto opened = Models(std::move(settings)).open(name);
  EXPECT_TRUE(opened.has_value()) << base::render(opened.error());
  return *std::move(opened);
}

Outcome ask_program(const std::string& name, const Request& request) {
  GatheredOutcomes gathered;
  const Opened opened = open(name);
  opened.model->ask(request, gathered.done());
  return gathered.wait(1)[0];
}

TEST(ExecModel, GetsThePromptAndGivesTheAnswer) {
  const Outcome got = ask_program("exec:cat", prompt("What is 2+2?"));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->text, "What is 2+2?");
  EXPECT_GT(got->latency, 0);
  EXPECT_EQ(got->usage.prompt, std::nullopt);
  EXPECT_EQ(got->cost.total, std::nullopt);
}

TEST(ExecModel, IsFreeWhereItsPriceIsNothing) {
  price::ModelRow row;
  row.id = "exec:cat";
  Settings settings;
  settings.prices = price::PriceTable({row});
  GatheredOutcomes gathered;
  const Opened opened = open("exec:cat", settings);
  opened.model->ask(prompt("x"), gathered.done());
  EXPECT_EQ(gathered.wait(1)[0]->cost.total, 0.0);
}

TEST(ExecModel, LosesOneLineBreakOfItsAnswer) {
  EXPECT_EQ(ask_program("exec:printf 'a\\n\\n'", prompt("")).value().text, "a\n");
  EXPECT_EQ(ask_program("exec:printf ''", prompt("")).value().text, "");
}

TEST(ExecModel, GetsTheCallsOfToolsInAConversation) {
  using Role = Message::Role;
  Request request;
  request.messages = {
      {Role::user, "a"}, {Role::assistant, "", {{"c", "add", "{}"}}}, {Role::tool, "3", {}, "c"}};
  EXPECT_EQ(
      ask_program("exec:cat", request).value().text,
      R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,)"
      R"("tool_calls":[{"id":"c","type":"function","function":{"name":"add","arguments":"{}"}}]},)"
      R"({"role":"tool","tool_call_id":"c","content":"3"}]})");
}

TEST(ExecModel, GetsAConversationAsJson) {
  Request request = prompt("a");
  request.system = "Be terse.";
  EXPECT_EQ(ask_program("exec:cat", request).value().text,
            R"({"system":"Be terse.","messages":[{"role":"user","content":"a"}]})");
  request.system.clear();
  request.messages.push_back({Message::Role::assistant, "b"});
  EXPECT_EQ(ask_program("exec:cat", request).value().text,
            R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})");
}

TEST(ExecModel, GetsTheParametersAsVariables) {
  Request request = prompt("");
  request.parameters = {.temperature = 0.5, .seed = 7};
  request.ordinal = 3;
  EXPECT_EQ(
      ask_program("exec:sh -c 'echo $VIBECHECK_TEMPERATURE,$VIBECHECK_SEED,$VIBECHECK_ORDINAL,"
                  "$VIBECHECK_TOP_P,$VIBECHECK_TIMEOUT'",
                  request)
          .value()
          .text,
      "0.5,7,3,,60");
}

// Says what came of the log in the answer's own words.
Settings looking_at_logs() {
  Settings settings;
  settings.score_log = [](const std::string& file, const Request& request, Answer& answer) {
    std::ifstream log(file);
    std::string line;
    std::getline(log, line);
    answer.fitness = static_cast<double>(line.size());
    answer.fitness_error = request.messages.back().text + " " + answer.text + " " + line;
  };
  return settings;
}

Outcome ask_and_look(const std::string& name, const Request& request) {
  GatheredOutcomes gathered;
  const Opened opened = open(name, looking_at_logs());
  opened.model->ask(request, gathered.done());
  return gathered.wait(1)[0];
}

bool is_there(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

TEST(ExecModel, MayWriteALog) {
  const Outcome got =
      ask_and_look("exec:sh -c 'echo four >\"$VIBECHECK_TRACE\"; echo yes'", prompt("well?"));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->fitness, 4);
  EXPECT_EQ(got->fitness_error, "well? yes four");
}

TEST(ExecModel, NeedNotWriteALog) {
  const Outcome got = ask_and_look("exec:cat", prompt("x"));
  EXPECT_EQ(got.value().fitness, std::nullopt);
  EXPECT_EQ(got.value().fitness_error, "");
}

TEST(ExecModel, HasAFolderForItsLogThatIsGoneAfterwards) {
  const auto shown = ask_program(
      "exec:sh -c 'stat -c %a \"${VIBECHECK_TRACE%/*}\"; echo $VIBECHECK_TRACE; "
      "mkdir -p $VIBECHECK_TRACE/deep; ln -s /etc $VIBECHECK_TRACE/deep/link'",
      prompt(""));
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  EXPECT_TRUE(shown->text.starts_with("700\n/")) << shown->text;
  const std::string log = shown->text.substr(4);
  EXPECT_FALSE(is_there(log.substr(0, log.rfind('/')))) << log;
  EXPECT_TRUE(is_there("/etc/passwd"));
  const auto again = ask_program("exec:sh -c 'echo $VIBECHECK_TRACE'", prompt(""));
  EXPECT_NE(again.value().text, log);
}

TEST(ExecModel, LeavesNoFolderWhereItFails) {
  std::string folder = testing::TempDir() + "exec-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", folder.c_str(), 1);
  Request request = prompt("");
  request.timeout = 0.2;
  EXPECT_FALSE(ask_program("exec:sh -c 'echo x >$VIBECHECK_TRACE; exit 1'", request).has_value());
  EXPECT_FALSE(ask_program("exec:sh -c 'echo x >$VIBECHECK_TRACE; sleep 60'", request).has_value());
  {
    GatheredOutcomes gathered;
    const Opened opened = open("exec:sh -c 'echo x >$VIBECHECK_TRACE; sleep 60'");
    opened.model->ask(prompt(""), gathered.done());
    opened.model->cancel();
    EXPECT_EQ(gathered.wait(1)[0].error().kind, Kind::cancelled);
  }
  EXPECT_EQ(::rmdir(folder.c_str()), 0) << "something is left in " << folder;

  // Where there is no room for one, the program is asked all the same.
  const auto got = ask_program("exec:sh -c 'echo \"[$VIBECHECK_TRACE]\"'", prompt(""));
  EXPECT_EQ(got.value().text, "[]");
  EXPECT_EQ(got.value().fitness_error, "");  // which nobody asked for
  Settings settings = looking_at_logs();
  settings.needs_logs = true;
  GatheredOutcomes gathered;
  const Opened opened = open("exec:cat", settings);
  opened.model->ask(prompt(""), gathered.done());
  EXPECT_EQ(gathered.wait(1)[0].value().fitness_error,
            "cannot create a temporary folder: no such file or directory");
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

struct ExecFailure {
  const char* name;
  std::string command;
  double timeout;
  Kind kind;
  std::string message;
};
class ExecFails : public testing::TestWithParam<ExecFailure> {};
TEST_P(ExecFails, AndSaysHow) {
  Request request = prompt("x");
  request.timeout = GetParam().timeout;
  const Outcome got = ask_program("exec:" + GetParam().command, request);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(to_string(got.error().kind), to_string(GetParam().kind));
  EXPECT_EQ(got.error().message, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    Exec, ExecFails,
    testing::Values(
        ExecFailure{"code", "false", 60, Kind::refused, "`false` exited with code 1"},
        ExecFailure{"stderr", "sh -c 'echo no such key >&2; echo more >&2; exit 4'", 60,
                    Kind::refused, "`sh` exited with code 4: no such key"},
        ExecFailure{"traceback", "python3 -c 'raise ValueError(\"bad input\")'", 60, Kind::refused,
                    "`python3` exited with code 1: ValueError: bad input"},
        ExecFailure{"signal", "sh -c 'kill -9 $$'", 60, Kind::refused,
                    "`sh` was killed by a signal (killed)"},
        ExecFailure{"slow", "sleep 1000", 0.2, Kind::timed_out, "`sleep` took longer than 0.2 s"},
        ExecFailure{"endless", "yes", 60, Kind::malformed, "`yes` wrote more than 32 MiB"}),
    [](const auto& row) { return row.param.name; });

TEST(ExecModel, ReportsAFileThatIsNoProgram) {
  std::string path = testing::TempDir() + "agent-XXXXXX";
  const int fd = ::mkstemp(path.data());
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "not a program", 13), 13);
  ASSERT_EQ(::fchmod(fd, 0700), 0);
  ::close(fd);
  const Outcome got = ask_program("exec:" + path, prompt("x"));
  ::unlink(path.c_str());
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, Kind::unreachable);
  EXPECT_TRUE(got.error().message.ends_with("cannot be started: exec format error"))
      << got.error().message;
}

TEST(ExecModel, IsCancelled) {
  GatheredOutcomes gathered;
  const Opened opened = open("exec:sleep 1000");
  for (int i = 0; i < 8; ++i) opened.model->ask(prompt("x"), gathered.done());
  opened.model->cancel();
  for (const Outcome& outcome : gathered.wait(8)) EXPECT_EQ(outcome.error().kind, Kind::cancelled);
  // and answers afterwards
  GatheredOutcomes after;
  Request request = prompt("x");
  request.timeout = 0.1;
  opened.model->ask(request, after.done());
  EXPECT_EQ(after.wait(1)[0].error().kind, Kind::timed_out);
}

TEST(ExecModel, EndsWhatIsInFlightWhenItEnds) {
  GatheredOutcomes gathered;
  {
    const Opened opened = open("exec:sleep 1000");
    for (int i = 0; i < 4; ++i) opened.model->ask(prompt("x"), gathered.done());
  }
  for (const Outcome& outcome : gathered.wait(4)) EXPECT_EQ(outcome.error().kind, Kind::cancelled);
}

TEST(ExecModel, AnswersManyAtATime) {
  GatheredOutcomes gathered;
  const Opened opened = open("exec:cat");
  for (int i = 0; i < 100; ++i) opened.model->ask(prompt(std::to_string(i)), gathered.done());
  for (const Outcome& outcome : gathered.wait(100)) EXPECT_TRUE(outcome.has_value());
}

TEST(ExecModel, MayBeAskedFromAnAnswer) {
  GatheredOutcomes gathered;
  const Opened opened = open("exec:cat");
  opened.model->ask(prompt("a"), [&](const Outcome& outcome) {
    opened.model->ask(prompt(outcome->text + "b"), gathered.done());
  });
  EXPECT_EQ(gathered.wait(1)[0]->text, "ab");
}

struct ReplayFile {
  explicit ReplayFile(std::string_view text) {
    path = testing::TempDir() + "replay-XXXXXX";
    ::close(::mkstemp(path.data()));
    std::ofstream(path) << text;
  }
  ~ReplayFile() { ::unlink(path.c_str()); }
  std::string path;
};

TEST(ReplayModel, AnswersWhatWasAnswered) {
  const ReplayFile file(R"({"vibecheck_recording":1,"model":"openai/m"}
{"prompt":"a","answer":{"text":"b","latency":0.5,"cost":0.25,"tries":3}}
{"prompt":"c","failure":{"kind":"refused","message":"no","tries":2}}
)");
  const Opened opened = open("replay:" + file.path);
  EXPECT_EQ(opened.name, "openai/m");
  EXPECT_EQ(opened.source, "replay:" + file.path);
  EXPECT_TRUE(opened.recording->find(prompt("a")));
  EXPECT_FALSE(opened.recording->find(prompt("b")));
  GatheredOutcomes gathered;
  opened.model->ask(prompt("a"), gathered.done());
  opened.model->ask(prompt("c"), gathered.done());
  Request again = prompt("a");
  again.ordinal = 1;
  opened.model->ask(again, gathered.done());
  const auto got = gathered.wait(3);
  EXPECT_EQ(got[0]->text, "b");
  EXPECT_EQ(got[0]->latency, 0.5);
  EXPECT_EQ(got[0]->cost.total, 0.25);
  EXPECT_EQ(got[0]->tries, 3);
  EXPECT_EQ(got[1].error().message, "no");
  EXPECT_EQ(got[2].error().kind, Kind::missing);
  EXPECT_EQ(got[2].error().message, "the recording has no answer number 2 to `a`");
}

}  // namespace
}  // namespace vibe::model
