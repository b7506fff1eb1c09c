// Logs that programs wrote, of any making.
#include "app/agents/score_log.h"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/temp_folder.h"

namespace vibe::app {
namespace {

namespace fs = std::filesystem;

class ScoreLog : public testing::Test {
 protected:
  const base::TempFolder folder = *base::TempFolder::make();
  const std::string log = folder.path() + "/trace";

  model::Answer scored(const std::string& answer_text = "It is done.") const {
    model::Answer answer;
    answer.text = answer_text;
    model::Request request;
    request.messages = {{model::Message::Role::user, "Do it."}};
    log_scorer({std::shared_ptr<void>(), &fitness::default_rubric()})(log, request, answer);
    EXPECT_NE(answer.fitness.has_value(), !answer.fitness_error.empty());  // one of the two
    return answer;
  }
  void write(std::string_view text) const { std::ofstream(log, std::ios::binary) << text; }
};

TEST_F(ScoreLog, GivesTheFitness) {
  write("{\"tool\":\"Bash\",\"exit\":0}\n{\"tool\":\"Bash\",\"exit\":1}\n");
  const auto half = scored();
  write("{\"tool\":\"Bash\",\"exit\":0}\n{\"tool\":\"Bash\",\"exit\":0}\n");
  ASSERT_TRUE(half.fitness);
  EXPECT_GT(scored().fitness, half.fitness);
}

TEST_F(ScoreLog, TakesTheResponseWhereItHasNoAnswer) {
  write("{\"tool\":\"Bash\",\"exit\":0}\n");
  EXPECT_GT(scored("# Done\n\nIt is done. All of it.\n\n- one\n").fitness,
            scored("error: it is not").fitness);
  EXPECT_TRUE(scored("").fitness);  // of the calls alone
  EXPECT_TRUE(scored("\xff\xfe").fitness);
}

TEST_F(ScoreLog, TakesAllSessionsForOneExecution) {
  write(
      "{\"session\":\"a\",\"tool\":\"Bash\",\"exit\":0}\n{\"session\":\"a\",\"tool\":\"Ls\","
      "\"exit\":1}\n");
  const auto one = scored();
  write(
      "{\"session\":\"a\",\"tool\":\"Bash\",\"exit\":0}\n{\"session\":\"b\",\"tool\":\"Ls\","
      "\"exit\":1}\n");
  EXPECT_EQ(scored().fitness, one.fitness);
}

TEST_F(ScoreLog, ReadsPastBrokenLines) {
  write("{\"tool\":\"Bash\",\"exit\":0}\n{\"tool\":\"Bash\",\"ex");
  EXPECT_TRUE(scored().fitness);
}

TEST_F(ScoreLog, SaysWhatIsWrong) {
  write("");
  EXPECT_EQ(scored().fitness_error, "the execution log: the file is empty");
  write("no log\n");
  EXPECT_EQ(scored().fitness_error, "the execution log: this is not a log in a known format");
  write("{\"tool\":\"Bash\",\"exit\":0}\n");
  fs::resize_file(log, std::uintmax_t{10} << 30);  // takes no room
  EXPECT_EQ(scored().fitness_error, "the execution log is 10240 MB; the limit is 256");
}

TEST_F(ScoreLog, ReadsNothingButAPlainFile) {
  constexpr std::string_view kWhy = "the execution log is not a regular file";
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  EXPECT_EQ(scored().fitness_error, kWhy);
  fs::remove(log);
  for (const auto* target : {"/dev/zero", "/etc/passwd", "/nowhere"}) {
    fs::create_symlink(target, log);
    EXPECT_EQ(scored().fitness_error, kWhy);
    fs::remove(log);
  }
  fs::create_directory(log);
  EXPECT_EQ(scored().fitness_error, kWhy);
}

}  // namespace
}  // namespace vibe::app
