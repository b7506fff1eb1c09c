#include "app/agents/outcome_labels.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace vibe::app {
namespace {

class Labels : public testing::Test {
 protected:
  base::Result<std::vector<OutcomeLabel>> read(const std::string& text) {
    const std::string path = testing::TempDir() + "labels_test.csv";
    std::ofstream(path, std::ios::binary) << text;
    auto out = read_labels(path);
    std::remove(path.c_str());
    return out;
  }
  // `a1 b0`: sessions with their outcomes; else the messages.
  std::string shown(const std::string& text) {
    const auto found = read(text);
    std::string out;
    if (found)
      for (const auto& one : *found)
        out += (out.empty() ? "" : " ") + one.session + (one.good ? "1" : "0");
    else
      for (const auto& one : found.error().all()) out += one.message + "\n";
    return out;
  }
};

TEST_F(Labels, AreLinesOfTwoCells) {
  EXPECT_EQ(shown("a,1\nb,0\n"), "a1 b0");
  EXPECT_EQ(shown("session,outcome\r\na,1\r\n\r\nb , false\r\n"), "a1 b0");
  EXPECT_EQ(shown("\xEF\xBB\xBFid,outcome\na,true"), "a1");
  EXPECT_EQ(shown("\"a,b\",1\n\"say \"\"x\"\"\",0\n"), "a,b1 say \"x\"0");
}

TEST_F(Labels, AHeaderSaysWhichColumnIsWhich) {
  EXPECT_EQ(shown("outcome,note,Session\n1,fine,a\n0,,b\n"), "a1 b0");
}

TEST_F(Labels, AreObjects) {
  EXPECT_EQ(shown("{\"id\": \"a\", \"outcome\": 1}\n{\"session\": \"b\", \"outcome\": false}\n"),
            "a1 b0");
  EXPECT_EQ(shown("{\"session_id\": \"a\", \"outcome\": true, \"by\": \"me\"}"), "a1");
  EXPECT_EQ(shown(" {\"id\": \"a\", \"outcome\": 1}\n\t{\"id\": \"b\", \"outcome\": 0} \n"),
            "a1 b0");
}

TEST_F(Labels, TwiceTheSameIsOnce) { EXPECT_EQ(shown("a,1\na,1\nb,0\n"), "a1 b0"); }

TEST_F(Labels, ThatDisagreeAreAnError) {
  const auto found = read("session,outcome\na,1\nb,0\na,0\n");
  ASSERT_FALSE(found);
  const auto& problem = found.error().all().front();
  EXPECT_EQ(problem.message, "`a` has outcome 0 here, but 1 on line 2");
  EXPECT_EQ(problem.source->position(problem.span.begin).line, 4u);
}

TEST_F(Labels, EveryLineThatMakesNoSenseIsNamed) {
  EXPECT_EQ(
      shown("a,maybe\nb\n,1\nc,\n\"d,1\n{\"id\": 5, \"outcome\": 1}\n{\"id\": \"e\"}\n{\n"),
      "`maybe` is not an outcome\nthis is not a label\nthe session id is missing\nthe outcome "
      "is missing\n"
      "a quote is not closed, or something follows it\nthe session id is missing\n"
      "the outcome is missing\nthis is not JSON: the end where a key in double quotes was "
      "expected\n");
}

TEST_F(Labels, NoneIsAnError) {
  EXPECT_EQ(shown(""), "there are no labels\n");
  EXPECT_EQ(shown("session,outcome\n"), "there are no labels\n");
  EXPECT_FALSE(read_labels("/nowhere/labels.csv"));
}

}  // namespace
}  // namespace vibe::app
