#include "base/process.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.h"

namespace vibe::base {
namespace {

using How = Finished::How;

Command shell(const std::string& script, double timeout = 60) {
  Command command;
  command.program = "/bin/sh";
  command.arguments = {"sh", "-c", script};
  command.timeout = timeout;
  return command;
}

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

// Killed children of others take a moment to go.
bool goes_away(pid_t pid) {
  for (int i = 0; i < 1000 && is_alive(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_alive(pid);
}

// The program itself takes us the files that poll() would need.
TEST(Process, SaysThatItCouldNotWait) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const auto got = run(shell("prlimit --pid $PPID --nofile=4: && echo now; sleep 1000"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(got.how, How::lost);
  EXPECT_EQ(got.errors, "invalid argument");
}

TEST(Process, SaysMostInOneLine) {
  EXPECT_EQ(telling_line("\n first \nsecond\n"), "first");
  EXPECT_EQ(telling_line("Traceback (most recent call last):\n  File x\nValueError: bad \n"),
            "ValueError: bad");
  EXPECT_EQ(telling_line(" \n"), "");
}

TEST(Process, GivesWhatItWrites) {
  Command command = shell("cat; echo oops >&2; exit 3");
  command.input = "hello\n";
  const Finished got = run(command);
  EXPECT_EQ(got.how, How::exited);
  EXPECT_EQ(got.status, 3);
  EXPECT_EQ(got.output, "hello\n");
  EXPECT_EQ(got.errors, "oops\n");
  EXPECT_GT(got.seconds, 0);
}

TEST(Process, TakesAndGivesALot) {
  Command command = shell("cat");
  command.input = std::string(10u << 20, 'x');
  const Finished got = run(command);
  EXPECT_EQ(got.how, How::exited);
  EXPECT_EQ(got.output.size(), command.input.size());
  EXPECT_EQ(got.output, command.input);
}

TEST(Process, NeedNotReadItsInput) {
  Command command = shell("exec true");
  command.input = std::string(10u << 20, 'x');
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run(command).how, How::exited);
  sigset_t pending;
  ASSERT_EQ(::sigpending(&pending), 0);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

TEST(Process, MayCloseItsInputAndGoOn) {
  Command command = shell("exec 0<&-; echo on");
  command.input = std::string(1u << 20, 'x');
  EXPECT_EQ(run(command).output, "on\n");
}

TEST(Process, ReportsSignals) {
  const Finished got = run(shell("kill -SEGV $$"));
  EXPECT_EQ(got.how, How::signalled);
  EXPECT_EQ(got.status, SIGSEGV);
  EXPECT_EQ(signal_name(got.status), "segmentation fault");
}

TEST(Process, IsEndedWithItsGroupWhenItTakesTooLong) {
  const auto begin = std::chrono::steady_clock::now();
  const Finished got = run(shell("sleep 1000 & echo $!; wait", 0.2));
  EXPECT_EQ(got.how, How::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  const pid_t child = std::stoi(got.output);
  EXPECT_TRUE(goes_away(child));
}

TEST(Process, DoesNotWaitForAChildThatHoldsThePipe) {
  const Finished got = run(shell("sleep 1000 & echo $!"));
  EXPECT_EQ(got.how, How::exited);
  EXPECT_EQ(got.status, 0);
  EXPECT_TRUE(goes_away(std::stoi(got.output)));
}

TEST(Process, DoesNotWaitForADaemonThatHoldsThePipe) {
  const Finished got = run(shell("setsid sleep 1000 & echo $!"));
  EXPECT_EQ(got.how, How::exited);
  const pid_t daemon = std::stoi(got.output);
  ::kill(daemon, SIGKILL);
}

TEST(Process, KeepsAllThatWasWrittenBeforeTheEnd) {
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(run(shell("head -c 60000 /dev/zero; exit 0")).output.size(), 60'000u);
}

TEST(Process, IsEndedWhenItWritesTooMuch) {
  Command command = shell("exec yes");
  command.most_output = 1u << 20;
  const Finished got = run(command);
  EXPECT_EQ(got.how, How::too_large);
  EXPECT_EQ(got.output.size(), command.most_output);
}

TEST(Process, MayWriteAsMuchAsIsAllowed) {
  Command command = shell("head -c 100000 /dev/zero");
  command.most_output = 100'000;
  EXPECT_EQ(run(command).how, How::exited);
  command.most_output = 99'999;
  EXPECT_EQ(run(command).how, How::too_large);
}

TEST(Process, KeepsBothEndsOfItsErrors) {
  const Finished got = run(shell("echo first >&2; head -c 1000000 /dev/zero >&2; echo last >&2"));
  EXPECT_TRUE(got.errors.starts_with("first\n"));
  EXPECT_TRUE(got.errors.ends_with("last\n"));
  EXPECT_LT(got.errors.size(), 100'000u);
}

TEST(Process, IsStopped) {
  StopSignal stop;
  std::thread other([&] { stop.stop(); });
  const Finished got = run(shell("sleep 1000"), &stop);
  other.join();
  EXPECT_EQ(got.how, How::stopped);
  EXPECT_EQ(run(shell("sleep 1000"), &stop).how, How::stopped);
}

TEST(Process, SaysWhyItDidNotStart) {
  Command command;
  command.program = "/nonexistent/program";
  command.arguments = {"program"};
  const Finished got = run(command);
  EXPECT_EQ(got.how, How::not_started);
  EXPECT_EQ(got.errors, "no such file or directory");
}

TEST(Process, GetsNoOtherFileOfOurs) {
  const int leak = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GT(leak, 2);
  const Finished got = run(shell("ls /proc/self/fd | wc -l"));
  ::close(leak);
  EXPECT_EQ(std::stoi(got.output), 4);  // and the one that `ls` reads with
}

TEST(Process, GetsItsVariablesBeforeOurs) {
  ASSERT_EQ(::setenv("VIBECHECK_TEST", "ours", 1), 0);
  Command command = shell("echo $VIBECHECK_TEST $HOME");
  command.environment = {"VIBECHECK_TEST=its"};
  const Finished got = run(command);
  ::unsetenv("VIBECHECK_TEST");
  EXPECT_TRUE(got.output.starts_with("its")) << got.output;
}

TEST(Process, LeavesNoZombie) {
  for (int i = 0; i < 5; ++i) static_cast<void>(run(shell("exit 0")));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, RunsManyAtATime) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(32);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    threads.emplace_back([&, i] {
      Command command = shell("cat");
      command.input = std::string(100'000, static_cast<char>('a' + i % 26));
      outputs[i] = run(command).output;
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(outputs[i], std::string(100'000, static_cast<char>('a' + i % 26)));
}

struct SplitCase {
  const char* name;
  std::string_view line;
  std::vector<std::string> words;
};
class SplitCommand : public testing::TestWithParam<SplitCase> {};
TEST_P(SplitCommand, Gives) {
  const auto got = split_command(GetParam().line);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(*got, GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(
    Process, SplitCommand,
    testing::Values(SplitCase{"nothing", "  \t\n", {}},
                    SplitCase{"words", " a  b\tc ", {"a", "b", "c"}},
                    SplitCase{"single", "a 'b c' d", {"a", "b c", "d"}},
                    SplitCase{"single_is_literal", R"('a\b"$c')", {R"(a\b"$c)"}},
                    SplitCase{"double_quotes", R"("a \"b\" \\ \n $c")", {R"(a "b" \ \n $c)"}},
                    SplitCase{"joined", R"(a'b'"c"d)", {"abcd"}},
                    SplitCase{"empty", "'' \"\"", {"", ""}},
                    SplitCase{"backslash", R"(a\ b \'c)", {"a b", "'c"}},
                    SplitCase{"last_backslash", "a\\", {"a\\"}},
                    SplitCase{"nothing_else", "a|b > *; $(c)", {"a|b", ">", "*;", "$(c)"}}),
    [](const auto& row) { return row.param.name; });

TEST(SplitCommand, ReportsAnOpenQuote) {
  const auto got = split_command("python3 'agent.py");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().all()[0].message, "the quote ' in the command is not closed");
  EXPECT_FALSE(split_command(std::string_view("a\0b", 3)).has_value());
}

TEST(FindProgram, Looks) {
  EXPECT_TRUE(find_program("sh").has_value());
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/etc/passwd"), std::nullopt);
  EXPECT_EQ(find_program("/bin"), std::nullopt);
  EXPECT_EQ(find_program("no-such-program-anywhere"), std::nullopt);
  EXPECT_EQ(find_program(""), std::nullopt);
}

}  // namespace
}  // namespace vibe::base
